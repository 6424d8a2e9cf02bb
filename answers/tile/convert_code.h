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

/// `from` and `to` are the layouts of the plan, and `element_bits` is the size that it is made for.
/// The function for a GPU takes elements as unsigned integers of the same size (a 4-bit element
/// takes a byte), and shared memory if the plan goes through it. All threads of the block must call
/// it. Error: a coordinate of more than 62 bits. Precondition: `language` is one of code_languages.
std::expected<std::string, std::string> conversion_code(const plan::Conversion& conversion,
                                                        const layout::LinearLayout& from,
                                                        const layout::LinearLayout& to,
                                                        int element_bits,
                                                        std::string_view language);

}  // namespace heddle::answers
