// Writes a layout in other dialects, or as code.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "answers/layout/layout_view.h"

namespace heddle::answers {

/// A layout, and the name of the dialect or programming language (layout_code.h) in which it is
/// wanted.
struct TranslateQuestion : LayoutArguments {
  std::string dialect;
  std::string format = "text";
};

/// Answers the question, in the format that it asks for. Error: a sentence about the mistake in the
/// question.
std::expected<std::string, std::string> translate(const TranslateQuestion& question);

/// A translated layout is printed alone, so that it can be copied. This is what to print beside it:
/// that the layout may mean something else with --shape, or that the text does not contain the
/// sizes of the tile. Empty if there is nothing to say, if the format is not text, and for --to
/// all, whose lines contain the note.
std::string note_on_translation(const TranslateQuestion& question);

}  // namespace heddle::answers
