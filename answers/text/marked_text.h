// A piece of text with a mark under the column that an error is about.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::answers {

/// Two lines, each indented by two columns: `text`, and below it a ^ under byte number `column` of
/// `text`, counted from 1. If `column` is one past the end, something is missing at the end. Tabs
/// and line ends become spaces. If `text` is longer than `width` columns, only the part around the
/// mark is shown, with … for what is left out. The result ends in a newline.
std::string marked_text(std::string_view text, std::size_t column, std::size_t width = 80);

/// The lines of `messages`. A line that begins with "FILE:LINE:COLUMN: error: ", where FILE is
/// `file`, is followed by line LINE of `text` with a mark under the column, if `text` has so many
/// lines.
std::string with_marks(std::string_view messages, std::string_view file, std::string_view text);

}  // namespace heddle::answers
