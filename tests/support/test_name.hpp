#pragma once

#include <cctype>
#include <string>

namespace clatter::testing {

/// A file name as GoogleTest allows names of parameters: letters and digits only.
inline std::string test_name(std::string file) {
  for (char& c : file) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return file;
}

}  // namespace clatter::testing
