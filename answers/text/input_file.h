// A file that a user names.
#pragma once

#include <expected>
#include <string>

namespace heddle::answers {

/// Returns the whole file, or standard input for `-`. Error: a sentence such as "cannot read
/// 'x.mlir': No such file or directory". Reads at most 16 MiB: no command needs nearly as much, and
/// a device file never ends.
std::expected<std::string, std::string> read_file(const std::string& path);

}  // namespace heddle::answers
