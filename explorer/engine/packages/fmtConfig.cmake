include(${CMAKE_CURRENT_LIST_DIR}/headers_of.cmake)
heddle_headers_of(fmt::fmt fmt)
set_target_properties(fmt::fmt PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY)
