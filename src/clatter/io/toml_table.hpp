#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/io/model_keys.hpp>
#include <clatter/io/toml_value.hpp>
#include <clatter/math/expression.hpp>
#include <clatter/math/types.hpp>
#include <clatter/model/key_places.hpp>
#include <clatter/model/key_table.hpp>

namespace clatter {

/// A TOML table read against its description. Making one checks what the description knows: unknown
/// keys, keys without meaning for the kind, missing keys, types and ranges. All mistakes are
/// collected, none throws. The getters give nothing for a key that is absent or was found wrong, so
/// that nothing is complained about twice.
class TomlTable final : public KeyTable {
 public:
  /// `formula_tables`: those that its formulas may call; whoever gives them keeps them.
  TomlTable(const toml::table& table, const TableDescription& description,
            std::vector<Mistake>& mistakes, const FormulaTables* formula_tables = nullptr);

  const TableDescription& description() const { return *description_; }
  /// The kind that the table gives or has by default; empty when it is wrong or missing, or when
  /// the table has no kinds.
  const std::string& kind() const override { return kind_; }
  bool kind_is_known() const override { return kind_is_known_; }

  /// Whether the file has the key, right or wrong.
  bool has(std::string_view key) const override;
  /// Whether the file has the key and its getter gives a value.
  bool has_usable(std::string_view key) const override;

  /// Where the keys stand, to be kept with what is made of them. In doubt are those that are wrong,
  /// and those that are missing.
  KeyPlaces key_places() const override;
  Place place() const;
  /// Of the value of a key; of the table when the key is absent.
  Place place(std::string_view key) const;
  /// Adds a mistake at the value of a key.
  void refuse(std::string_view key, std::string message) const override;
  /// Adds a mistake at the name of a key.
  void refuse_key(std::string_view key, std::string message) const override;
  /// Adds a mistake at a place taken from this table.
  void refuse_at(Place place, std::string message) const;
  /// Adds a mistake at the table.
  void refuse_table(std::string message) const override;
  /// Refuses `key` when both are given.
  void refuse_together(std::string_view key, std::string_view other) const override;

  std::optional<std::string> text(std::string_view key) const override;  ///< texts and words
  std::optional<bool> flag(std::string_view key) const override;
  std::optional<int> integer(std::string_view key) const override;
  std::optional<double> number(std::string_view key) const override;
  /// Radians, from `key` or from `key`_deg.
  std::optional<double> angle(std::string_view key) const override;
  std::optional<Expression> formula(std::string_view key) const override;
  std::optional<Formula> drive(std::string_view key) const override;
  /// Whether the value is a text, such as a formula.
  bool is_text(std::string_view key) const;
  /// A formula in a speed, of a text that has been checked.
  std::shared_ptr<const Formula> of_speed(const std::string& text) const;
  /// The number or formula as text.
  std::optional<std::string> formula_text(std::string_view key) const;
  std::optional<Vec3> vector(std::string_view key, Dimension dimension) const override;
  /// Unit vector.
  std::optional<Vec3> direction(std::string_view key, Dimension dimension) const override;
  std::optional<Quaternion> quaternion(std::string_view key) const;
  /// Also reads a single point as a list of one.
  std::optional<std::vector<std::vector<double>>> rows(std::string_view key) const;
  std::optional<std::vector<Vec3>> points(std::string_view key, Dimension dimension) const;
  bool is_single_point(std::string_view key) const;
  std::optional<Mat3> inertia(std::string_view key) const;
  std::optional<std::array<Expression, 3>> formulas(std::string_view key,
                                                    Dimension dimension) const;
  bool is_list(std::string_view key) const;
  std::optional<std::vector<double>> numbers(std::string_view key) const override;
  std::optional<std::vector<Eigen::Vector2d>> pairs(std::string_view key) const override;
  std::optional<std::vector<std::string>> texts(std::string_view key) const override;
  /// Place of one entry of a list.
  Place entry_place(std::string_view key, std::size_t index) const;

  std::optional<TomlTable> table(std::string_view key) const;
  /// Also reads a single table as a list of one.
  std::vector<TomlTable> tables(std::string_view key) const;
  std::unique_ptr<KeyTable> nested(std::string_view key) const override {
    const std::optional<TomlTable> inner = table(key);
    return inner ? std::make_unique<TomlTable>(*inner) : nullptr;
  }
  std::vector<std::unique_ptr<KeyTable>> nested_list(std::string_view key) const override {
    std::vector<std::unique_ptr<KeyTable>> list;
    for (const TomlTable& inner : tables(key)) list.push_back(std::make_unique<TomlTable>(inner));
    return list;
  }

 private:
  void find_kind();
  void check_keys();
  void add(const toml::source_region& source, std::string message) const;
  const toml::node* usable(std::string_view key) const;
  std::optional<Vec3> vector_of(std::string_view key, const toml::array& value,
                                Dimension dimension) const;
  bool check_dimension(std::string_view key, const toml::array& value, Dimension dimension) const;

  const toml::table* table_;
  const TableDescription* description_;
  std::vector<Mistake>* mistakes_;
  const FormulaTables* formula_tables_;
  std::string kind_;
  bool kind_is_known_ = true;
  std::set<std::string, std::less<>> unusable_;
};

/// Unit vector along v, which must not be zero; safe for lengths whose square leaves the range of
/// numbers.
Vec3 unit(const Vec3& v);

}  // namespace clatter
