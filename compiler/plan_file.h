// A file that overrides decisions of a tile plan, as JSON:
//
//   {"block": [128, 256, 64], "warps": [2, 4], "stages": 3, "group": 8, "split_k": 1,
//    "blocks": 132}
//
// Every field may be left out; the planner then decides. `heddle compile --emit plan --format json`
// prints the same names, so that its output can be cut down, changed and given back: fields that it
// prints beside these are ignored.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace heddle::compiler {

/// What a plan file asks for; 0: nothing.
struct PlanFields {
  int block_m = 0, block_n = 0, block_k = 0;  // elements
  int warps_m = 0, warps_n = 0;
  int stages = 0;   // tiles of A and B in shared memory
  int group = 0;    // rows of blocks that run side by side
  int split_k = 0;  // blocks that share the k of one tile of D
  int blocks = 0;   // of a matrix of the batch; each computes one tile of D or several
  friend bool operator==(const PlanFields&, const PlanFields&) = default;
};

/// Reads the text of a plan file, called `file_name` in messages. Numbers must be from 1 to 65536.
/// Error: `file:line:column: error: what was found; accepted: what is`, ending in a newline.
std::expected<PlanFields, std::string> read_plan_file(std::string_view text,
                                                      std::string_view file_name);

}  // namespace heddle::compiler
