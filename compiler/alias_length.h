// Aliases of attributes and types that write in a few lines what takes gigabytes to print.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace heddle::compiler {

/// Where the first alias of an MLIR text begins whose definition, with the aliases in it written
/// out, has more than `most` characters. Definitions as the text has them: no parser has seen it.
std::optional<std::size_t> alias_longer_than(std::string_view text, std::size_t most);

}  // namespace heddle::compiler
