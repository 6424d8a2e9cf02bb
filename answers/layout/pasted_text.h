// Extracts a layout from text that was copied out of a program or a log:
//
//   sA_layout: Sw<3,3,3> o 0 o (8,64):(64,1)         a name and a colon, as people print it
//   layout: gl.constexpr = gl.BlockedLayout(…)       an assignment of Python's
//   constexpr auto d = make_layout(…);               an assignment of C++'s, with a semicolon
//   #layout = #iree_vector_ext.layout<…>             MLIR's; lines of Triton's stay as they are
//   "(8,64):(64,1)"                                  quotes
//   // (8,64):(64,1)                                 a comment
#pragma once

#include <string>
#include <string_view>

namespace heddle::answers {

/// The text without blanks and line ends at both ends.
std::string_view trimmed(std::string_view text);

/// The layout without the text around it. If none of the texts above is around the layout, the
/// whole text.
std::string as_layout_text(std::string_view text);

}  // namespace heddle::answers
