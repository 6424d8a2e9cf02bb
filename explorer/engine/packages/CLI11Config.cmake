include(${CMAKE_CURRENT_LIST_DIR}/headers_of.cmake)
heddle_headers_of(CLI11::CLI11 CLI)
