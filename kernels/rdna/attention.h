// Flash attention forward for RDNA: O = softmax(scale * Q * K^T + mask) * V in one pass.
//
// Everything is computed transposed: S^T = K * Q^T has a query in each lane, so the softmax of a
// query needs its lane and lane ^ 16 only, and O^T = V^T * P^T takes P from registers
// (heddle/device/p_buffer.h). docs/attention.md is the contract of the kernels.
//
//   for each tile of BN keys
//     K -> LDS, S^T = K * Q^T, mask                     V is on its way meanwhile
//     m' = max(m, S), P = exp2(S - m'), l and O scaled by exp2(m - m')
//     V -> LDS (transposed), O^T += V^T * P^T           the next K is on its way meanwhile
//   O = O / l
//
// A group is the query heads that share one head of K and V. A row of the tile is a pair (query,
// query head of the group), and the heads of a query are neighbouring rows. So one tile of keys
// serves all query heads of the group, in prefill and in decode.
#pragma once

#include "heddle/device/k_buffer.h"
#include "heddle/device/multiply_accumulate.h"
#include "heddle/device/p_buffer.h"
#include "heddle/device/q_buffer.h"
#include "kernels/rdna/attention_arguments.h"

namespace heddle::kernels {

using namespace heddle::device;

/// The tiles of a kernel. The warps of a thread block form `rows_of_warps` sets, and each set
/// handles 16 rows. The `depths_of_warps` warps of a set divide the depths of O among them; each of
/// these warps computes the whole S of the set's rows. A tile has `keys` keys (BN).
template <class Type, int head_size, int rows_of_warps, int depths_of_warps, int keys>
struct AttentionShape {
  using T = Type;
  using Core = TensorCore<float, T>;
  static constexpr int depth = head_size;
  static constexpr int warps_m = rows_of_warps;
  static constexpr int warps_d = depths_of_warps;
  static constexpr int num_threads = 32 * warps_m * warps_d;
  static constexpr int BM = 16 * warps_m;
  static constexpr int BN = keys;
  static_assert(warps_m == 1 || warps_d == 1, "warps divide the rows or the depths");
  /// Q of a head of 256 does not fit into registers together with O: it stays in shared memory.
  static constexpr bool q_in_shared = depth == 256;

  using K = KBuffer<T, Core, BN, BN, depth, depth, num_threads, 1, PlacedRows>;
  using V = VBuffer<T, Core, BN, BN, depth, num_threads, 1, warps_d, PlacedOrder>;
  using P = PBuffer<float, T, Core, BM, BN, BN, 16, BN>;
  using QInRegisters = QBuffer<T, Core, 16, BN, BN, depth, depth>;
  using QInShared =
      KBuffer<T, TensorCore<float, T, 1, false>, BM, 16, depth, depth, num_threads, 1, PlacedRows>;
  static constexpr int q_size = q_in_shared ? QInShared::shared_size : 0;
  /// Elements of shared memory, at a multiple of 16 bytes: K, V, Q.
  static constexpr int shared_size = K::shared_size + V::shared_size + q_size;
};

/// Pointers to the tensors. Starts and lengths count tokens, one for each sequence.
template <class T>
struct AttentionTensors {
  const T *q, *k, *v;
  T* o;
  const std::int32_t *query_start, *query_length, *key_start, *key_length;
};

/// The sequence, the head and the rows of a block.
template <class Shape>
struct AttentionTile {
  using T = typename Shape::T;
  const AttentionTensors<T>& tensors;
  const AttentionArguments& arguments;
  int sequence, kv_head, first_row;
  int queries, keys, rows;  // of the sequence; a row is a query of one head of the group

  HEDDLE_DEVICE AttentionTile(const AttentionTensors<T>& tensors_,
                              const AttentionArguments& arguments_, int sequence_)
      : tensors(tensors_),
        arguments(arguments_),
        sequence(sequence_),
        kv_head(static_cast<int>(block_index_y())),
        first_row(static_cast<int>(block_index_x()) * Shape::BM),
        queries(tensors_.query_length[sequence_]),
        keys(tensors_.key_length[sequence_]),
        rows(queries * arguments_.group) {}

  HEDDLE_DEVICE int query_of(int row) const {
    return static_cast<int>(static_cast<unsigned>(row) / static_cast<unsigned>(arguments.group));
  }
  /// The first element of a row in Q or O, in elements.
  HEDDLE_DEVICE long row_offset(int row, const TensorStrides& strides) const {
    const int query = query_of(row);
    const int head = kv_head * arguments.group + row - query * arguments.group;
    return static_cast<long>(tensors.query_start[sequence] + query) * strides.row_stride +
           static_cast<long>(head) * strides.head_stride;
  }
  /// Key 0 in K or V.
  HEDDLE_DEVICE long key_offset(const TensorStrides& strides) const {
    return static_cast<long>(tensors.key_start[sequence]) * strides.row_stride +
           static_cast<long>(kv_head) * strides.head_stride;
  }
  HEDDLE_DEVICE const T* q_row(int row) const { return tensors.q + row_offset(row, arguments.q); }

  /// The keys that a query sees: first <= key < end.
  HEDDLE_DEVICE int first_key(int query) const {
    const int first = query + keys - queries - arguments.window_left;
    return first > 0 ? first : 0;
  }
  HEDDLE_DEVICE int end_key(int query) const {
    const int end = query + keys - queries + arguments.window_right + 1;
    return end < keys ? end : keys;
  }
};

/// The running maximum and sum of the softmax of row `lane % 16` of a warp's 16 rows, in powers of
/// two. The sum has only the keys of this lane; the sum of lane ^ 16, which has the other keys of
/// the row, is added at the end.
struct SoftmaxState {
  float maximum = -__builtin_inff();
  float sum = 0;
};

/// The larger of x in this lane and x in lane ^ 16. Both lanes get the same value.
HEDDLE_DEVICE inline float larger_of_halves(float x) {
  return __builtin_fmaxf(x, of_other_half(x));
}

/// O of 16 rows: accumulators of 16 depths each, and the state of their softmax.
template <class Shape>
struct AttentionOutput {
  using T = typename Shape::T;
  static constexpr int tiles = Shape::V::warp_depth_tiles;
  Accumulator<float> sum[tiles];
  SoftmaxState softmax;

  HEDDLE_DEVICE void clear() {
#pragma unroll
    for (int tile = 0; tile < tiles; ++tile) sum[tile].registers = {};
  }
  HEDDLE_DEVICE void scale(float factor) {
#pragma unroll
    for (int tile = 0; tile < tiles; ++tile) sum[tile].registers *= factor;
  }
  /// Stores the result as T, divided by the sum of the softmax. Precondition: lane and lane ^ 16
  /// both have the whole sum of their row. A row that saw no key is zero.
  HEDDLE_DEVICE void store(T* row, unsigned warp_d) {
    scale(softmax.sum > 0 ? 1 / softmax.sum : 0.0f);
#pragma unroll
    for (int tile = 0; tile < tiles; ++tile) {
      // As a fragment of operand B, the depths of a lane are neighbours: lanes 0 to 15 store depths
      // 0 to 7 of the tile's 16, and lanes 16 to 31 store depths 8 to 15.
      const FragmentB<T> all = accumulator_as_b<T>(sum[tile]);
      Vector<T, 8> mine;
      if constexpr (FragmentB<T>::size == 8) {
        mine = all.registers;
      } else {
        const bool is_upper = lane_index() >= 16;
#pragma unroll
        for (int i = 0; i < 8; ++i) mine[i] = is_upper ? all.registers[8 + i] : all.registers[i];
      }
      if (row != nullptr)
        *reinterpret_cast<Vector<T, 8>*>(row + 16 * (warp_d * tiles + static_cast<unsigned>(tile)) +
                                         8 * (lane_index() / 16)) = mine;
    }
  }
};

/// Calls use(i, load(i)) for all i < count. load(i) comes at most `ahead` steps before use(i).
/// Without the fence the compiler would put all loads first, and the loaded registers would spill.
template <int count>
HEDDLE_DEVICE void pipeline(auto load, auto use) {
  constexpr int ahead = 2;
  decltype(load(std::integral_constant<int, 0>())) loaded[ahead];
  unroll<(ahead < count ? ahead : count)>([&](auto i) { loaded[i.value] = load(i); });
  unroll<count>([&](auto i) {
    use(i, loaded[i.value % ahead]);
    if constexpr (i.value + ahead < count)
      loaded[i.value % ahead] = load(std::integral_constant<int, i.value + ahead>());
    __builtin_amdgcn_sched_barrier(0);
  });
}

/// Keeps the compiler from moving the computation of `value` behind this point. Otherwise it sinks
/// the products past later branches and keeps all their operands live.
HEDDLE_DEVICE inline void finish(Accumulator<float>& value) {
  asm volatile("" : "+v"(value.registers));
}

/// The same thread, with its lane hidden from the compiler, so that computations on the lane stay
/// where they are written. Otherwise the compiler would move them before the loop, where every
/// address would need a register.
HEDDLE_DEVICE inline Thread concealed(Thread thread) {
  asm volatile("" : "+v"(thread.lane));
  return thread;
}

/// S^T of a tile of keys. K comes through shared memory; Q comes from registers or from shared
/// memory.
template <class Shape, class Q>
HEDDLE_DEVICE void multiply_keys(typename Shape::K& k, Q& q, typename Shape::P& p) {
  p.zero();
  constexpr int tiles = Shape::BN / 16;
  pipeline<Shape::depth / 16 * tiles>(
      [&](auto i) { return k.template load_fragment<i.value / tiles, i.value % tiles>(); },
      [&](auto i, const auto& keys) {
        constexpr int step = i.value / tiles;
        const auto queries = [&] {
          if constexpr (Shape::q_in_shared) {
            return q.template load_fragment<step, 0>();
          } else {
            return q.template get_mma_tile<0, step>()[0];
          }
        }();
        auto& scores = p.reg_tile[i.value % tiles];
        scores = multiply_accumulate(keys, queries, scores);
      });
#pragma unroll
  for (int n = 0; n < tiles; ++n) finish(p.reg_tile[n]);
}

/// Sets the scores of keys that the lane's query does not see to -infinity. The query sees keys
/// [first, end), counted from the first key of the tile.
template <class Shape>
HEDDLE_DEVICE void mask_keys(typename Shape::P& p, int first, int end) {
#pragma unroll
  for (int n = 0; n < Shape::BN / 16; ++n)
#pragma unroll
    for (int i = 0; i < Accumulator<float>::size; ++i) {
      const int key = 16 * n + static_cast<int>(Accumulator<float>::row(i));
      if (key < first || key >= end) p.reg_tile[n].registers[i] = -__builtin_inff();
    }
}

/// Turns the scores into probabilities relative to the new maximum, and rescales the sum and O to
/// that maximum.
template <class Shape>
HEDDLE_DEVICE void online_softmax(typename Shape::P& p, AttentionOutput<Shape>& output,
                                  float scale_log2) {
  SoftmaxState& softmax = output.softmax;
  float largest = -__builtin_inff();
#pragma unroll
  for (int n = 0; n < Shape::BN / 16; ++n)
#pragma unroll
    for (int i = 0; i < Accumulator<float>::size; ++i)
      largest = __builtin_fmaxf(largest, p.reg_tile[n].registers[i]);
  const float maximum = __builtin_fmaxf(softmax.maximum, larger_of_halves(largest) * scale_log2);
  // While a row has seen no key, its maximum is -inf, and its sum 0. Then 0 avoids -inf - -inf.
  const float reference = maximum == -__builtin_inff() ? 0 : maximum;
  const float factor = __builtin_amdgcn_exp2f(softmax.maximum - reference);
  softmax.maximum = maximum;
  float sum = 0;
#pragma unroll
  for (int n = 0; n < Shape::BN / 16; ++n)
#pragma unroll
    for (int i = 0; i < Accumulator<float>::size; ++i) {
      const float score = p.reg_tile[n].registers[i];
      const float probability =
          __builtin_amdgcn_exp2f(__builtin_fmaf(score, scale_log2, -reference));
      p.reg_tile[n].registers[i] = probability;
      sum += probability;
    }
  softmax.sum = softmax.sum * factor + sum;
  // If a tile changes no maximum in the wave, as most tiles do, O keeps its scale.
  if (__builtin_amdgcn_ballot_w32(factor != 1) != 0) output.scale(factor);
}

/// O^T += V^T * P^T for a tile of keys.
template <class Shape>
HEDDLE_DEVICE void multiply_values(typename Shape::V& v, const typename Shape::P& p,
                                   AttentionOutput<Shape>& output) {
  unroll<Shape::BN / 16>([&](auto n) {
    const auto probabilities = p.template register_mma_tile<n.value>();
    pipeline<AttentionOutput<Shape>::tiles>(
        [&](auto tile) { return v.template load_fragment<n.value, tile.value>(); },
        [&](auto tile, const auto& values) {
          Accumulator<float>& sum = output.sum[tile.value];
          sum = multiply_accumulate(values, probabilities[0], sum);
        });
  });
}

/// Processes the keys from `begin`, a multiple of BN, to `end` for one tile of rows.
template <class Shape>
HEDDLE_DEVICE void attend(const AttentionTile<Shape>& tile, int begin, int end,
                          typename Shape::T* lds, AttentionOutput<Shape>& output) {
  using T = typename Shape::T;
  const AttentionArguments& arguments = tile.arguments;
  const Thread thread = this_thread();
  const unsigned warp_m = thread.warp / Shape::warps_d;
  T* const lds_k = lds;
  T* const lds_v = lds + Shape::K::shared_size;

  const long k_offset =
      tile.key_offset(arguments.k) + static_cast<long>(begin) * arguments.k.row_stride;
  const long v_offset =
      tile.key_offset(arguments.v) + static_cast<long>(begin) * arguments.v.row_stride;
  typename Shape::K k({tile.tensors.k + k_offset, arguments.k.row_stride}, lds_k,
                      tile.keys - begin);
  typename Shape::V v({tile.tensors.v + v_offset, arguments.v.row_stride}, lds_v,
                      tile.keys - begin);
  typename Shape::P p;

  const int rows_here = tile.rows - tile.first_row;
  const auto row_of = [&](int row) { return tile.q_row(tile.first_row + row); };
  const auto is_there = [&](int row) { return row < rows_here; };
  auto q = [&] {
    if constexpr (Shape::q_in_shared) {
      typename Shape::QInShared in_shared({}, lds_v + Shape::V::shared_size);
      const auto place_of = [&](int key, int constant) {
        const int row = key + constant;
        return typename Shape::QInShared::RowPlace{row_of(is_there(row) ? row : rows_here - 1), 0};
      };
      in_shared.load_rows(place_of, is_there);
      in_shared.copy_to_shared();
      return in_shared;
    } else {
      return typename Shape::QInRegisters(row_of, is_there, Thread{thread.lane, warp_m});
    }
  }();

  // The keys that the lane's row sees, and the keys that all rows of the thread block see. A tile
  // with only keys that all rows see needs no mask.
  const int row = tile.first_row + static_cast<int>(16 * warp_m + thread.lane % 16);
  const int query = tile.query_of(row);
  const int first_key = tile.first_key(query), end_key = tile.end_key(query);
  const int last_row =
      tile.first_row + Shape::BM < tile.rows ? tile.first_row + Shape::BM : tile.rows;
  const int all_see_from = tile.first_key(tile.query_of(last_row - 1));
  const int all_see_to = tile.end_key(tile.query_of(tile.first_row));

  k.load_from_dram();
  for (int key = begin; key < end; key += Shape::BN) {
    k.thread = v.thread = concealed(thread);
    if constexpr (Shape::q_in_shared) q.thread = k.thread;
    k.copy_to_shared();
    v.load_from_dram();
    synchronize_shared();
    multiply_keys<Shape>(k, q, p);
    k.next_tile();
    if (key + Shape::BN < end) k.load_from_dram();
    if (key < all_see_from || key + Shape::BN > all_see_to)
      mask_keys<Shape>(p, first_key - key, end_key - key);
    online_softmax<Shape>(p, output, arguments.scale_log2);
    v.copy_to_shared();
    synchronize_shared();
    multiply_values<Shape>(v, p, output);
  }
  output.softmax.sum += of_other_half(output.softmax.sum);
}

/// The keys that some row of the thread block sees, begin <= key < end, with `begin` rounded down
/// to a multiple of BN.
struct KeyRange {
  int begin, end;
};
template <class Shape>
HEDDLE_DEVICE KeyRange keys_of(const AttentionTile<Shape>& tile) {
  const int last_row =
      tile.first_row + Shape::BM < tile.rows ? tile.first_row + Shape::BM : tile.rows;
  const int begin = tile.first_key(tile.query_of(tile.first_row));
  const int end = tile.end_key(tile.query_of(last_row - 1));
  return {begin / Shape::BN * Shape::BN, end};
}

/// Computes one tile of rows with all its keys. Grid: (rows / BM rounded up, heads of K,
/// sequences).
template <class Shape>
HEDDLE_DEVICE void attention(const AttentionTensors<typename Shape::T>& tensors,
                             const AttentionArguments& arguments, typename Shape::T* lds) {
  const AttentionTile<Shape> tile(tensors, arguments, static_cast<int>(block_index_z()));
  if (tile.first_row >= tile.rows) return;
  AttentionOutput<Shape> output;
  output.clear();
  const KeyRange range = keys_of(tile);
  if (range.begin < range.end) attend<Shape>(tile, range.begin, range.end, lds, output);
  const Thread thread = this_thread();
  const unsigned warp_m = thread.warp / Shape::warps_d;
  const int row = tile.first_row + static_cast<int>(16 * warp_m + thread.lane % 16);
  output.store(row < tile.rows ? tensors.o + tile.row_offset(row, arguments.o) : nullptr,
               thread.warp % Shape::warps_d);
}

/// The workspace of kernels that divide the keys into parts. It has an entry for each part,
/// sequence, head of K and row:
///
/// - `o` has the depths of O in the order of the lanes, not yet divided by the sum of the softmax.
/// - `softmax` has the maximum and the sum of the softmax.
struct AttentionWorkspace {
  float* o;
  float* softmax;
};

/// The row of the workspace for part `part` of the keys and row `row` of the tile's sequence and
/// head of K.
template <class Shape>
HEDDLE_DEVICE long workspace_row(const AttentionTile<Shape>& tile, int part, int sequences,
                                 int row) {
  const AttentionArguments& arguments = tile.arguments;
  return ((static_cast<long>(part) * sequences + tile.sequence) * arguments.kv_heads +
          tile.kv_head) *
             arguments.workspace_rows +
         row;
}

/// Computes one tile of rows with one part of its keys; the keys are divided into arguments.parts
/// parts. Grid: (rows / BM rounded up, heads of K, sequences * parts); the part is z % parts.
template <class Shape>
HEDDLE_DEVICE void attention_part(const AttentionTensors<typename Shape::T>& tensors,
                                  const AttentionWorkspace& workspace, int sequences,
                                  const AttentionArguments& arguments, typename Shape::T* lds) {
  const int z = static_cast<int>(block_index_z());
  const int sequence = z / arguments.parts;
  const int part = z - sequence * arguments.parts;
  const AttentionTile<Shape> tile(tensors, arguments, sequence);
  if (tile.first_row >= tile.rows) return;
  AttentionOutput<Shape> output;
  output.clear();
  const KeyRange all = keys_of(tile);
  const int tiles = (all.end - all.begin + Shape::BN - 1) / Shape::BN;
  const int each = (tiles + arguments.parts - 1) / arguments.parts * Shape::BN;
  const int begin = all.begin + part * each;
  const int end = begin + each < all.end ? begin + each : all.end;
  if (begin < end) attend<Shape>(tile, begin, end, lds, output);

  const Thread thread = this_thread();
  const int row = tile.first_row + static_cast<int>(thread.lane % 16);
  if (row >= tile.rows) return;
  const long at = workspace_row(tile, part, sequences, row);
  if (thread.warp == 0 && thread.lane < 16)
    *reinterpret_cast<Vector<float, 2>*>(workspace.softmax + 2 * at) =
        Vector<float, 2>{output.softmax.maximum, output.softmax.sum};
  constexpr int tiles_of_warp = AttentionOutput<Shape>::tiles;
  float* o =
      workspace.o + at * Shape::depth + thread.warp * tiles_of_warp * 16 + thread.lane / 16 * 8;
#pragma unroll
  for (int i = 0; i < tiles_of_warp; ++i)
    *reinterpret_cast<float8*>(o + 16 * i) = output.sum[i].registers;
}

/// Joins the results of all parts for a tile of rows. Grid: (rows / BM rounded up, heads of K,
/// sequences).
template <class Shape>
HEDDLE_DEVICE void attention_join(const AttentionTensors<typename Shape::T>& tensors,
                                  const AttentionWorkspace& workspace, int sequences,
                                  const AttentionArguments& arguments) {
  const AttentionTile<Shape> tile(tensors, arguments, static_cast<int>(block_index_z()));
  if (tile.first_row >= tile.rows) return;
  const Thread thread = this_thread();
  const int row = tile.first_row + static_cast<int>(thread.lane % 16);
  const bool is_there = row < tile.rows;
  const int readable = is_there ? row : tile.rows - 1;
  AttentionOutput<Shape> output;
  output.clear();
  constexpr int tiles_of_warp = AttentionOutput<Shape>::tiles;
  for (int part = 0; part < arguments.parts; ++part) {
    const long at = workspace_row(tile, part, sequences, readable);
    const auto softmax = *reinterpret_cast<const Vector<float, 2>*>(workspace.softmax + 2 * at);
    SoftmaxState& state = output.softmax;
    const float maximum = __builtin_fmaxf(state.maximum, softmax[0]);
    const float reference = maximum == -__builtin_inff() ? 0 : maximum;
    const float factor = __builtin_amdgcn_exp2f(state.maximum - reference);
    const float weight = __builtin_amdgcn_exp2f(softmax[0] - reference);
    state = {maximum, state.sum * factor + softmax[1] * weight};
    const float* o =
        workspace.o + at * Shape::depth + thread.warp * tiles_of_warp * 16 + thread.lane / 16 * 8;
#pragma unroll
    for (int i = 0; i < tiles_of_warp; ++i)
      output.sum[i].registers =
          output.sum[i].registers * factor + *reinterpret_cast<const float8*>(o + 16 * i) * weight;
  }
  output.store(is_there ? tensors.o + tile.row_offset(row, arguments.o) : nullptr, thread.warp);
}

}  // namespace heddle::kernels
