// A file that a user names.
#pragma once

#include <expected>
#include <string>

namespace heddle::answers {

/// The whole file, `-` for standard input, or a sentence: "cannot read 'x.mlir': No such file or directory". Reads at most
/// 16 MiB, because no command needs nearly as much, and a device never ends.
std::expected<std::string, std::string> read_file(const std::string& path);

}  // namespace heddle::answers
