// A file that overrides decisions of a tile plan, as JSON:
//
//   {"block": [128, 256, 64], "warps": [2, 4], "stages": 3, "group": 8, "split_k": 1,
//    "blocks": 132}
//
// Every field is optional, and so is the third number of "block", its k: the planner decides each
// number that is missing. Kernels of wgmma have "consumers" and "cluster": [2, 1] instead of
// "warps".
//
// `heddle compile --emit plan --format json` prints a plan with the same field names, so its output
// can be shortened, changed and read again. The output also has fields that are no decisions, such
// as facts that follow from the plan. When a plan file is read, these fields are ignored.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/plan/product_plan.h"

namespace heddle::compiler {

using plan::PlanFields;

/// A field that a plan file contains, and its position in the file, such as "p.json:1:2"
/// (file:line:column).
struct PlanPlace {
  std::string field, place;
};

struct PlanFile {
  PlanFields fields;
  std::vector<PlanPlace> places;  // in the file's order
};

/// Reads the text of a plan file, called `file_name` in messages. Numbers must be from 1 to 65536.
/// The error has the form `file:line:column: error: FOUND; accepted: ACCEPTED` and ends in a
/// newline.
std::expected<PlanFile, std::string> read_plan_file(std::string_view text,
                                                    std::string_view file_name);

/// Writes `fields` as the text of a plan file, which read_plan_file can read again. A field of
/// which a number is 0 (not chosen) is left out.
std::string plan_file_text(const PlanFields& fields);

/// A copy of `fields` in which the field called `name` is not set, as if the file did not contain
/// it.
PlanFields without(PlanFields fields, std::string_view name);

}  // namespace heddle::compiler
