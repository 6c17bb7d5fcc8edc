#include <array>
#include <optional>

#include <fmt/format.h>

#include <clatter/contact/geometry/contact_pair.hpp>
#include <clatter/model/error.hpp>

namespace clatter {
namespace {

template <class List>
struct Pairs;

template <NamedContactSurfaces... Each>
struct Pairs<std::variant<Each...>> {
  static constexpr std::array geometries{Each::geometry...};

  /// Calls `use` with a null pointer to the pair of that geometry.
  template <class Use>
  static void find(const ContactSpec& spec, const Use& use) {
    const auto is_it = [&](auto* pair, const ContactGeometry& geometry) {
      if (!(geometry == spec.geometry)) return false;
      use(pair);
      return true;
    };
    if ((is_it(static_cast<Each*>(nullptr), Each::geometry) || ...)) return;
    throw Error(spec.place, fmt::format("contact '{}': there is no contact geometry '{}'",
                                        spec.name, spec.geometry.name));
  }
};

}  // namespace

ContactPair make_contact_pair(const ContactSpec& spec, int a, int b, bool planar) {
  std::optional<ContactPair> made;
  Pairs<NamedContactPair>::find(spec,
                                [&]<class Pair>(Pair*) { made.emplace(Pair(spec, a, b, planar)); });
  return *std::move(made);
}

std::span<const ContactGeometry> contact_geometries() {
  return Pairs<NamedContactPair>::geometries;
}

Mesh picture_of(const ContactSpec& spec, double size) {
  Mesh mesh;
  if (spec.of_joints) return mesh;
  Pairs<NamedContactPair>::find(spec, [&]<class Pair>(Pair*) { mesh = Pair::picture(spec, size); });
  return mesh;
}

}  // namespace clatter
