#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <clatter/math/expression.hpp>
#include <clatter/math/types.hpp>
#include <clatter/model/error.hpp>
#include <clatter/model/key_places.hpp>
#include <clatter/model/range.hpp>

namespace clatter {

/// The checks of one spec: each says what is wrong at the place of its key, or with the name of the
/// object when there is no file, and returns false. About keys that the reader of a file has
/// refused already nothing is said, but they return false as well.
class ObjectCheck {
 public:
  /// `what` names the object: "body 'ball'".
  ObjectCheck(std::string what, const Place& place, const KeyPlaces& keys,
              std::vector<Mistake>& mistakes)
      : what_(std::move(what)), place_(&place), keys_(&keys), mistakes_(&mistakes) {}

  bool knows(std::string_view key) const { return !keys_->is_doubtful(key); }
  /// The key as the user knows it.
  std::string written(std::string_view key) const { return keys_->written(key); }

  /// At the value of a key, at one entry of it, at the key itself, at the object.
  bool refuse(std::string_view key, std::string message) const;
  bool refuse_entry(std::string_view key, std::size_t index, std::string message) const;
  bool refuse_key(std::string_view key, std::string message) const;
  bool refuse_object(std::string message) const;

  bool number(std::string_view key, double value, const Range& range = ranges::any) const;
  bool number(std::string_view key, const std::optional<double>& value, const Range& range) const;
  bool whole_number(std::string_view key, int value, const Range& range) const;
  bool vector(std::string_view key, const Vec3& value, const Range& range = ranges::any) const;
  /// Not zero.
  bool direction(std::string_view key, const Vec3& value) const;
  /// A vector without z component.
  bool vector_in_plane(std::string_view key, const Vec3& value) const;
  /// A list of points, in the plane or in space.
  bool points(std::string_view key, const std::vector<Vec3>& values, bool in_plane) const;
  /// Two points or more, whose `arguments` ascend.
  bool curve(std::string_view key, const std::vector<Eigen::Vector2d>& values,
             std::string_view arguments) const;
  /// The columns are the axes of a right-handed frame.
  bool frame(std::string_view key, const Mat3& axes) const;
  /// Finite at the start.
  bool formula(std::string_view key, const Expression& value) const;
  bool formulas(std::string_view key, const std::array<Expression, 3>& values) const;
  /// Formulas of a force in the plane or of a torque about z: the other components are 0.
  bool formulas_in_plane(std::string_view key, const std::array<Expression, 3>& values) const;
  bool formulas_about_z(std::string_view key, const std::array<Expression, 3>& values) const;

 private:
  bool add(Place place, std::string message) const;

  std::string what_;
  const Place* place_;
  const KeyPlaces* keys_;
  std::vector<Mistake>* mistakes_;
};

}  // namespace clatter
