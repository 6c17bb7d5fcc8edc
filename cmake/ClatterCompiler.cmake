# Compiler settings: warnings for our own targets, sanitizers, and faster tools where they exist.

include(CheckLinkerFlag)

# ccache and mold only save time; nothing depends on them. The settings let ccache serve sources with precompiled headers, and
# all clones alike.
find_program(CLATTER_CCACHE ccache)
mark_as_advanced(CLATTER_CCACHE)
if(CLATTER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CLATTER_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
check_linker_flag(CXX -fuse-ld=mold CLATTER_HAVE_MOLD)
if(CLATTER_HAVE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

if(CLATTER_SANITIZE)
  add_compile_options(-fsanitize=${CLATTER_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CLATTER_SANITIZE})
endif()

# Bounds checks of the standard library wherever speed is not the point.
add_compile_definitions($<$<NOT:$<CONFIG:Release>>:_GLIBCXX_ASSERTIONS>)

# Third-party headers are system headers and stay silent.
function(clatter_set_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                           -Woverloaded-virtual)
  if(CLATTER_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      # These come from flow analysis after inlining and misfire on Eigen's fixed-size types and, in
      # version 12, on sums of strings.
      target_compile_options(${target} PRIVATE
        -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow
        -Wno-error=stringop-overread -Wno-error=restrict)
    endif()
  endif()
endfunction()

# Headers that nearly every source includes are read once, and about `batch` sources of a layer are compiled together
# (0: each alone): most of the time goes into the same templates over and over. Which ones follows from their names, so that
# a new source leaves the others where they are.
option(CLATTER_JOIN_SOURCES "Compile several sources together; off: each alone, for small changes" ON)
function(clatter_compile_quickly target batch)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <functional> <map> <memory> <optional>
    <span> <string> <variant> <vector> <Eigen/Dense> <fmt/format.h> ${ARGN})
  if(NOT CLATTER_JOIN_SOURCES OR batch EQUAL 0)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    string(REGEX REPLACE "^[^/]*/([^/]*)/.*" "\\1" layer ${path})
    string(REGEX REPLACE "/.*" "" layer ${layer})  # app/main.cpp: app
    list(APPEND layers ${layer})
    list(APPEND sources_of_${layer} ${source})
  endforeach()
  list(REMOVE_DUPLICATES layers)
  foreach(layer IN LISTS layers)
    list(LENGTH sources_of_${layer} count)
    math(EXPR groups "(${count} + ${batch} - 1) / ${batch}")
    foreach(source IN LISTS sources_of_${layer})
      cmake_path(GET source STEM name)
      string(MD5 hash ${name})
      string(SUBSTRING ${hash} 0 6 hash)
      math(EXPR group "0x${hash} % ${groups}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${layer}_${group}")
    endforeach()
  endforeach()
endfunction()
