// From the sums in registers to D = activation(alpha * A * B + beta * C + bias) in memory.
//
// Nothing goes through LDS. A lane of an accumulator has one column of a tile. The columns of D are
// dealt out in turn to the `interleave_n` tiles of a group (slab.h), so that neighbouring columns
// are in different tiles but in the same lane. Over the tiles of a group, a lane has `interleave_n`
// neighbouring columns of one row. It stores these columns at once, and the next lanes store the
// next columns: with groups of four tiles, 16 lanes fill 256 consecutive bytes of a row of f32.
//
// Alpha, bias, beta and the activation are one step each for all sums of a wave. A step that a
// problem does not need costs one scalar branch.
//
// Rows beyond the matrix cost nothing: they lie outside the bounds of a buffer descriptor. Lanes
// whose columns lie beyond the matrix get an offset outside of the bounds, too.
#pragma once

#include <type_traits>

#include "kernels/rdna/gemm_arguments.h"
#include "kernels/rdna/operand_source.h"

namespace heddle::kernels::rdna {

/// The numbers of tiles of a wave along m and n, and the numbers of tiles in a group along m and n.
/// The rows (or columns) of a group are dealt out in turn to its tiles (slab.h).
struct WaveTiles {
  int m, n, interleave_m, interleave_n;
};

#if defined(__HIP__)

/// When the compiler schedules instructions, it moves none of them across this call.
HEDDLE_DEVICE inline void keep_order() { __builtin_amdgcn_sched_barrier(0); }

/// The same scalar, hidden from the compiler. Otherwise the compiler would join two branches on the
/// scalar into one branch with two sides, which needs registers for the sums of both sides.
HEDDLE_DEVICE inline unsigned hidden(unsigned scalar) {
  asm volatile("" : "+s"(scalar));
  return scalar;
}

/// 1 / (1 + exp(-x)), by the instructions for 2^x and 1 / x.
HEDDLE_DEVICE inline float sigmoid(float x) {
  constexpr float log2_e = 1.4426950408889634f;
  return __builtin_amdgcn_rcpf(1.0f + __builtin_amdgcn_exp2f(-log2_e * x));
}

/// Applies an activation that is known at compile time to one value of f32 or i32. For i32 only
/// relu has an effect.
template <Activation activation, class Number>
HEDDLE_DEVICE inline Number activated(Number x) {
  if constexpr (activation == Activation::relu) {
#if defined(__GFX12__)
    // v_maximum_f32: one instruction that keeps a NaN. gfx11 has none.
    if constexpr (std::is_same_v<Number, float>) return __builtin_elementwise_maximum(x, 0.0f);
#endif
    return x < 0 ? Number{} : x;  // a NaN stays one
  }
  if constexpr (std::is_same_v<Number, float>) {
    // (1 + tanh(u)) / 2 is sigmoid(2 u), with 2 sqrt(2 / pi) = 1.5957691...
    if constexpr (activation == Activation::gelu)
      return x * sigmoid(x * (1.5957691216057308f + 0.07135481282553446f * x * x));
    if constexpr (activation == Activation::silu) return x * sigmoid(x);
    if constexpr (activation == Activation::sigmoid) return sigmoid(x);
  }
  return x;
}

/// The rows of C or D that one lane reads and writes, within the rows of its thread block. Offsets
/// have 32 bits (kernels/gemm.h refuses problems that need more). Rows that do not exist lie beyond
/// the bounds of the buffer.
template <class T>
struct BlockRows {
  Buffer buffer;
  unsigned row_bytes;
  unsigned bytes;   // up to the end of the last row: the first offset that is out of bounds
  unsigned offset;  // bytes, of the lane's first row and column

  HEDDLE_DEVICE BlockRows(const void* matrix, const GemmArguments& arguments, unsigned stride,
                          unsigned first_row, unsigned block_rows, unsigned lane_row,
                          unsigned column)
      : row_bytes(stride * sizeof(T)) {
    const unsigned there = smaller(arguments.m - first_row, block_rows);
    bytes = (there - 1) * row_bytes + arguments.n * static_cast<unsigned>(sizeof(T));
    buffer = make_buffer(moved(matrix, std::uint64_t{first_row} * row_bytes), bytes);
    offset = lane_row * row_bytes + column * sizeof(T);
  }
};

/// `count` neighbours in memory, at any address of an element: GPUs of these targets run in the
/// mode that allows unaligned accesses.
template <class T, int count>
HEDDLE_DEVICE inline void store_neighbours(Buffer buffer, unsigned offset,
                                           const device::Vector<T, count>& values) {
  constexpr int bytes = count * static_cast<int>(sizeof(T));
  const auto at = static_cast<int>(offset);
  if constexpr (bytes == 16)
    __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(device::Vector<unsigned, 4>, values),
                                           buffer, at, 0, 0);
  else if constexpr (bytes == 8)
    __builtin_amdgcn_raw_buffer_store_b64(__builtin_bit_cast(device::Vector<unsigned, 2>, values),
                                          buffer, at, 0, 0);
  else if constexpr (bytes == 4)
    __builtin_amdgcn_raw_buffer_store_b32(__builtin_bit_cast(unsigned, values), buffer, at, 0, 0);
  else
    __builtin_amdgcn_raw_buffer_store_b16(__builtin_bit_cast(unsigned short, values), buffer, at, 0,
                                          0);
}
template <class T, int count>
HEDDLE_DEVICE inline device::Vector<T, count> load_neighbours(Buffer buffer, unsigned offset) {
  constexpr int bytes = count * static_cast<int>(sizeof(T));
  using Values = device::Vector<T, count>;
  const auto at = static_cast<int>(offset);
  if constexpr (bytes == 16)
    return __builtin_bit_cast(Values, __builtin_amdgcn_raw_buffer_load_b128(buffer, at, 0, 0));
  else if constexpr (bytes == 8)
    return __builtin_bit_cast(Values, __builtin_amdgcn_raw_buffer_load_b64(buffer, at, 0, 0));
  else if constexpr (bytes == 4)
    return __builtin_bit_cast(Values, __builtin_amdgcn_raw_buffer_load_b32(buffer, at, 0, 0));
  else
    return __builtin_bit_cast(Values, __builtin_amdgcn_raw_buffer_load_b16(buffer, at, 0, 0));
}

/// The epilogue of one wave. C, bias and D have elements of f32, or of `Second` if the arguments
/// say so. `Place` is the accumulator type, which says the rows and columns of a lane in a tile.
///
/// The arithmetic is in f32, except if D is i32. Then it is in i32, modulo 2^32, with the integer
/// parts of alpha and beta.
template <class Second, class Place, WaveTiles tiles, unsigned block_rows, unsigned block_columns>
struct Epilogue {
  static constexpr int width = tiles.interleave_n;  // neighbouring columns of a lane
  static_assert(tiles.n % width == 0, "a wave has whole groups of tiles");

  const void* c;
  const void* bias;
  void* d;
  const GemmArguments& arguments;
  unsigned first_row, first_column;  // of the block
  unsigned first_tile_m;             // of the wave, in the block
  unsigned lane_row;                 // the lane's rows are this plus rows that all lanes share
  unsigned column;                   // the lane's first

  HEDDLE_DEVICE Epilogue(const void* c_, const void* bias_, void* d_,
                         const GemmArguments& arguments_, unsigned first_row_,
                         unsigned first_column_, unsigned first_tile_m_, unsigned first_tile_n)
      : c(c_),
        bias(bias_),
        d(d_),
        arguments(arguments_),
        first_row(first_row_),
        first_column(first_column_),
        first_tile_m(first_tile_m_) {
    const unsigned lane = device::lane_index();
    lane_row = block_row<tiles.interleave_m>(0, Place::row(0, lane));
    column = first_column + block_row<tiles.interleave_n>(first_tile_n, Place::column(0, lane));
  }

  HEDDLE_DEVICE bool has_second_result() const { return hidden(arguments.has_second_result) != 0; }

  /// True if D is nothing but the sum, in the type of the operands: alpha is 1, and beta, bias and
  /// activation are absent.
  HEDDLE_DEVICE bool only_stores_second() const {
    const unsigned others =
        __builtin_bit_cast(unsigned, arguments.alpha) ^ __builtin_bit_cast(unsigned, 1.0f) |
        __builtin_bit_cast(unsigned, arguments.beta) | arguments.has_bias |
        static_cast<unsigned>(arguments.activation);
    return hidden(others) == 0 && has_second_result();
  }

  /// The lane's values in `rows` rows of tiles. Element [i][j] has the values of tile (i, j), in
  /// the order of the accumulator.
  template <class Number, int rows>
  using Values = device::Vector<Number, Place::size>[rows][tiles.n];

  /// Applies all steps of the epilogue to the sums of some rows of tiles, and stores the results in
  /// D. `first` is the first of these rows within the wave.
  template <class Number, int rows>
  HEDDLE_DEVICE void finish(Values<Number, rows>& x, unsigned first) const {
    keep_rows_together(x);
    if (arguments.alpha != 1) {
      const auto alpha = static_cast<Number>(arguments.alpha);
      for_each<Number, rows>(x, [alpha](Number value) { return alpha * value; });
    }
    if (arguments.has_bias)
      with_result<Number>([](auto result, const Epilogue& self, auto& values,
                             unsigned) { self.add_bias<decltype(result), Number, rows>(values); },
                          x, first);
    if (arguments.beta != 0)
      with_result<Number>(
          [](auto result, const Epilogue& self, auto& values, unsigned from) {
            self.add_c<decltype(result), Number, rows>(values, from);
          },
          x, first);
    if (arguments.activation != Activation::none) {
      activate<Activation::relu, Number, rows>(x);
      if constexpr (std::is_same_v<Number, float>) {
        activate<Activation::gelu, Number, rows>(x);
        activate<Activation::silu, Number, rows>(x);
        activate<Activation::sigmoid, Number, rows>(x);
      }
    }
    with_result<Number>(
        [](auto result, const Epilogue& self, auto& values, unsigned from) {
          self.store<decltype(result), Number, rows>(values, from);
        },
        x, first);
  }

  /// Only converts the values to Result, the type of D, and stores them in D.
  template <class Result, class Number, int rows>
  HEDDLE_DEVICE void store(Values<Number, rows>& x, unsigned first) const {
    const auto store_some = []<int count>(Buffer buffer, unsigned offset, auto* values, int e) {
      device::Vector<Result, count> results;
#pragma unroll
      for (int t = 0; t < count; ++t) results[t] = static_cast<Result>(values[t][e]);
      store_neighbours<Result, count>(buffer, offset, results);
    };
#pragma unroll
    for (int j = 0; j < tiles.n; j += width)
      for_rows<Result, width>(d, arguments.d_stride, x, first, j,
                              column_of(j) + width <= arguments.n, store_some);
    if (has_whole_groups()) return;
    // The group that the last column cuts.
#pragma unroll
    for (int j = 0; j < tiles.n; ++j)
      if (j % width != width - 1)
        for_rows<Result, 1>(
            d, arguments.d_stride, x, first, j,
            column_of(j) < arguments.n && column_of(j / width * width) + width > arguments.n,
            store_some);
  }

 private:
  // The lambdas in this struct capture no array: the compiler would keep a captured array in
  // memory.

  /// Keeps the registers of a tile together between two steps of the epilogue. Otherwise the
  /// compiler gathers the registers of neighbouring columns early, and does so again for each
  /// combination of steps.
  template <class Tile>
  HEDDLE_DEVICE static void keep_together(Tile (&row)[tiles.n]) {
#pragma unroll
    for (int j = 0; j < tiles.n; ++j)
      if constexpr (sizeof row[j][0] == 4) asm volatile("" : "+v"(row[j]));
  }
  template <class Tile, int rows>
  HEDDLE_DEVICE static void keep_rows_together(Tile (&x)[rows][tiles.n]) {
#pragma unroll
    for (int i = 0; i < rows; ++i) keep_together(x[i]);
  }

  /// Calls act(Result{}, *this, x, first), where Result is the type of C, bias and D.
  template <class Number>
  HEDDLE_DEVICE void with_result(auto&& act, auto& x, unsigned first) const {
    if constexpr (std::is_same_v<Number, std::int32_t>)
      act(std::int32_t{}, *this, x, first);
    else if constexpr (std::is_same_v<Second, std::int32_t>)
      act(0.0f, *this, x, first);
    else {
      if (has_second_result()) act(Second{}, *this, x, first);
      if (!has_second_result()) act(0.0f, *this, x, first);
    }
  }

  template <Activation activation, class Number, int rows>
  HEDDLE_DEVICE void activate(Values<Number, rows>& x) const {
    if (hidden(static_cast<unsigned>(arguments.activation)) == static_cast<unsigned>(activation))
      for_each<Number, rows>(x, activated<activation, Number>);
  }

  template <class Number, int rows>
  HEDDLE_DEVICE static void for_each(Values<Number, rows>& x, auto&& changed) {
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      keep_order();
#pragma unroll
      for (int e = 0; e < Place::size; ++e)
#pragma unroll
        for (int j = 0; j < tiles.n; ++j) x[i][j][e] = changed(x[i][j][e]);
      keep_together(x[i]);
    }
  }

  template <class Result, class Number, int rows>
  HEDDLE_DEVICE void add_bias(Values<Number, rows>& x) const {
    const Buffer buffer = make_buffer(bias, arguments.n * sizeof(Result));
#pragma unroll
    for (int j = 0; j < tiles.n; ++j) {
      const auto offset =
          static_cast<Number>(load_neighbours<Result, 1>(buffer, column_of(j) * sizeof(Result))[0]);
#pragma unroll
      for (int i = 0; i < rows; ++i)
#pragma unroll
        for (int e = 0; e < Place::size; ++e) x[i][j][e] += offset;
    }
    keep_rows_together(x);
  }

  template <class Result, class Number, int rows>
  HEDDLE_DEVICE void add_c(Values<Number, rows>& x, unsigned first) const {
    const auto beta = static_cast<Number>(arguments.beta);
    const auto add_some = [beta]<int count>(Buffer buffer, unsigned offset, auto* values, int e) {
      const auto add = load_neighbours<Result, count>(buffer, offset);
#pragma unroll
      for (int t = 0; t < count; ++t) values[t][e] += beta * static_cast<Number>(add[t]);
    };
    if (has_whole_groups())
#pragma unroll
      for (int j = 0; j < tiles.n; j += width)
        for_rows<Result, width>(c, arguments.c_stride, x, first, j, column_of(j) < arguments.n,
                                add_some);
    if (!has_whole_groups())
#pragma unroll
      for (int j = 0; j < tiles.n; ++j)
        for_rows<Result, 1>(c, arguments.c_stride, x, first, j, column_of(j) < arguments.n,
                            add_some);
  }

  /// True if every run of `width` neighbouring columns of the thread block lies entirely inside the
  /// matrix, or entirely outside.
  HEDDLE_DEVICE bool has_whole_groups() const {
    const unsigned n = hidden(arguments.n);
    return n % width == 0 || first_column + block_columns <= n;
  }

  /// The lane's column of tile j.
  HEDDLE_DEVICE unsigned column_of(int j) const {
    return column + block_row<tiles.interleave_n>(static_cast<unsigned>(j), 0);
  }

  /// Calls visit<count>(buffer, offset, tiles, e) for the lane's rows of tiles j … j + count - 1.
  /// The elements e of these tiles are neighbours in the matrix of `T`, at `offset`. Lanes that are
  /// not `inside` get offsets beyond the bounds, instead of a branch: with a branch that only some
  /// lanes take, the compiler would move the sums.
  template <class T, int count, class Tile, int rows>
  HEDDLE_DEVICE void for_rows(const void* matrix, unsigned stride, Tile (&x)[rows][tiles.n],
                              unsigned first, int j, bool inside, auto&& visit) const {
    const BlockRows<T> block(matrix, arguments, stride, first_row, block_rows, lane_row,
                             column_of(j));
    const unsigned step =
        inside ? block_row<tiles.interleave_m>(0, Place::row(1, 0u)) * block.row_bytes : 0;
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      keep_order();
      const unsigned row =
          block_row<tiles.interleave_m>(first_tile_m + first + static_cast<unsigned>(i), 0);
      unsigned offset = inside ? block.offset + row * block.row_bytes : block.bytes;
#pragma unroll
      for (int e = 0; e < Place::size; ++e, offset += step)
        visit.template operator()<count>(block.buffer, offset, &x[i][j], e);
      keep_together(x[i]);
    }
  }
};

#endif  // __HIP__

}  // namespace heddle::kernels::rdna
