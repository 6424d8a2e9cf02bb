// Describes a layout in words, or draws it.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "answers/layout/layout_view.h"

namespace heddle::answers {

/// The layout, and the form of the answer.
struct LayoutQuestion : LayoutArguments {
  std::string view = "table";
  std::string format = "text";
  std::string colour = "auto";
  std::string code;               // a language of layout_code.h; empty: words
  std::optional<std::string> at;  // conditions (layout_points.h); nothing: the whole layout
  bool all = false;
};

/// Answers the question, in the format that it asks for. Error: a sentence about the mistake in the
/// question.
std::expected<std::string, std::string> layout(const LayoutQuestion& question);

}  // namespace heddle::answers
