// The plan of attention in one kernel: softmax(scores of Q and K) V, block of keys by block of
// keys.
//
//   global --copy--> K in shared memory --fragment--> multiply by Q --> scores S, in registers
//   S --reduce--> the row's maximum and sum; P = exp(S - maximum), converted to an operand's layout
//   global --copy--> V in shared memory --fragment--> multiply by P --> O, in registers
//
// A warp has `queries` rows of O, a block those of all its warps. Where queries are few, warps of a
// block share them and have some keys of each step, and blocks share the keys: each then has
// sums of its own, relative to its own maximum, which are joined in the end. Both products are by
// one instruction. Scores are computed as the instruction's D is best reduced along keys, which
// also tells which operand P is: S = Q K^T, where P is A of O = P V; or S^T = K Q^T
// (`keys_are_rows`), where P^T is B of O^T = V^T P^T.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/plan/product_plan.h"
#include "heddle/instruction/numerics.h"
#include "heddle/plan/placed_tile.h"

namespace heddle::plan {

/// K or V in shared memory, as an operand of the instruction: rows along m or n.
struct SharedOperand {
  layout::AxisName row = "m";
  bool k_contiguous = true;      // neighbours in memory are neighbours along the instruction's k
  int rows = 0, k = 0;           // of the tile in shared memory: powers of two
  int copy_elements = 8;         // of one access to global memory
  bool is_asynchronous = false;  // cp.async
  layout::LinearLayout staging;  // (register, lane, warp, step) -> (row, k); neighbours first
  layout::LinearLayout stores;   // … -> offset
  int store_elements = 8;
  Move move = Move::load;      // of fragments
  layout::LinearLayout loads;  // ldmatrix: (fetch, k_atom, lane, warp) -> offset, of the lane's row
                               // else: (register, k_atom, lane, warp) -> offset
  int load_elements = 1;       // of a plain load
  int fetched_registers = 1;   // of an ldmatrix
  int piece_elements = 1;      // of a lane, for one instruction
  Placement placement;
  std::uint32_t start = 0;  // bytes before it in shared memory
};

struct AttentionPlan {
  Problem problem;
  instruction::Target target{};
  const instruction::Instruction* instruction = nullptr;
  instruction::KOrder order = instruction::KOrder::isa;
  bool keys_are_rows = false;
  /// Bit i of a row of K as an operand is bit key_order[i] of its key: with it a lane's sums are its
  /// elements of the next operand, or whole registers of it. Empty: rows are keys.
  std::vector<int> key_order;
  int lanes = 32, warps = 4;
  int key_warps = 1;            // that share queries: the low bits of a warp's number
  int parts = 1;                // blocks that share the keys of a tile of O
  int queries = 16, keys = 64;  // of a warp; of a step: powers of two
  std::int64_t depth = 0;       // of Q and K
  std::int64_t depth_atoms = 0,
               columns_atoms = 0;  // instructions along the depth, and along V's row
  SharedOperand k, v;
  std::optional<SharedOperand> q;  // nothing: it stays in registers
  std::uint32_t shared_bytes = 0;
  std::vector<Choice> choices;

  /// `map` with the rows of its output `axis` as keys.
  layout::LinearLayout in_key_order(const layout::LinearLayout& map,
                                    const layout::AxisName& axis) const;
  int threads() const { return lanes * warps; }
  int block_queries() const { return queries * (warps / key_warps); }
  int warp_keys() const { return keys / key_warps; }
  /// P is 2^share_exponent() times the exponential. 8 bits hold only numbers near the largest one.
  int share_exponent() const { return instruction::largest_byte_exponent(problem.input); }
  LaunchGrid grid() const {
    return {LaunchNumber{1, {{{Loop::m, block_queries()}}}}, LaunchNumber{1, {{{Loop::batch, 1}}}},
            LaunchNumber{parts}};
  }
  /// True if there are a multiple of `count` rows, or keys.
  bool has_whole(Loop loop, std::int64_t count) const {
    return !problem.is_dynamic(loop) && problem.size(loop) % count == 0;
  }
  /// The next three: of the sizes that the plan is made for.
  std::int64_t blocks() const {
    return (problem.m + block_queries() - 1) / block_queries() * problem.batch;
  }
  std::int64_t steps() const { return (problem.k + keys - 1) / keys; }
  std::int64_t part_steps() const { return (steps() + parts - 1) / parts; }

  /// Instructions along V's row whose sums a warp has after the warps that share queries have
  /// joined theirs.
  std::int64_t joined_atoms() const { return (columns_atoms + key_warps - 1) / key_warps; }
  /// True if all lanes' rows of this register of O are beyond the last query, where `row` is the
  /// constant part of its row.
  bool is_beyond(std::int64_t row) const {
    return !problem.is_dynamic(Loop::m) && problem.m <= block_queries() && warps == key_warps &&
           row >= problem.m;
  }
  /// The sums of a thread that are joined: `atoms` atoms of O, and the maximum and the sum of each
  /// row; whole pieces of 16 bytes.
  std::int64_t sum_words(std::int64_t atoms) const;
  SplitMemory split_memory() const {
    return {blocks(), parts, std::int64_t{threads()} * sum_words(joined_atoms())};
  }
};

}  // namespace heddle::plan
