#include <clatter_version.hpp>
#include <cstdlib>
#include <iostream>

int main() {
  std::cout << "built against clatter " << clatter::version << '\n';
  return clatter::version.empty() ? EXIT_FAILURE : EXIT_SUCCESS;
}
