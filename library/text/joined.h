// Joins the values of a range into one text, with a separator between them: joined(names, ", ").
#pragma once

#include <string>
#include <string_view>

#include "library/text/formatted.h"

namespace heddle {

template <class Range>
std::string joined(const Range& values, std::string_view between) {
  std::string text;
  bool is_first = true;
  for (const auto& value : values) {
    if (!is_first) text += between;
    is_first = false;
    formatting::Value(value).append("{}", text);
  }
  return text;
}

}  // namespace heddle
