// Converts one layout of registers and lanes to another.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "answers/tile/tile_options.h"
#include "heddle/plan/conversion.h"

namespace heddle::answers {

/// A tile's present layout (`from`), and the layout that the tile shall get (`to`).
struct ConvertQuestion : TileOptions {
  std::string from, to;
  std::string format = "text";
  std::string code;  // a language of code_languages, for functions to paste instead of the plan
};

/// The question as it was understood, and the plan.
struct ConvertView {
  memory::BankModel model;
  int element_bits = 16;
  LayoutArgument from, to;
  layout::LinearLayout from_map, to_map;
  plan::Conversion conversion;
};

/// Finds the view that the question asks for. Error: a sentence about the mistake in the question.
std::expected<ConvertView, std::string> convert_view(const ConvertQuestion& question);

/// Answers the question, in the format that it asks for. Error: a sentence about the mistake in the
/// question.
std::expected<std::string, std::string> convert(const ConvertQuestion& question);

}  // namespace heddle::answers
