# What the library and the program need. The installed package repeats the library's part of this
# list in clatterConfig.cmake.in; keep the two alike.

find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(KLU REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)
find_package(Qhull 8 REQUIRED)
find_package(assimp 5.2 REQUIRED)
find_package(ZLIB REQUIRED)

find_package(Spectra 1.0 REQUIRED NAMES spectra Spectra)  # to build the library only
find_package(CLI11 2.1 REQUIRED)  # the program only
