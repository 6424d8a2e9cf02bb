// Tables: lines of cells as columns for people, CSV and Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::answers {

/// Lines of cells; the first line is the heading. All lines have the same number of cells.
using Cells = std::vector<std::vector<std::string>>;

/// The length of the lines of columns_of.
std::size_t length_of(const Cells& cells, std::size_t width);

/// The table as text. A column is as wide as its widest cell; numbers are aligned to the right.
/// Lines have at most `width` characters if the columns allow it. If the names in the first column
/// take half of `width` or more, each of them gets a line to itself.
std::string columns_of(const Cells& cells, std::size_t width);

/// The width of the terminal; 80 if there is none.
std::size_t text_width();

/// Precondition: no cell has quotes.
std::string csv_of(const Cells& cells);
std::string markdown_of(const Cells& cells);

}  // namespace heddle::answers
