// A piece of text with a mark under the column that an error is about.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::answers {

/// Two lines, each indented by two columns: `text`, and a ^ under its byte number `column`, counted
/// from 1. A column one past the end means that something is missing there. Tabs and line ends
/// become spaces. If the text is longer than `width` columns, only the part around the mark is
/// shown, with … for the rest. Ends in a newline.
std::string marked_text(std::string_view text, std::size_t column, std::size_t width = 80);

/// Messages in lines, with the marked line of `text` after each that begins with
/// "FILE:LINE:COLUMN: error: ". Lines that the text does not have are not shown.
std::string with_marks(std::string_view messages, std::string_view file, std::string_view text);

}  // namespace heddle::answers
