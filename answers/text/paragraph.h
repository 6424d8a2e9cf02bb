// Text in columns: a label on the left, wrapped words on the right.
#pragma once

#include <string>
#include <string_view>

namespace heddle::answers {

/// The width of the terminal on standard output, at most 100; 100 if it is no terminal.
int output_width();

/// The width of the terminal on standard output; 0 if it is no terminal.
int terminal_width();

/// The width to which tables are printed; the columns beyond it follow below. It is the width of
/// the terminal, or 100 if standard output is no terminal.
int table_width();

/// `label` in the first `indent` columns, then `words` wrapped at spaces to `width` columns.
/// Further lines have the same indent. A word longer than a line gets its own line. Ends in a
/// newline.
std::string paragraph(std::string_view label, std::string_view words, int indent, int width);

}  // namespace heddle::answers
