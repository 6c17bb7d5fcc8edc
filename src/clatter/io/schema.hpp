#pragma once

#include <string>

#include <clatter/io/model_keys.hpp>

namespace clatter {

/// The model file as a JSON Schema (draft 2020-12), for editors and other programs. It knows keys,
/// types, ranges and kinds; what depends on several places of a file only the reader knows.
std::string schema_json();

/// The rows of a table of the documentation, one line per key, with a heading.
std::string schema_markdown(const TableDescription& table);

}  // namespace clatter
