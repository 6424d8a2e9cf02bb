// write_file of runtime/files.h for programs in C++20, which lacks std::expected.
#pragma once

#include <string>
#include <string_view>

namespace heddle::runtime {

/// Writes the file whole or not at all, as write_file says. Why it could not; empty when it could.
std::string why_not_written(const std::string& path, std::string_view bytes);

}  // namespace heddle::runtime
