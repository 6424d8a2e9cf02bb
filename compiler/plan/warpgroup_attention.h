// The plan of attention in one kernel for sm_90a: softmax(scores of Q and K) V by wgmma.
//
//   producer    Q, and K and V in two rings of stages in shared memory, by TMA
//   consumers   S = Q K^T from shared memory; softmax in registers; O += P V, P from registers
//
// Both products are those of plans for wgmma: `scores` multiplies Q (A) by K^T (B, along k), a step
// of it is a block of keys; `values` multiplies P (A, in registers) by V, a step of it is the same
// block of keys. The product of the next keys begins before P V of these. Blocks of keys come in
// reverse order, so that the first is the partial one. Of a causal mask it is also the one with the
// diagonal. Where other blocks have a mask, there are loops with and without one.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/plan/key_blocks.h"
#include "compiler/plan/product_plan.h"
#include "compiler/plan/warpgroup_plan.h"

namespace heddle::plan {

struct WarpgroupAttentionPlan {
  Problem problem;  // m queries, k keys, n columns of V
  std::int64_t depth = 0;
  WarpgroupPlan scores, values;
  int query_stages = 1;   // tiles of Q in shared memory
  bool ping_pong = true;  // a consumer computes exponentials while another multiplies
  KeyBlocks blocks;
  int heads_together = 0;  // matrices whose tiles are ordered by length; 0: they are not
  std::vector<Choice> choices;

  constexpr int keys() const { return scores.block_n; }
  constexpr int stages() const { return scores.stages; }
  constexpr int consumers() const { return scores.consumers; }
  constexpr int threads() const { return scores.threads(); }
  constexpr std::int64_t steps() const { return (problem.k + keys() - 1) / keys(); }

  // Shared memory: Q, the stages of K, those of V, results on their way, the barriers of the rings.
  constexpr int keys_start() const { return query_stages * scores.a_bytes(); }
  constexpr int values_start() const { return keys_start() + stages() * scores.b_bytes(); }
  constexpr int results_start() const { return values_start() + stages() * values.b_bytes(); }
  constexpr int barriers_start() const {
    const int results = values.result_is_mapped ? WarpgroupPlan::result_bytes_of_consumer : 0;
    return results_start() + consumers() * results;
  }
  constexpr int ring_bytes(int of_stages) const { return 2 * 8 * of_stages; }
  constexpr int shared_bytes() const {
    return barriers_start() + ring_bytes(2 * stages() + query_stages);
  }

  /// Of a consumer's thread, besides the sums of both products, P in 16 bits, and 32 for the rest.
  /// Found by ptxas 13.0, which spills with fewer for the rest, and then waits for each wgmma.
  constexpr int registers_left() const {
    constexpr int rest = 32;
    const int sums = values.sum_registers() + scores.sum_registers() * 3 / 2;
    return scores.consumer_registers - sums - rest;
  }

  /// True if the last tile of a matrix sees more keys than the first.
  constexpr bool is_longest_last() const { return blocks.of_last > blocks.of_first; }

  constexpr LaunchGrid grid() const { return values.grid(); }
};

}  // namespace heddle::plan
