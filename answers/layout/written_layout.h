// Reads layouts from the types, calls and attributes in which programs write them:
//
//   memref<64x64xf16, strided<[72, 1]>, 3>                       MLIR's: rows 72 elements apart
//   T.Layout([16, 16], lambda i, j: i * 16 + (j ^ (i % 8)))      TileLang's: where (i, j) lies
//   #iree_codegen.xor_shuffle<128, 16>                           IREE's: row r has 128 elements in
//                                                                groups of 16; group g lies at
//                                                                place g ^ (r % 8) of the row
//
// The last of these needs the sizes of a tile besides. Calls of CuTe's are in layout_expression.h.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "answers/layout/layout_argument.h"

namespace heddle::answers {

/// Reads a layout in one of the three forms above; null if the text has none of these forms.
/// Errors, which name `option`: a part of the text that is not understood; a layout that is not a
/// map over bits; an incomplete text, with what would be accepted instead.
std::optional<std::expected<LayoutArgument, std::string>> read_written_layout(
    std::string_view option, const std::string& text, const LayoutContext& context);

}  // namespace heddle::answers
