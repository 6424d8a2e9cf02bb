// A filter for rows of the catalogue: by a part of the name, processor, type of A or B, and shape.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "heddle/instruction/instruction.h"

namespace heddle::answers {

/// What the user wrote; empty strings select everything.
struct FilterArguments {
  std::string name{};  // parts of a name: wgmma, m16n8k16, "wmma f16"
  std::string target;  // a processor, or "all"
  std::string type;    // a name of this catalogue, of PTX or another: f16, s8, e4m3, tf32
  std::string shape;   // 16x16x16, or m and n alone: 16x16
};

/// The arguments as they were understood.
struct RowFilter {
  std::vector<std::string> words{};  // in small letters; a name must have all of them; none: any
  std::optional<instruction::Target> target{};
  std::uint64_t types = ~std::uint64_t{0};  // bit i: ElementType i
  int m = 0, n = 0, k = 0;                  // 0: any

  bool matches(const instruction::Instruction& row) const;
};

/// Returns the filter that the arguments describe. Error: a sentence about the first argument that
/// is not understood.
std::expected<RowFilter, std::string> read_filter(const FilterArguments& arguments);

}  // namespace heddle::answers
