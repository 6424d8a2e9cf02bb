// read_file and write_file of runtime/files/files.h for programs in C++20, which lacks
// std::expected.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::runtime {

/// Reads a file that the user named into `text`, at most `most_bytes`, as read_file does. Returns
/// the reason for a failure; empty on success.
std::string why_not_read(const std::string& path, std::size_t most_bytes, std::string& text);

/// Writes the file whole or not at all, as write_file does. Returns the reason for a failure; empty
/// on success.
std::string why_not_written(const std::string& path, std::string_view bytes);

}  // namespace heddle::runtime
