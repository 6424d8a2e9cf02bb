// A file that a user names.
#pragma once

#include <expected>
#include <string>

namespace heddle::answers {

/// The whole file, or a sentence: "cannot read 'x.mlir': No such file or directory". Reads no more
/// than 16 MiB: nothing that a command takes is near that, and a device never ends.
std::expected<std::string, std::string> read_file(const std::string& path);

}  // namespace heddle::answers
