// The plan of attention in one kernel: softmax(scores of Q and K) V. The kernel takes the keys step
// by step, each time a block of consecutive keys:
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
//
// Registers do not hold the rows of O of large heads. Warps then share queries and keys, and divide
// the depth of Q and K and the columns of V (`column_warps`): each has a part of every sum of S,
// and all add the parts up in shared memory, so that all have the same S and P.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/plan/product_plan.h"
#include "heddle/instruction/numerics.h"
#include "heddle/plan/placed_tile.h"

namespace heddle::plan {

/// How K or V (or Q) lies in shared memory, as an operand of the instruction whose rows run along m
/// or n.
struct SharedOperand {
  layout::AxisName row = "m";
  bool k_contiguous = true;      // neighbours in memory are neighbours along the instruction's k
  int rows = 0, k = 0;           // of a tile in shared memory: powers of two
  int tiles = 1;                 // equal ones side by side, along the lines of global memory
  int tiles_at_once = 1;         // copied by different warps: the high bits of a warp's number
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

  /// Elements of a line in a tile.
  int line_elements() const { return k_contiguous ? k : rows; }
  /// Bytes of shared memory from the beginning of a tile to the next.
  std::uint32_t tile_bytes() const {
    return static_cast<std::uint32_t>((placement.bytes + 127) / 128 * 128);
  }
  std::uint32_t end() const { return start + static_cast<std::uint32_t>(tiles) * tile_bytes(); }
};

struct AttentionPlan {
  Problem problem;
  instruction::Target target{};
  const instruction::Instruction* instruction = nullptr;
  instruction::KOrder order = instruction::KOrder::isa;
  bool keys_are_rows = false;
  /// Bit i of a row of K as an operand is bit key_order[i] of its key: with it a lane's sums are
  /// its elements of the next operand, or whole registers of it. Empty: rows are keys.
  std::vector<int> key_order;
  int lanes = 32, warps = 4;
  int key_warps = 1;            // that share queries: the low bits of a warp's number
  int column_warps = 1;         // the same, which share keys, too: then there are no key_warps
  int parts = 1;                // blocks that share the keys of a tile of O
  int queries = 16, keys = 64;  // of a warp; of a step: powers of two
  std::int64_t depth = 0;       // of Q and K
  std::int64_t depth_atoms = 0,
               columns_atoms = 0;  // a warp's instructions along the depth, and along V's row
  SharedOperand k, v;
  std::optional<SharedOperand> q;  // nothing: it stays in registers
  std::uint32_t sums_start = 0;    // bytes before the parts of S in shared memory
  std::uint32_t shared_bytes = 0;
  std::vector<Choice> choices;

  /// The same map with the keys' numbers instead of the numbers of rows in its output `axis` (see
  /// key_order).
  layout::LinearLayout in_key_order(const layout::LinearLayout& map,
                                    const layout::AxisName& axis) const;
  /// `map` with the column_warps, the low bits of its new input "warp", between the first
  /// 2^`bits` places along `axis` and the others.
  layout::LinearLayout among_column_warps(const layout::LinearLayout& map,
                                          const layout::AxisName& axis, int bits) const;
  int threads() const { return lanes * warps; }
  /// Warps that share queries.
  int sharing_warps() const { return key_warps * column_warps; }
  int block_queries() const { return queries * (warps / sharing_warps()); }
  int warp_keys() const { return keys / key_warps; }
  /// P is the exponential times 2^share_exponent(). 8-bit floats represent only numbers that are
  /// not much smaller than their largest one, so exponentials, which are at most 1, are moved up
  /// there.
  int share_exponent() const { return instruction::largest_byte_exponent(problem.input); }
  LaunchGrid grid() const {
    return {LaunchNumber{1, {{{Loop::m, block_queries()}}}}, LaunchNumber{1, {{{Loop::batch, 1}}}},
            LaunchNumber{parts}};
  }
  /// True if the size of the loop (queries or keys) is known at compile time and is a multiple of
  /// `count`.
  bool has_whole(Loop loop, std::int64_t count) const {
    return !problem.is_dynamic(loop) && problem.size(loop) % count == 0;
  }
  /// The next three functions compute with the sizes for which the plan was made, which may differ
  /// from those of a launch: thread blocks for one part of the keys, steps for all keys, steps for
  /// one part.
  std::int64_t blocks() const {
    return (problem.m + block_queries() - 1) / block_queries() * problem.batch;
  }
  std::int64_t steps() const { return (problem.k + keys - 1) / keys; }
  std::int64_t part_steps() const { return (steps() + parts - 1) / parts; }

  /// The number of instructions along V's row whose sums of O a warp has after the warps with the
  /// same queries have joined their sums and divided them.
  std::int64_t joined_atoms() const { return (columns_atoms + key_warps - 1) / key_warps; }
  /// True if a register of O belongs to a row beyond the last query in all lanes. `row` is what the
  /// register contributes to the number of the row.
  bool is_beyond(std::int64_t row) const {
    return !problem.is_dynamic(Loop::m) && problem.m <= block_queries() &&
           warps == sharing_warps() && row >= problem.m;
  }
  /// How many 32-bit words of a thread are joined with those of other warps or thread blocks: the
  /// sums of `atoms` atoms of O, and the maximum and the sum of each row, rounded up to 16 bytes.
  std::int64_t sum_words(std::int64_t atoms) const;
  SplitMemory split_memory() const {
    return {blocks(), parts, std::int64_t{threads()} * sum_words(joined_atoms())};
  }
};

}  // namespace heddle::plan
