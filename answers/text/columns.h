// Tables: lines of cells as columns for people, CSV and Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::answers {

/// Lines of cells, of which the first is the heading. All have as many cells.
using Cells = std::vector<std::vector<std::string>>;

/// How long the lines of columns_of get.
std::size_t length_of(const Cells& cells, std::size_t width);

/// Columns as wide as their widest cell; those of numbers to the right. Lines have at most `width`
/// characters where the columns allow it; long names stand on lines of their own.
std::string columns_of(const Cells& cells, std::size_t width);

/// Columns of the terminal; 80 where there is none.
std::size_t text_width();

/// Precondition: no cell has quotes.
std::string csv_of(const Cells& cells);
std::string markdown_of(const Cells& cells);

}  // namespace heddle::answers
