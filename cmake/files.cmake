# Files and text from outside: what every program reads, writes and prints goes through these.
add_library(heddle_files STATIC
  ${PROJECT_SOURCE_DIR}/runtime/files/printable.cpp ${PROJECT_SOURCE_DIR}/runtime/files/read_file.cpp)
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL wasm32)
  target_sources(heddle_files PRIVATE ${PROJECT_SOURCE_DIR}/runtime/files/files.cpp)
endif()
target_include_directories(heddle_files PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(heddle_files PUBLIC heddle_catalogue)
