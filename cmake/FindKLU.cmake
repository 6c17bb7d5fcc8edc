# Finds KLU, the sparse LU factorisation of SuiteSparse, with the parts that it is built on.
# Defines the target KLU::KLU. Only the LGPL and BSD parts of SuiteSparse are linked.

find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(_klu_variables KLU_INCLUDE_DIR)
foreach(_klu_part IN ITEMS klu btf amd colamd suitesparseconfig)
  string(TOUPPER ${_klu_part} _klu_name)
  find_library(KLU_${_klu_name}_LIBRARY ${_klu_part})
  list(APPEND _klu_variables KLU_${_klu_name}_LIBRARY)
endforeach()
mark_as_advanced(${_klu_variables})

if(KLU_INCLUDE_DIR AND EXISTS ${KLU_INCLUDE_DIR}/klu.h)
  file(STRINGS ${KLU_INCLUDE_DIR}/klu.h _klu_lines REGEX "#define KLU_[A-Z]+_VERSION +[0-9]+")
  string(REGEX REPLACE "[^0-9;]" "" _klu_numbers "${_klu_lines}")
  list(JOIN _klu_numbers "." KLU_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS ${_klu_variables} VERSION_VAR KLU_VERSION)

if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU UNKNOWN IMPORTED)
  set_target_properties(KLU::KLU PROPERTIES
    IMPORTED_LOCATION ${KLU_KLU_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${KLU_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES
      "${KLU_BTF_LIBRARY};${KLU_AMD_LIBRARY};${KLU_COLAMD_LIBRARY};${KLU_SUITESPARSECONFIG_LIBRARY}")
endif()
