#pragma once

// toml++ compiled once, in toml.cpp: include this header, never <toml++/toml.h>, so that all files
// agree on the options.
#define TOML_HEADER_ONLY 0
#define TOML_ENABLE_FORMATTERS 0
// The deepest value of a model file is a point in an outline in a face: four levels.
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>
