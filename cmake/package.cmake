# What other projects use of Heddle, by find_package(heddle): the targets that heddle-config.cmake.in
# lists. In Heddle's own build these are also names of its targets, so that a project that takes
# Heddle by add_subdirectory writes the same.
include(CMakePackageConfigHelpers)

# heddle_export(SET COMPONENT TARGET=NAME …): names each target heddle::NAME, and installs it as that
# in an export set.
function(heddle_export set component)
  set(targets)
  foreach(pair ${ARGN})
    string(REPLACE "=" ";" pair ${pair})
    list(POP_FRONT pair target name)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      add_executable(heddle::${name} ALIAS ${target})
    else()
      add_library(heddle::${name} ALIAS ${target})
    endif()
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    list(APPEND targets ${target})
  endforeach()
  if(NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  set(all)
  if(component STREQUAL toolchain)
    set(all EXCLUDE_FROM_ALL)
  endif()
  install(TARGETS ${targets} EXPORT ${set}
          ARCHIVE DESTINATION lib COMPONENT ${component} ${all}
          LIBRARY DESTINATION lib COMPONENT ${component} ${all}
          RUNTIME DESTINATION bin COMPONENT ${component} ${all})
  install(EXPORT ${set} NAMESPACE heddle:: FILE ${set}.cmake DESTINATION lib/cmake/heddle
          COMPONENT ${component} ${all})
endfunction()

# `cmake --install build --component library` installs these alone, and nothing that needs LLVM.
heddle_export(heddle-targets library heddle_headers=headers heddle_library=heddle)
if(NOT PROJECT_IS_TOP_LEVEL)
  return()  # the project around this one installs what it likes
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/heddle DESTINATION include COMPONENT library)
configure_file(${CMAKE_CURRENT_LIST_DIR}/heddle-config.cmake.in
  ${PROJECT_BINARY_DIR}/heddle-config.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heddle-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heddle-config.cmake
              ${PROJECT_BINARY_DIR}/heddle-config-version.cmake
        DESTINATION lib/cmake/heddle COMPONENT library)

# The emulator, the compiler, its passes as heddle-opt and as a plugin, and the headers of their folders:
# 20 MB that only `--component toolchain` installs.
if(HEDDLE_TOOLCHAIN)
  foreach(target files runtime emulator device plans compiler)
    set_target_properties(heddle_${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
      "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>;$<INSTALL_INTERFACE:include/heddle-toolchain>")
  endforeach()
  # The passes alone are for files that include MLIR: with libstdc++ 12 these have to be C++20, and so
  # nothing of heddle::compiler but its code comes with them (compiler/CMakeLists.txt).
  add_library(heddle_passes_alone INTERFACE)
  target_include_directories(heddle_passes_alone INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
    $<INSTALL_INTERFACE:include/heddle-toolchain>)
  target_link_libraries(heddle_passes_alone INTERFACE
    heddle_catalogue heddle_mlir $<LINK_ONLY:heddle_compiler>)
  heddle_export(heddle-toolchain toolchain heddle_catalogue=catalogue
    heddle_device=emulator heddle_plans=plans heddle_compiler=compiler
    heddle_files=files heddle_runtime=runtime heddle_emulator=machines heddle_llvm=llvm
    heddle_mlir=mlir heddle_passes_alone=passes heddle-opt=heddle-opt heddle_passes=plugin)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/compiler DESTINATION include/heddle-toolchain
          COMPONENT toolchain EXCLUDE_FROM_ALL FILES_MATCHING PATTERN *.h.inc)
  foreach(folder emulator runtime compiler library)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION include/heddle-toolchain
            COMPONENT toolchain EXCLUDE_FROM_ALL FILES_MATCHING PATTERN *.h PATTERN hip_without_rocm EXCLUDE PATTERN cuda_without_sdk EXCLUDE)
  endforeach()
endif()

# What messages and manual pages name, docs/run.md and examples/matmul.mlir: the folders of the source
# with their names, below share/doc/heddle. The documents link to bench/records.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
        DESTINATION share/doc/heddle COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/records DESTINATION share/doc/heddle/bench
        COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION share/doc/heddle COMPONENT program)

# Whose the packages are: Heddle's licence, and the notices of what is compiled or linked into them, as
# the Debian packages that it comes from have them.
set(copyright ${PROJECT_BINARY_DIR}/copyright)
file(READ ${PROJECT_SOURCE_DIR}/LICENSE license)
set(notices "Heddle, by its authors, under the Apache License 2.0, which stands at the end.\n")
foreach(package libcli11-dev libfmt-dev zlib1g-dev libzstd-dev libstdc++-12-dev llvm-22-dev
        libc++-22-dev-wasm32 wasi-libc)
  if(EXISTS /usr/share/doc/${package}/copyright)
    file(READ /usr/share/doc/${package}/copyright notice)
    string(APPEND notices "\n== Parts of it are of Debian's package ${package}:\n\n${notice}")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${copyright} CONTENT "@notices@\n== Heddle's licence:\n@license@" @ONLY)
install(FILES ${copyright} DESTINATION share/doc/heddle COMPONENT program)
install(FILES ${copyright} DESTINATION share/doc/heddle-dev COMPONENT toolchain EXCLUDE_FROM_ALL)

# The Debian packages that `./dev package` makes: heddle has the program, the headers and libheddle.a;
# heddle-dev has the rest that find_package knows, which needs LLVM's and MLIR's own development files.
if(HEDDLE_TOOLCHAIN AND NOT HEDDLE_SANITIZE)
  add_custom_target(heddle_installed DEPENDS heddle heddle_compile heddle_run heddle_pages heddle_library
    heddle_compiler heddle_device heddle-opt heddle_passes)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME heddle)
  set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
  set(CPACK_PACKAGE_CONTACT "the authors of Heddle <heddle@localhost>")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_COMPONENTS_ALL program library toolchain)
  set(CPACK_COMPONENT_PROGRAM_GROUP heddle)
  set(CPACK_COMPONENT_LIBRARY_GROUP heddle)
  set(CPACK_COMPONENT_TOOLCHAIN_GROUP dev)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
  set(CPACK_DEBIAN_HEDDLE_PACKAGE_NAME heddle)
  set(CPACK_DEBIAN_HEDDLE_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_HEDDLE_DESCRIPTION
    "Which lane and register of a wave holds which element of a matrix tile, bank
conflicts of shared memory, translations between the layouts of Triton, CuTe,
IREE, TileLang and others, a compiler of MLIR matmuls for AMD and NVIDIA, and
an emulator that runs and checks kernels without a GPU. With the C++ headers
and libheddle.a.")
  # dpkg-shlibdeps finds the packages of the libraries that are linked, which takes it 10 seconds. LLVM's
  # it finds in one run and not in the next: the library's name below /usr/lib/llvm-22 is a link that
  # another package owns.
  set(CPACK_DEBIAN_HEDDLE_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_HEDDLE_PACKAGE_DEPENDS libllvm22)
  # It compiles the kernels that `heddle run` is given as source.
  set(CPACK_DEBIAN_HEDDLE_PACKAGE_RECOMMENDS clang-22)
  set(CPACK_DEBIAN_DEV_PACKAGE_NAME heddle-dev)
  set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_DEV_DESCRIPTION
    "The compiler, the MLIR passes and the emulator for other programs: static
libraries and headers for find_package(heddle COMPONENTS emulator compiler),
heddle-opt, and the passes as a plugin of mlir-opt-22.")
  set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "heddle (= ${PROJECT_VERSION}), llvm-22-dev, libmlir-22-dev, mlir-22-tools, liblld-22-dev, \
libfmt-dev, zlib1g-dev, libzstd-dev")
  include(CPack)
  cpack_add_component_group(heddle)
  cpack_add_component_group(dev)
endif()
