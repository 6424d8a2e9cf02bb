// Shows where the operands of an instruction lie in a wave.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// The operands, and the form in which they are drawn.
struct ShowQuestion {
  SelectionArguments selection;
  std::string format = "text";
  std::string colour = "auto";
  std::string code;       // a language of layout_code.h; empty: a table
  std::string highlight;  // conditions, as lane=5, row=3,column=7 or 3,7; empty: everything
};

/// Answers the question, in the format that it asks for. Error: a sentence about the mistake in the
/// question.
std::expected<std::string, std::string> show(const ShowQuestion& question);

}  // namespace heddle::answers
