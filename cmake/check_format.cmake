# cmake [-D CLANG_FORMAT=program] [-D FIX=ON] -P cmake/check_format.cmake
# Fails when a tracked C++ file is not formatted as .clang-format says; with FIX=ON formats it.

if(NOT CLANG_FORMAT)
  find_program(CLANG_FORMAT NAMES clang-format-14 clang-format REQUIRED)
endif()
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH source_dir)

execute_process(COMMAND git ls-files --cached --others --exclude-standard "*.cpp" "*.hpp"
  WORKING_DIRECTORY ${source_dir} RESULT_VARIABLE status OUTPUT_VARIABLE files ERROR_QUIET)
if(status EQUAL 0)
  string(REGEX REPLACE "\n" ";" files "${files}")
else()  # a source archive without git
  file(GLOB_RECURSE files RELATIVE ${source_dir}
    ${source_dir}/src/*.[ch]pp ${source_dir}/tests/*.[ch]pp ${source_dir}/benchmarks/*.[ch]pp)
endif()

set(present)
foreach(file IN LISTS files)
  if(file AND EXISTS ${source_dir}/${file})
    list(APPEND present ${file})
  endif()
endforeach()
list(LENGTH present count)
if(count EQUAL 0)
  message(FATAL_ERROR "no C++ files found below ${source_dir}")
endif()

if(FIX)
  set(mode -i)
else()
  set(mode --dry-run -Werror)
endif()
execute_process(COMMAND ${CLANG_FORMAT} ${mode} ${present}
  WORKING_DIRECTORY ${source_dir} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "Not formatted; this repairs it: cmake -D FIX=ON -P cmake/check_format.cmake")
endif()
message(STATUS "${count} files are well formatted")
