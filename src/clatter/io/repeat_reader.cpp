#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include <clatter/io/repeat_reader.hpp>
#include <clatter/model/grain_sizes.hpp>
#include <clatter/model/random_packing.hpp>
#include <clatter/model/similar_shape.hpp>

namespace clatter {
namespace {

constexpr double most_copies = 1e5;

/// Places, sizes and turns of copies, each relative to the body.
class Copies {
 public:
  Copies(const TomlTable& table, const BodySpec& body, bool by_density)
      : table_(table),
        body_(body),
        by_density_(by_density),
        is_planar_(body.kind == BodyKind::planar),
        seed_(static_cast<std::uint64_t>(table.integer("seed").value_or(1))) {}

  std::vector<BodySpec> read() {
    if (table_.has("kind") && !table_.kind_is_known()) return {body_};
    const bool is_random = table_.kind() == "random";
    const std::size_t count =
        is_random ? static_cast<std::size_t>(table_.integer("count").value_or(1)) : count_lattice();
    if (count == 0 || !find_radii(count)) return {body_};
    const bool placed = is_random ? place_at_random(count) : place_in_lattice(count);
    if (!placed) return {body_};
    return make();
  }

 private:
  int dimensions() const { return is_planar_ ? 2 : 3; }
  Dimension dimension() const { return is_planar_ ? Dimension::two : Dimension::three; }
  double random(std::uint64_t counter) const { return scatter(seed_, counter); }

  /// 0: it is wrong.
  std::size_t count_lattice() {
    const Vec3 count = table_.vector("count", dimension()).value_or(Vec3::Ones());
    double all = 1.0;
    for (int i = 0; i < dimensions(); ++i) {
      all *= count[i];
      if (count[i] != std::floor(count[i]) || !(count[i] >= 1.0) || !(all <= most_copies)) {
        table_.refuse("count", fmt::format("'count': expected whole numbers from 1 on, of {} "
                                           "copies at most",
                                           most_copies));
        return 0;
      }
      along_[static_cast<std::size_t>(i)] = static_cast<int>(count[i]);
    }
    return static_cast<std::size_t>(all);
  }

  bool find_radii(std::size_t count) {
    own_radius_ = radius_around(body_.shapes, is_planar_);
    const bool is_random = table_.kind() == "random";
    const std::optional<TomlTable> table = table_.table("sizes");
    if ((is_random || table) && !body_.shapes.empty() && !own_radius_) {
      table_.refuse_table(
          "'repeat': copies at random and of several sizes need a 'shape' that is "
          "none of profile, spline, mesh and wall");
      return false;
    }
    if ((is_random || table) && !own_radius_) {
      table_.refuse_table("'repeat': copies at random and of several sizes need a 'shape'");
      return false;
    }
    if (!table) {
      radii_.assign(count, own_radius_.value_or(0.0));
      return true;
    }
    if (!by_density_) {
      table_.refuse_key("sizes",
                        "'sizes' needs 'density' in the body, so that copies of all sizes "
                        "have their mass");
      return false;
    }
    const std::optional<GrainSizes> sizes = read_sizes(*table);
    if (!sizes) return false;
    radii_ = grain_radii(*sizes, count, dimensions(), seed_);
    return true;
  }

  static std::optional<GrainSizes> read_sizes(const TomlTable& table) {
    if (!table.kind_is_known()) return std::nullopt;
    GrainSizes sizes;
    const bool is_curve = table.kind() == "curve";
    if (table.kind() == "log_normal") sizes.kind = GrainSizes::Kind::log_normal;
    if (is_curve) sizes.kind = GrainSizes::Kind::curve;
    sizes.smallest = table.number("smallest");
    sizes.largest = table.number("largest");
    sizes.median = table.number("median").value_or(0.0);
    sizes.deviation = table.number("deviation").value_or(0.0);
    sizes.radii = table.numbers("radius").value_or(std::vector<double>{});
    sizes.passing = table.numbers("passing").value_or(std::vector<double>{});
    sizes.by_mass = table.text("by").value_or(is_curve ? "mass" : "number") == "mass";
    for (const char* key : {"smallest", "largest", "median", "deviation", "radius", "passing"}) {
      const bool is_needed = table.description().find(key, table.kind()) != nullptr &&
                             table.description().find(key, table.kind())->required();
      if ((is_needed || table.has(key)) && !table.has_usable(key)) return std::nullopt;
    }
    if (const auto wrong = sizes.complaint()) {
      table.refuse(wrong->first, wrong->second);
      return std::nullopt;
    }
    return sizes;
  }

  bool place_in_lattice(std::size_t count) {
    const Vec3 spacing = table_.vector("spacing", dimension()).value_or(Vec3::Zero());
    const double jitter = table_.number("jitter").value_or(0.0);
    const bool is_staggered = table_.kind() == "staggered";
    for (int z = 0; z < along_[2]; ++z) {
      for (int y = 0; y < along_[1]; ++y) {
        for (int x = 0; x < along_[0]; ++x) {
          Vec3 place = Vec3(x, y, z);
          if (is_staggered) {
            place.x() += 0.5 * ((y + z) % 2);
            place.y() += (z % 2) / 3.0;
          }
          place = place.cwiseProduct(spacing);
          for (int i = 0; i < dimensions(); ++i) {
            place[i] += jitter * random(3 * places_.size() + static_cast<std::uint64_t>(i));
          }
          places_.push_back(place);
        }
      }
    }
    if (!table_.has("sizes") || count < 2) return true;
    const auto [i, j] = overlapping_pair(places_, radii_);
    if (i == j) return true;
    table_.refuse("spacing",
                  fmt::format("copies {} and {} overlap: they have radii of {:.4g} m and {:.4g} m "
                              "and are {:.4g} m apart; make 'spacing' larger",
                              i, j, radii_[i], radii_[j], (places_[i] - places_[j]).norm()));
    return false;
  }

  bool place_at_random(std::size_t count) {
    const Vec3 size = table_.vector("size", dimension()).value_or(Vec3::Zero());
    if (!table_.has_usable("size")) return false;
    for (int i = 0; i < dimensions(); ++i) {
      if (size[i] > 0.0) continue;
      table_.refuse("size", "'size': expected lengths above 0");
      return false;
    }
    const double gap = table_.number("gap").value_or(0.0);
    RandomPacking packing = pack_at_random(radii_, size, dimensions(), gap, seed_);
    places_ = std::move(packing.places);
    if (packing.missing.empty()) return true;
    double filled = 0.0;
    for (const double r : radii_) {
      filled += is_planar_ ? std::numbers::pi * r * r : 4.0 / 3.0 * std::numbers::pi * r * r * r;
    }
    const double box = is_planar_ ? size.x() * size.y() : size.prod();
    table_.refuse("count",
                  fmt::format("{} of {} copies find no room: all of them would fill {:.3g} % of "
                              "the box; make 'size' larger and press them together, or take fewer",
                              packing.missing.size(), count, 100.0 * filled / box));
    return false;
  }

  void turn(BodySpec& copy, std::size_t number) const {
    const auto any = [&](std::uint64_t i) { return scatter(seed_ + 0x7a5ULL, 3 * number + i); };
    if (is_planar_) {
      copy.angle += std::numbers::pi * any(0);
      copy.orientation = Quaternion(Eigen::AngleAxisd(copy.angle, Vec3::UnitZ()));
      return;
    }
    // Shoemake: as likely one way as any other.
    const double u = 0.5 + 0.5 * any(0), a = std::numbers::pi * any(1),
                 b = std::numbers::pi * any(2);
    const double p = std::sqrt(1.0 - u), q = std::sqrt(u);
    copy.orientation =
        Quaternion(q * std::cos(b), p * std::sin(a), p * std::cos(a), q * std::sin(b)) *
        copy.orientation;
  }

  std::vector<BodySpec> make() const {
    const bool has_sizes = table_.has("sizes"), turns = table_.flag("turned").value_or(false);
    if (turns && body_.kind == BodyKind::point) {
      table_.refuse_key("turned", "'turned' has no meaning for point bodies");
    }
    std::vector<BodySpec> copies(places_.size(), body_);
    for (std::size_t k = 0; k < copies.size(); ++k) {
      copies[k].name = fmt::format("{}.{}", body_.name, k);
      copies[k].position += places_[k];
      if (has_sizes) enlarge(copies[k], radii_[k] / *own_radius_);
      if (turns) turn(copies[k], k);
    }
    return copies;
  }

  const TomlTable& table_;
  const BodySpec& body_;
  bool by_density_, is_planar_;
  std::uint64_t seed_;
  std::array<int, 3> along_{1, 1, 1};
  std::optional<double> own_radius_;
  std::vector<double> radii_;
  std::vector<Vec3> places_;
};

}  // namespace

std::vector<BodySpec> read_copies(const TomlTable& repeat, const BodySpec& body, bool by_density) {
  std::vector<BodySpec> copies = Copies(repeat, body, by_density).read();
  if (copies.size() == 1 && copies.front().name == body.name) copies.front().name += ".0";
  return copies;
}

}  // namespace clatter
