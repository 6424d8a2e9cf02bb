// A file that overrides decisions of a tile plan, as JSON:
//
//   {"block": [128, 256, 64], "warps": [2, 4], "stages": 3, "group": 8, "split_k": 1,
//    "blocks": 132}
//
// Every field may be left out, and the k of a block; the planner then decides. Kernels of wgmma
// have "consumers" and "cluster": [2, 1] instead of warps. `heddle compile --emit plan --format
// json` prints the same names, so its output can be cut down, changed and read again. It also
// prints other names, which follow from these or are no decision; they are ignored.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/plan/product_plan.h"

namespace heddle::compiler {

using plan::PlanFields;

/// A field that a plan file has, and its place, "p.json:1:2".
struct PlanPlace {
  std::string field, place;
};

struct PlanFile {
  PlanFields fields;
  std::vector<PlanPlace> places;  // in the file's order
};

/// Reads the text of a plan file, called `file_name` in messages. Numbers must be from 1 to 65536.
/// Error: `file:line:column: error: what was found; accepted: what is`, ending in a newline.
std::expected<PlanFile, std::string> read_plan_file(std::string_view text,
                                                    std::string_view file_name);

/// The text of which read_plan_file makes `fields`. Decisions of which a number is 0 are left out.
std::string plan_file_text(const PlanFields& fields);

/// `fields` without the one of that name, as if the file did not have it.
PlanFields without(PlanFields fields, std::string_view name);

}  // namespace heddle::compiler
