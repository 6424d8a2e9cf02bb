# The two targets that other projects use, and what find_package(heddle) reads:
#
#   heddle::headers   include/heddle, for any compiler of C++20
#   heddle::heddle    the same with libheddle.a (readers of text, planners), for C++23
#
# In Heddle's own build they are also the names of its targets, so that a project that takes Heddle by
# add_subdirectory writes the same.
include(CMakePackageConfigHelpers)
foreach(target headers library)
  string(REPLACE library heddle name ${target})
  add_library(heddle::${name} ALIAS heddle_${target})
  set_target_properties(heddle_${target} PROPERTIES EXPORT_NAME ${name})
endforeach()

# `cmake --install build --component library` installs these alone.
install(TARGETS heddle_headers heddle_library EXPORT heddle
        ARCHIVE DESTINATION lib COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/heddle DESTINATION include COMPONENT library)
install(EXPORT heddle NAMESPACE heddle:: FILE heddle-config.cmake
        DESTINATION lib/cmake/heddle COMPONENT library)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heddle-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heddle-config-version.cmake
        DESTINATION lib/cmake/heddle COMPONENT library)
