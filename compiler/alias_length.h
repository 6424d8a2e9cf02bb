// Finds aliases of attributes and types whose text is short only because aliases contain other
// aliases: a few lines can stand for gigabytes once they are printed in full.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace heddle::compiler {

/// The position in an MLIR text of the first alias whose definition has more than `most` characters
/// after the aliases in it are replaced by their definitions. The text need not be valid: no parser
/// has checked it.
std::optional<std::size_t> alias_longer_than(std::string_view text, std::size_t most);

}  // namespace heddle::compiler
