#define TOML_IMPLEMENTATION
#include "io/toml.hpp"
