// A conversion as code to paste: the source of each register's element and, for a GPU, the function
// that moves the elements.
//
//   source_reg(reg, lane, warp), source_lane, source_warp    in every language
//   convert(source, destination, lane, warp, shared)         in CUDA and HIP, as the plan does it
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "heddle/plan/conversion.h"

namespace heddle::answers {

/// The code of a conversion. `from` and `to` are the layouts for which the conversion was planned,
/// and `element_bits` is the width for which it was planned. The function for a GPU takes elements
/// as unsigned integers of that width (a 4-bit element takes a byte) and, if the plan goes through
/// shared memory, a pointer to shared memory. All threads of the thread block must call it. Error:
/// a coordinate of more than 62 bits. Precondition: `language` is one of code_languages.
std::expected<std::string, std::string> conversion_code(const plan::Conversion& conversion,
                                                        const layout::LinearLayout& from,
                                                        const layout::LinearLayout& to,
                                                        int element_bits,
                                                        std::string_view language);

}  // namespace heddle::answers
