// Extracts a layout from text that was copied out of a program or a log:
//
//   sA_layout: Sw<3,3,3> o 0 o (8,64):(64,1)         a name and a colon, as people print it
//   layout: gl.constexpr = gl.BlockedLayout(…)       an assignment of Python's
//   constexpr auto d = make_layout(…);               of C++'s, with its semicolon
//   #layout = #iree_vector_ext.layout<…>             of MLIR's; Triton's reader takes its own
//   "(8,64):(64,1)"                                  quotes
//   // (8,64):(64,1)                                 a comment
#pragma once

#include <string>
#include <string_view>

namespace heddle::answers {

/// The text without blanks and line ends at both ends.
std::string_view trimmed(std::string_view text);

/// The layout alone; the whole text if nothing of this kind is around it.
std::string as_layout_text(std::string_view text);

}  // namespace heddle::answers
