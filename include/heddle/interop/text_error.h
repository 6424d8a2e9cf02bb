// What every reader of layout text says when it cannot go on.
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
