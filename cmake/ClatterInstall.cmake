# cmake --install: the library with its headers and CMake package, the program, examples and docs.

include(CMakePackageConfigHelpers)

set(clatter_include_dir ${CMAKE_INSTALL_INCLUDEDIR}/clatter)
set(clatter_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/clatter)
set(clatter_share_dir ${CMAKE_INSTALL_DATADIR}/clatter)

install(TARGETS clatter RUNTIME)
install(TARGETS clatter_core EXPORT clatter_targets ARCHIVE INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Public headers: <clatter/clatter.hpp> and what it needs.
set(waiting clatter/clatter.hpp)
set(public)
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST public OR NOT EXISTS ${PROJECT_SOURCE_DIR}/src/${header})
    continue()
  endif()
  list(APPEND public ${header})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
  file(STRINGS src/${header} includes REGEX "^#include <clatter/")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include <(.*)>.*" "\\1" needed "${include}")
    list(APPEND waiting ${needed})
  endforeach()
endwhile()
install(FILES ${clatter_generated_dir}/clatter/version.hpp DESTINATION ${clatter_include_dir})

install(EXPORT clatter_targets FILE clatterTargets.cmake NAMESPACE clatter::
  DESTINATION ${clatter_package_dir})
configure_package_config_file(cmake/clatterConfig.cmake.in clatterConfig.cmake
  INSTALL_DESTINATION ${clatter_package_dir})
write_basic_package_version_file(clatterConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/clatterConfig.cmake ${PROJECT_BINARY_DIR}/clatterConfigVersion.cmake
  cmake/FindKLU.cmake DESTINATION ${clatter_package_dir})

foreach(folder IN ITEMS examples docs)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION ${clatter_share_dir})
  endif()
endforeach()
install(FILES LICENSE README.md DESTINATION ${clatter_share_dir})
# The page of view and report, where it is built: ./clatter report does, and npm run build in viewer.
install(FILES build/viewer/page.html DESTINATION ${clatter_share_dir} OPTIONAL)
