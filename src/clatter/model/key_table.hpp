#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/math/expression.hpp>
#include <clatter/math/types.hpp>
#include <clatter/model/key_places.hpp>

namespace clatter {

/// How many components a vector has to have, depending on the bodies it concerns.
enum class Dimension {
  three,
  two,     ///< [x, y], or [x, y, 0]
  either,  ///< not known, because something else is wrong already
};

/// One table of a model file as a kind of part reads it, whatever the format of the file. Names,
/// types and ranges of the keys have been checked. The getters give nothing for a key that is
/// absent or was found wrong, so that nothing is complained about twice.
class KeyTable {
 public:
  virtual ~KeyTable() = default;

  /// The kind that the table gives or has by default; empty when it is wrong or missing, or when
  /// the table has no kinds.
  virtual const std::string& kind() const = 0;
  virtual bool kind_is_known() const = 0;
  /// Whether the file has the key, right or wrong.
  virtual bool has(std::string_view key) const = 0;
  /// Whether the file has the key and its getter gives a value.
  virtual bool has_usable(std::string_view key) const = 0;
  virtual KeyPlaces key_places() const = 0;

  /// Adds a mistake at the value of a key, at its name, at the table.
  virtual void refuse(std::string_view key, std::string message) const = 0;
  virtual void refuse_key(std::string_view key, std::string message) const = 0;
  virtual void refuse_table(std::string message) const = 0;
  /// Refuses `key` when both are given.
  virtual void refuse_together(std::string_view key, std::string_view other) const = 0;

  virtual std::optional<std::string> text(std::string_view key) const = 0;  ///< texts and words
  virtual std::optional<bool> flag(std::string_view key) const = 0;
  virtual std::optional<int> integer(std::string_view key) const = 0;
  virtual std::optional<double> number(std::string_view key) const = 0;
  /// Radians, from `key` or from `key`_deg.
  virtual std::optional<double> angle(std::string_view key) const = 0;
  virtual std::optional<Expression> formula(std::string_view key) const = 0;
  /// In t and quantities of the run.
  virtual std::optional<Formula> drive(std::string_view key) const = 0;
  virtual std::optional<Vec3> vector(std::string_view key, Dimension dimension) const = 0;
  /// Unit vector.
  virtual std::optional<Vec3> direction(std::string_view key, Dimension dimension) const = 0;
  virtual std::optional<std::vector<double>> numbers(std::string_view key) const = 0;
  virtual std::optional<std::vector<Eigen::Vector2d>> pairs(std::string_view key) const = 0;
  virtual std::optional<std::vector<std::string>> texts(std::string_view key) const = 0;
  /// A table within the table, or null; a list of them.
  virtual std::unique_ptr<KeyTable> nested(std::string_view key) const = 0;
  virtual std::vector<std::unique_ptr<KeyTable>> nested_list(std::string_view key) const = 0;

 protected:
  KeyTable() = default;
  KeyTable(const KeyTable&) = default;
  KeyTable& operator=(const KeyTable&) = default;
  KeyTable(KeyTable&&) = default;
  KeyTable& operator=(KeyTable&&) = default;
};

}  // namespace clatter
