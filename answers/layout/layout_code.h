// A layout as code to paste: functions of integers, which are the same in each language.
//
//   who holds a tile         element(reg, lane, warp, block) -> the coordinates in the tile
//   where a tile lies        offset(dim0, dim1) -> the element's place, padding counted
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

/// The code. C, CUDA and HIP have a function for each coordinate; Python has one that returns a
/// tuple and takes arrays of NumPy too; MLIR has one of i32 or i64, in the dialects func and arith.
/// Numbers have 32 bits if they fit, else 64. Error: numbers of more bits than 64. Precondition:
/// `language` is one of code_languages.
std::expected<std::string, std::string> layout_code(const LayoutView& view,
                                                    std::string_view language);

/// The code of a map: a function of its inputs for each output, called NAME_OUTPUT, or NAME if
/// there is one output; in Python and MLIR one function for all. `says` is a sentence for the
/// reader. Error and precondition: as above.
std::expected<std::string, std::string> map_code(const layout::LinearLayout& map,
                                                 std::string_view name, std::string_view says,
                                                 std::string_view language);

/// The same as an answer: the text, or for `format` "json" an object with the code and its subject.
/// Another format is an error too.
std::expected<std::string, std::string> code_answer(const LayoutView& view,
                                                    std::string_view language,
                                                    std::string_view format);

}  // namespace heddle::answers
