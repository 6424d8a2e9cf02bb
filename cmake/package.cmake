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
    add_library(heddle::${name} ALIAS ${target})
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
  install(TARGETS ${targets} EXPORT ${set} ARCHIVE DESTINATION lib COMPONENT ${component} ${all})
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

# The emulator, the compiler and the headers of their folders: 20 MB that only `--component toolchain`
# installs.
if(HEDDLE_TOOLCHAIN)
  foreach(target files runtime emulator device compiler)
    set_target_properties(heddle_${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
      "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>;$<INSTALL_INTERFACE:include/heddle-toolchain>")
  endforeach()
  heddle_export(heddle-toolchain toolchain heddle_device=emulator heddle_compiler=compiler
    heddle_files=files heddle_runtime=runtime heddle_emulator=machines heddle_llvm=llvm
    heddle_mlir=mlir)
  foreach(folder emulator runtime compiler)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION include/heddle-toolchain
            COMPONENT toolchain EXCLUDE_FROM_ALL FILES_MATCHING PATTERN *.h PATTERN hip_without_rocm EXCLUDE)
  endforeach()
endif()
