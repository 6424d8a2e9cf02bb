// Layouts that are computed from other layouts by CuTe's functions:
//
//   composition((4,8):(8,1), 4:2)                    first 4:2, then (4,8):(8,1)
//   complement(4:2, 24)                              the layout that repeats 4:2 until it fills 24
//   right_inverse(L), left_inverse(L)                the R for which L(R(i)) = i, or R(L(i)) = i
//   logical_divide(L, TILER), zipped_divide, tiled_divide, flat_divide
//   logical_product(L, TILER), zipped_product, tiled_product, flat_product
//   blocked_product(L, L), raked_product(L, L)
//   tile_to_shape(L, (128,64)), or with an order as Step<_2,_1>: L may be swizzled
//   coalesce(L), filter(L)
//   local_tile(L, TILER, (0,_))                      the tiles along the modes that are _
//   make_tiled_copy(ATOM, THREADS, VALUES)           who copies what: threads times values
//
// TILER is a layout, a size as 8, _ for a mode that stays whole, or a tuple of tilers: (4:1, _). An
// argument L is a layout in any dialect, or again such an expression. Layouts that are maps over
// bits (Triton's, Heddle's own, operands of instructions) can only be arguments of composition and
// of the inverses, which match the axes of such maps by name.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "answers/layout/layout_argument.h"

namespace heddle::answers {

/// The names of these functions.
std::vector<std::string_view> layout_functions();

/// True if the text is a call of one of the functions that are listed at the top of this file.
bool is_layout_expression(std::string_view text);

/// Computes the expression `text`. Errors name the option `option` and the wrong part of `text`: an
/// argument that is no layout, too few or too many arguments, a result that is no layout, or calls
/// nested more than 16 deep.
std::expected<LayoutArgument, std::string> read_layout_expression(std::string_view option,
                                                                  const std::string& text,
                                                                  const LayoutContext& context);

}  // namespace heddle::answers
