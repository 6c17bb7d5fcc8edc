#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/model/range.hpp>

namespace clatter {

// The one description of the model file: every table, every key, its type, unit, default and
// meaning. The reader takes its checks from it, schema_json() prints it for machines, and a test
// compares docs/model-file.md with it row by row. A new key is one new line in keys/.

enum class ValueType {
  text,
  word,         ///< one of `words`
  flag,         ///< true or false
  integer,      ///< whole number
  number,       ///< whole numbers are accepted as well
  formula,      ///< number or formula in t
  drive,        ///< number or formula in t and quantities of the run
  coefficient,  ///< number, or formula in a speed v
  vector,       ///< [x, y, z], or [x, y] where planar bodies are concerned
  direction,    ///< a vector that is not zero; its length does not matter
  triple,       ///< three numbers, never two
  quaternion,   ///< [w, x, y, z], not zero
  points,       ///< list of vectors
  point_or_points,
  pairs,            ///< list of two or more pairs of numbers
  rows,             ///< two or more rows of two or more numbers, of one length
  inertia,          ///< [Ixx, Iyy, Izz] or three rows of three numbers
  formulas,         ///< a vector whose components are formulas
  torque,           ///< formulas, or one formula for planar bodies
  numbers,          ///< list of numbers
  texts,            ///< list of texts
  table,            ///< { key = value, ... } or [table.key]
  table_or_tables,  ///< the same, or a list of them
  table_one,        ///< [key], at most once in the file
  tables,           ///< [[key]], as often as needed
  parameters,       ///< [key] with names of the user's own
};

struct KeyDescription {
  std::string name;
  std::vector<std::string> kinds;  ///< kinds for which the key has a meaning; empty: all
  ValueType type;
  std::string unit;          ///< empty: none
  std::string default_text;  ///< "required", a TOML value, or what happens when the key is absent
  std::string meaning;       ///< a sentence for the documentation
  Range range = {};
  std::vector<std::string> words = {};
  std::string table = {};  ///< description of a value that is itself a table, or tables

  bool required() const { return default_text == "required"; }
  bool applies_to(std::string_view kind) const;
  /// What the value must be, for messages and for the documentation: "number > 0".
  std::string expected() const;
};

struct TableDescription {
  std::string name;      ///< "body"; the model itself has an empty name
  std::string heading;   ///< as in messages and in the documentation: "[[body]]"
  std::string kind_key;  ///< key that says of which kind the table is; empty: there are no kinds
  std::string noun;      ///< "body", to say "a point body"
  std::vector<KeyDescription> keys;

  /// The row of a key for a kind; nullptr when there is none. With an empty kind, any row will do.
  const KeyDescription* find(std::string_view key, std::string_view kind) const;
  /// All kinds, the default one first; one empty name for a table without kinds.
  std::vector<std::string> kinds() const;
  /// The kind of a table that does not say; empty when it has to say.
  std::string default_kind() const;
};

/// All tables, the model itself first, in the order in which they are documented.
std::span<const TableDescription> model_tables();

const TableDescription& model_table(std::string_view name);

}  // namespace clatter
