// A layout in the words of other dialects, or as code.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "answers/layout/layout_view.h"

namespace heddle::answers {

/// Which layout, and in which dialect or language (layout_code.h).
struct TranslateQuestion : LayoutArguments {
  std::string dialect;
  std::string format = "text";
};

/// The answer in the format that the question names, or a sentence on what is wrong with it.
std::expected<std::string, std::string> translate(const TranslateQuestion& question);

}  // namespace heddle::answers
