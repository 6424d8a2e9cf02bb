// The plan of attention in one kernel for sm_90a: softmax(scores of Q and K) V by wgmma.
//
//   producer    copies Q, and K and V in two rings of stages, to shared memory by TMA
//   consumers   S = Q K^T from shared memory; softmax in registers; O += P V, P from registers
//
// Both products are those of plans for wgmma: `scores` multiplies Q (A) by K^T (B, along k), a step
// of it is a block of keys; `values` multiplies P (A, in registers) by V, a step of it is the same
// block of keys. The product of the next keys begins before P V of these. Blocks of keys come in
// reverse order, so that the first is the partial one. Of a causal mask it is also the one with the
// diagonal. Where other blocks have a mask, there are loops with and without one.
//
// Of 8-bit floats, wgmma reads B only along k. So V comes to a third ring as it lies, and the other
// warps of the producer write V^T to the ring of V (nvidia/byte_transposer.h). They put the keys in
// an order in which the sums of S in a lane are its elements of P.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/plan/key_blocks.h"
#include "compiler/plan/product_plan.h"
#include "compiler/plan/warpgroup_plan.h"
#include "heddle/instruction/numerics.h"

namespace heddle::plan {

/// The key at byte `place` of a line of V^T, of 8 bits. The sums of S have two neighbouring keys of
/// each eight in a lane, and P four.
constexpr std::uint64_t key_of_byte(std::uint64_t place) {
  return (place & ~std::uint64_t{14}) | (place & 12) >> 1 | (place & 2) << 2;
}

struct WarpgroupAttentionPlan {
  Problem problem;  // m queries, k keys, n columns of V
  std::int64_t depth = 0;
  WarpgroupPlan scores, values;
  WarpgroupPlan copied;          // `values` with V as it lies in memory
  int copied_stages = 0;         // of V as it lies, where it is transposed
  std::vector<int> share_order;  // the register of S that is each element of P, in their order
  int query_stages = 1;          // tiles of Q in shared memory
  bool ping_pong = true;         // a consumer computes exponentials while another multiplies
  KeyBlocks blocks;
  int heads_together = 0;  // matrices whose tiles are ordered by length; 0: they are not
  std::vector<Choice> choices;

  constexpr int keys() const { return scores.block_n; }
  constexpr int stages() const { return scores.stages; }
  constexpr int consumers() const { return scores.consumers; }
  constexpr int threads() const { return scores.threads(); }
  constexpr std::int64_t steps() const { return (problem.k + keys() - 1) / keys(); }
  constexpr bool transposes_values() const { return values.input_bytes() == 1; }
  /// Of P in a consumer's thread.
  constexpr int share_words() const { return keys() / 8 * values.input_bytes(); }
  /// P is 2^share_exponent() times the exponential. 8 bits hold only numbers near the largest one.
  constexpr int share_exponent() const { return instruction::largest_byte_exponent(problem.input); }

  // Shared memory: Q, the stages of K, those of V, those of V as it lies, results on their way, the
  // barriers of the rings.
  constexpr int keys_start() const { return query_stages * scores.a_bytes(); }
  constexpr int values_start() const { return keys_start() + stages() * scores.b_bytes(); }
  /// V^T has lines of 128 keys, of which the last may have fewer.
  constexpr int values_bytes() const {
    constexpr int line = swizzled_line_bytes;
    return transposes_values() ? values.block_n * ((keys() + line - 1) / line * line)
                               : values.b_bytes();
  }
  constexpr int copied_start() const { return values_start() + stages() * values_bytes(); }
  constexpr int results_start() const { return copied_start() + copied_stages * copied.b_bytes(); }
  constexpr int barriers_start() const {
    const int results = values.result_is_mapped ? WarpgroupPlan::result_bytes_of_consumer : 0;
    return results_start() + consumers() * results;
  }
  constexpr int ring_bytes(int of_stages) const { return 2 * 8 * of_stages; }
  constexpr int shared_bytes() const {
    return barriers_start() + ring_bytes(2 * stages() + query_stages + copied_stages);
  }

  /// Of a consumer's thread, besides the sums of both products, P in words, and the rest. Found by
  /// ptxas 13.0, which spills with fewer for the rest, and then waits for each wgmma.
  constexpr int registers_left() const {
    const int rest = transposes_values() ? 24 : 32;
    const int sums = values.sum_registers() + scores.sum_registers() + share_words();
    return scores.consumer_registers - sums - rest;
  }

  /// True if the last tile of a matrix sees more keys than the first.
  constexpr bool is_longest_last() const { return blocks.of_last > blocks.of_first; }

  constexpr LaunchGrid grid() const { return values.grid(); }
};

}  // namespace heddle::plan
