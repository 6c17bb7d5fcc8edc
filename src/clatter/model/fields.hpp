#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/model/key_table.hpp>
#include <clatter/model/object_check.hpp>

namespace clatter {

// A kind names its plain keys once, in a template describe(spec, fields), with where they go and
// their ranges. With a FieldReader that reads a file, with a FieldCheck it checks a model that may
// as well be built in code.

class FieldReader {
 public:
  /// `dimension`: of vectors in space.
  explicit FieldReader(const KeyTable& table, Dimension dimension = Dimension::three)
      : table_(table), dimension_(dimension) {}

  void number(std::string_view key, double& value, const Range& /*range*/) const {
    value = table_.number(key).value_or(value);
  }
  void number(std::string_view key, std::optional<double>& value, const Range& /*range*/) const {
    value = table_.number(key);
  }
  void whole_number(std::string_view key, int& value, const Range& /*range*/) const {
    value = table_.integer(key).value_or(value);
  }
  void flag(std::string_view key, bool& value) const { value = table_.flag(key).value_or(value); }
  /// In radians, also read from `key`_deg.
  void angle(std::string_view key, std::optional<double>& value, const Range& /*range*/) const {
    value = table_.angle(key);
  }
  void vector(std::string_view key, Vec3& value, const Range& /*range*/) const {
    value = table_.vector(key, dimension_).value_or(value);
  }
  /// Three numbers, also in the plane.
  void triple(std::string_view key, Vec3& value, const Range& /*range*/) const {
    value = table_.vector(key, Dimension::three).value_or(value);
  }
  /// Elongation and tension or the like.
  void curve(std::string_view key, std::vector<Eigen::Vector2d>& value,
             std::string_view /*arguments*/) const {
    value = table_.pairs(key).value_or(value);
  }
  /// A choice of two words.
  void either(std::string_view key, bool& value, std::string_view if_true,
              std::string_view if_false) const {
    const std::optional<std::string> given = table_.text(key);
    if (given == if_true) value = true;
    if (given == if_false) value = false;
  }

 private:
  const KeyTable& table_;
  Dimension dimension_;
};

class FieldCheck {
 public:
  explicit FieldCheck(const ObjectCheck& object) : object_(object) {}

  void number(std::string_view key, double value, const Range& range) const {
    object_.number(key, value, range);
  }
  void number(std::string_view key, const std::optional<double>& value, const Range& range) const {
    object_.number(key, value, range);
  }
  void whole_number(std::string_view key, int value, const Range& range) const {
    object_.whole_number(key, value, range);
  }
  void flag(std::string_view /*key*/, bool /*value*/) const {}
  void angle(std::string_view key, const std::optional<double>& value, const Range& range) const {
    object_.number(key, value, range);
  }
  void vector(std::string_view key, const Vec3& value, const Range& range) const {
    object_.vector(key, value, range);
  }
  void triple(std::string_view key, const Vec3& value, const Range& range) const {
    object_.vector(key, value, range);
  }
  void curve(std::string_view key, const std::vector<Eigen::Vector2d>& value,
             std::string_view arguments) const {
    object_.curve(key, value, arguments);
  }
  void either(std::string_view /*key*/, bool /*value*/, std::string_view /*if_true*/,
              std::string_view /*if_false*/) const {}

 private:
  const ObjectCheck& object_;
};

}  // namespace clatter
