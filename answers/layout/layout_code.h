// A layout as source code to paste: functions of integers, which compute the same in each language.
//
//   a layout of registers    element(reg, lane, warp, block) -> the coordinates in the tile
//   a layout of memory       offset(dim0, dim1) -> the element's place, padding included
//   a function of CuTe's     offset(mode0, mode1) -> its index
#pragma once

#include <array>
#include <expected>
#include <string>
#include <string_view>

#include "answers/layout/layout_view.h"

namespace heddle::answers {

/// The languages, as an option names them.
inline constexpr std::array<std::string_view, 5> code_languages{"c", "cuda", "hip", "python",
                                                                "mlir"};

/// The code of the layout in `language`, which must be one of code_languages. C, CUDA and HIP get a
/// function for each coordinate. Python gets one function that returns a tuple; its arguments may
/// also be arrays of NumPy. MLIR gets one function of i32 or i64 in the dialects func and arith.
/// Numbers have 32 bits if all of them fit, otherwise 64. Error: the layout is a map whose inputs
/// or outputs have more than 62 bits together.
std::expected<std::string, std::string> layout_code(const LayoutView& view,
                                                    std::string_view language);

/// The code of a map. C, CUDA and HIP get a function of the inputs for each output, called
/// NAME_OUTPUT, or NAME if the map has a single output. Python and MLIR get one function for all
/// outputs. `says` is a sentence that explains the function to whoever reads the code. Error and
/// precondition as for layout_code.
std::expected<std::string, std::string> map_code(const layout::LinearLayout& map,
                                                 std::string_view name, std::string_view says,
                                                 std::string_view language);

/// The code of layout_code as an answer: its text or, for `format` "json", an object with the code
/// and its subject. Errors: those of layout_code, and any other format.
std::expected<std::string, std::string> code_answer(const LayoutView& view,
                                                    std::string_view language,
                                                    std::string_view format);

}  // namespace heddle::answers
