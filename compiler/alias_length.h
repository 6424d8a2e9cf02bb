// Aliases of attributes and types that write in a few lines what takes gigabytes to print.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace heddle::compiler {

/// The position of the first alias of an MLIR text whose definition has more than `most` characters
/// once the aliases in it are written out. The text need not be valid: no parser has checked it.
std::optional<std::size_t> alias_longer_than(std::string_view text, std::size_t most);

}  // namespace heddle::compiler
