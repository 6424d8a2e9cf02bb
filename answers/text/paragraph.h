// Text in columns: a label on the left, wrapped words on the right.
#pragma once

#include <string>
#include <string_view>

namespace heddle::answers {

/// Columns of the terminal that standard output is, at most 100; 100 when it is none.
int output_width();

/// Columns of the terminal that standard output is; 0 when it is none.
int terminal_width();

/// The same for tables, which are continued below where they are wider; 100 when it is none.
int table_width();

/// `label` in the first `indent` columns, then `words` wrapped at spaces to `width` columns, every
/// further line indented alike. Words longer than a line stand alone. Ends in a newline.
std::string paragraph(std::string_view label, std::string_view words, int indent, int width);

}  // namespace heddle::answers
