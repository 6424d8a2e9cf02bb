// Reads layouts from the types, calls and attributes in which programs write them:
//
//   memref<64x64xf16, strided<[72, 1]>, 3>                       MLIR's: rows 72 elements apart
//   T.Layout([16, 16], lambda i, j: i * 16 + (j ^ (i % 8)))      TileLang's: where (i, j) lies
//   #iree_codegen.xor_shuffle<128, 16>                           IREE's, with the sizes of a tile:
//                                                                group g of 16 elements of row r of
//                                                                128 lies at g ^ r % 8
//
// Calls of CuTe's are in layout_expression.h.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "answers/layout/layout_argument.h"

namespace heddle::answers {

/// The layout; nothing if the text has no such form. Errors name the option: a part that is not
/// understood, a layout that is not a map over bits, or an incomplete form, with a form that would
/// be accepted.
std::optional<std::expected<LayoutArgument, std::string>> read_written_layout(
    std::string_view option, const std::string& text, const LayoutContext& context);

}  // namespace heddle::answers
