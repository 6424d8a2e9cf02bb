// A layout in the words of other dialects, or as code.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "answers/layout/layout_view.h"

namespace heddle::answers {

/// The layout, and the dialect or language (layout_code.h) to write it in.
struct TranslateQuestion : LayoutArguments {
  std::string dialect;
  std::string format = "text";
};

/// The answer in the requested format, or a sentence about the mistake in the question.
std::expected<std::string, std::string> translate(const TranslateQuestion& question);

/// A note on a text that is printed alone so that it can be copied: the layout may mean something
/// else with --shape, or the text leaves the tile open. Empty if there is nothing to say, for other
/// formats, and for --to all, whose lines have the note.
std::string note_on_translation(const TranslateQuestion& question);

}  // namespace heddle::answers
