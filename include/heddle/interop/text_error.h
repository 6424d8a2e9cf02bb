// The error of every reader of layout text.
//
//     {column 12, "expected ',' or ']' in the sizes, found '4'"}
//
// The code that prints it adds the text and a caret under the column.
#pragma once

#include <cstddef>
#include <string>

namespace heddle::interop {

/// Why a text is no layout, and where.
struct TextError {
  std::size_t column = 1;  // of the text, counted from 1; one past its end when it stops too early
  std::string message;     // what was expected there and what stands there, without the column

  friend bool operator==(const TextError&, const TextError&) = default;
};

}  // namespace heddle::interop
