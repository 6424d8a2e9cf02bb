// What a layout is, in words and drawn.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "answers/layout/layout_view.h"

namespace heddle::answers {

/// Which layout, and how it is drawn.
struct LayoutQuestion : LayoutArguments {
  std::string view = "table";
  std::string format = "text";
  std::string colour = "auto";
  std::string code;               // in which language (layout_code.h); empty: words
  std::optional<std::string> at;  // conditions (layout_points.h); nothing: the whole layout
  bool all = false;
};

/// The answer in the format that the question names, or a sentence on what is wrong with it.
std::expected<std::string, std::string> layout(const LayoutQuestion& question);

}  // namespace heddle::answers
