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

/// As an option is written.
inline constexpr std::array<std::string_view, 5> code_languages{"c", "cuda", "hip", "python",
                                                                "mlir"};

/// The code. C, CUDA and HIP have a function for each coordinate; Python has one that returns a
/// tuple and takes arrays of NumPy too; MLIR has one of i32 or i64, in the dialects func and arith.
/// Numbers have 32 bits where they fit, and 64 where they do not. Error: numbers of more bits than
/// 64. Precondition: `language` is one of code_languages.
std::expected<std::string, std::string> layout_code(const LayoutView& view,
                                                    std::string_view language);

/// A function of a map's inputs for each of its outputs, called NAME_OUTPUT (NAME where there is
/// one); in Python and MLIR one function of all. `says` is a sentence for the reader. Error and
/// precondition: as above.
std::expected<std::string, std::string> map_code(const layout::LinearLayout& map,
                                                 std::string_view name, std::string_view says,
                                                 std::string_view language);

/// The same as an answer: the text, or with `format` "json" an object of what it is of and the
/// code. Error: another format, too.
std::expected<std::string, std::string> code_answer(const LayoutView& view,
                                                    std::string_view language,
                                                    std::string_view format);

}  // namespace heddle::answers
