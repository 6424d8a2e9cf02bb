// The GEMM of gfx11 and gfx12 with WMMA: a workgroup computes one rectangle of D.
//
//   tiles       a wave has tiles_m x tiles_n tiles of 16x16 of D in registers, and a workgroup has
//               waves_m x waves_n waves
//   staging     LDS holds two stages of a few slabs (slab.h). While one stage is multiplied, the
//               next is loaded from memory into registers. In the second half of the
//               multiplications it is stored into the other stage
//   fragments   a wave reads its tiles_m fragments of A, and those of B a few at a time
//   loop        unrolled over 128 bytes of k. There is one barrier a stage. Loads,
//               multiplications and stores are interleaved here, and the compiler is told to keep
//               that order
//   epilogue    from the registers to D (epilogue.h)
//
// The sources (operand_source.h) know where the pieces (16 bytes each) of A and B come from: from
// packed operands, or from rows of consecutive k.
#pragma once

#include "heddle/device/multiply_accumulate.h"
#include "kernels/rdna/epilogue.h"
#include "kernels/rdna/operand_source.h"

namespace heddle::kernels::rdna {

/// How a workgroup divides its block of D.
struct GemmTile {
  int waves_m, waves_n;
  int tiles_m, tiles_n;  // of 16x16, of a wave
  int slabs;             // of a stage
  int columns_at_once;   // fragments of B that a wave holds
  constexpr int waves() const { return waves_m * waves_n; }
  constexpr unsigned threads() const { return device::wave_size * static_cast<unsigned>(waves()); }
  constexpr int block_tiles_m() const { return waves_m * tiles_m; }
  constexpr int block_tiles_n() const { return waves_n * tiles_n; }
  constexpr unsigned block_m() const { return tile_rows * static_cast<unsigned>(block_tiles_m()); }
  constexpr unsigned block_n() const { return tile_rows * static_cast<unsigned>(block_tiles_n()); }
};

#if defined(__HIP__)

/// Sums of f32 or i32.
template <class T, class SumType, int tiles_m, int tiles_n>
struct Sums {
  using Sum = SumType;
  static constexpr bool are_results = false;
  device::Accumulator<Sum> sums[tiles_m][tiles_n];
  HEDDLE_DEVICE Sums() : sums{} {}
  template <class A, class B>
  HEDDLE_DEVICE void add(int i, int j, const A& a, const B& b) {
    sums[i][j] = device::multiply_accumulate(a, b, sums[i][j]);
  }
  HEDDLE_DEVICE Sum value(int i, int j, int e) const { return sums[i][j][e]; }
};

/// Sums in the type of the operands, rounded after every 16 k: two tiles share the registers of one
/// on gfx11 (OPSEL).
template <class T, int tiles_m, int tiles_n>
struct PairedSums {
  using Sum = float;
  static constexpr bool are_results = true;  // they have D's second type
  static_assert(tiles_n % 2 == 0, "tiles of a row come in pairs");
  device::AccumulatorPair<T> sums[tiles_m][tiles_n / 2];
  HEDDLE_DEVICE PairedSums() : sums{} {}
  template <class A, class B>
  HEDDLE_DEVICE void add(int i, int j, const A& a, const B& b) {
    if (j % 2 == 0)
      device::multiply_accumulate<device::Half::low>(a, b, sums[i][j / 2]);
    else
      device::multiply_accumulate<device::Half::high>(a, b, sums[i][j / 2]);
  }
  HEDDLE_DEVICE void drop_first_row() {
#pragma unroll
    for (int i = 0; i + 1 < tiles_m; ++i)
#pragma unroll
      for (int j = 0; j < tiles_n / 2; ++j) {
        sums[i][j] = sums[i + 1][j];
        for (auto& registers : sums[i][j].registers) asm volatile("" : "+v"(registers));
      }
  }
  HEDDLE_DEVICE float value(int i, int j, int e) const {
    return static_cast<float>(j % 2 == 0 ? sums[i][j / 2].template get<device::Half::low>()[e]
                                         : sums[i][j / 2].template get<device::Half::high>()[e]);
  }
};

/// Waits for all LDS accesses, or all loads from memory, of this wave. Without this wait, the
/// compiler puts a wait before each use of a loaded register; this single wait replaces them. On
/// gfx12, which has other counters, the waits are left to the compiler. (RDNA3 ISA, "S_WAITCNT":
/// vmcnt in bits 15..10, lgkmcnt in 9..4, expcnt in 2..0.)
HEDDLE_DEVICE inline void wait_for_lds() {
#if !defined(__GFX12__)
  __builtin_amdgcn_s_waitcnt(0x3f << 10 | 0 << 4 | 7);
#endif
}
HEDDLE_DEVICE inline void wait_for_loads() {
#if !defined(__GFX12__)
  __builtin_amdgcn_s_waitcnt(0 << 10 | 0x3f << 4 | 7);
#endif
}
HEDDLE_DEVICE inline void wait_for_lds_and_loads() {
#if !defined(__GFX12__)
  __builtin_amdgcn_s_waitcnt(0 << 10 | 0 << 4 | 7);
#endif
}

/// What one lane multiplies of a tile (16 rows of A or columns of B) in a slab (32 bytes of k), in
/// pieces of 16 bytes.
template <class T>
struct SlabFragment {
  static constexpr int steps = static_cast<int>(slab_depth<T>) / 16;  // WMMAs
  Piece pieces[Share::pieces];

  HEDDLE_DEVICE void load(const Piece* cell_and_lane) {
#pragma unroll
    for (int p = 0; p < Share::pieces; ++p)
      pieces[p] = cell_and_lane[static_cast<unsigned>(p) * Share::second_piece];
  }
  /// The fragment of one WMMA.
  template <class Fragment>
  HEDDLE_DEVICE Fragment step(int number) const {
    struct Whole {
      Piece pieces[Share::pieces];
    } whole;
    for (int p = 0; p < Share::pieces; ++p) whole.pieces[p] = pieces[p];
    struct Parts {
      typename Fragment::Registers parts[steps];
    };
    static_assert(sizeof(Parts) == sizeof(Whole));
    Fragment fragment;
    fragment.registers = __builtin_bit_cast(Parts, whole).parts[number];
    return fragment;
  }
};

/// One kernel: types, tile, and the two kinds of sources.
template <class ElementA, class ElementB, class SumsType, class Second, GemmTile tile_,
          template <class, Staging> class SourceA, int interleave_a,
          template <class, Staging> class SourceB, int interleave_b>
struct Gemm {
  static constexpr GemmTile tile = tile_;
  using Sum = typename SumsType::Sum;
  using FragmentsA = SlabFragment<ElementA>;
  using FragmentsB = SlabFragment<ElementB>;
  static constexpr int steps = FragmentsA::steps;
  static_assert(sizeof(ElementA) == sizeof(ElementB));
  static_assert(tile.tiles_n % tile.columns_at_once == 0);

  using StagedA =
      SourceA<ElementA, Staging{tile.block_tiles_m(), tile.slabs, tile.waves(), interleave_a}>;
  using StagedB =
      SourceB<ElementB, Staging{tile.block_tiles_n(), tile.slabs, tile.waves(), interleave_b}>;
  static constexpr bool a_is_direct = Direct<StagedA>;
  static_assert(!a_is_direct || (tile.waves_n == 1 && tile.columns_at_once == tile.tiles_n),
                "past LDS goes what no other wave reads, and B waits in registers");

  struct Stage {
    Piece b[tile.block_tiles_n() * tile.slabs * cell_pieces];
    Piece a[a_is_direct ? 1 : tile.block_tiles_m() * tile.slabs * cell_pieces];
  };
  struct Memory {
    Stage stages[2];
  };

  /// The number of stages in one iteration of the loop: at least 128 bytes of k, and an even number
  /// of stages.
  static constexpr int unrolled =
      128 / (slab_bytes * tile.slabs) < 2 ? 2 : 128 / (slab_bytes * tile.slabs);

  static constexpr int loads = StagedA::loads + StagedB::loads;
  static constexpr int stores = StagedA::stores + StagedB::stores;
  static constexpr int products = tile.slabs * steps * tile.tiles_m * tile.tiles_n;  // of a stage

  /// The two sources as one: all loads, then all stores.
  struct Sources {
    StagedA a;
    StagedB b;
    HEDDLE_DEVICE void issue(int i, int ahead) {
      if (i < StagedA::loads)
        a.issue(i, ahead);
      else
        b.issue(i - StagedA::loads, ahead);
    }
    HEDDLE_DEVICE void commit(int i, Stage& stage) {
      if (i < StagedA::stores)
        a.commit(i, stage.a);
      else
        b.commit(i - StagedA::stores, stage.b);
    }
    HEDDLE_DEVICE void move_to(unsigned at) {
      a.move_to(at);
      b.move_to(at);
    }
  };

  /// The bytes by which a source advances in one iteration of the loop.
  static constexpr unsigned turn = static_cast<unsigned>(unrolled) * StagedB::stage_bytes;

  /// Multiplies one stage. After product i, `between(i)` may do other work.
  HEDDLE_DEVICE static void multiply(SumsType& sums, const Piece* a, const Piece* b,
                                     auto&& between) {
    int product = 0;
#pragma unroll
    for (int slab = 0; slab < tile.slabs; ++slab) {
      const auto cell_at = [&](const Piece* operand, int number) {
        return operand + static_cast<unsigned>(number * tile.slabs + slab) * cell_pieces;
      };
      FragmentsA fragments_a[tile.tiles_m];
#pragma unroll
      for (int i = 0; i < tile.tiles_m; ++i) fragments_a[i].load(cell_at(a, i));
#pragma unroll
      for (int first = 0; first < tile.tiles_n; first += tile.columns_at_once) {
        FragmentsB fragments_b[tile.columns_at_once];
#pragma unroll
        for (int j = 0; j < tile.columns_at_once; ++j) fragments_b[j].load(cell_at(b, first + j));
        keep_order();
        wait_for_lds();
        keep_order();
#pragma unroll
        for (int step = 0; step < steps; ++step)
#pragma unroll
          for (int j = 0; j < tile.columns_at_once; ++j)
#pragma unroll
            for (int i = 0; i < tile.tiles_m; ++i) {
              sums.add(i, first + j,
                       fragments_a[i].template step<device::FragmentA<ElementA>>(step),
                       fragments_b[j].template step<device::FragmentB<ElementB>>(step));
              between(product++);
            }
        keep_order();
      }
    }
  }

  /// Multiplies one stage, as `multiply` does, with fragments of A that are already in registers.
  /// After the last product of a fragment of A, the same fragment of the next slab is loaded into
  /// its registers.
  HEDDLE_DEVICE static void multiply_direct(SumsType& sums, FragmentsA (&fragments_a)[tile.tiles_m],
                                            const StagedA& source, const Piece* b, int stage,
                                            auto&& between) {
    int product = 0;
#pragma unroll
    for (int slab = 0; slab < tile.slabs; ++slab) {
      FragmentsB fragments_b[tile.tiles_n];
#pragma unroll
      for (int j = 0; j < tile.tiles_n; ++j)
        fragments_b[j].load(b + static_cast<unsigned>(j * tile.slabs + slab) * cell_pieces);
      keep_order();
      wait_for_lds_and_loads();
      keep_order();
      const int next_slab = stage * tile.slabs + slab + 1;
      const auto renew = [&](int i, int piece) {
        keep_order();
        fragments_a[i].pieces[piece] = source.load(i, piece, next_slab);
        keep_order();
      };
#pragma unroll
      for (int i = 0; i < tile.tiles_m; ++i)
#pragma unroll
        for (int step = 0; step < steps; ++step)
#pragma unroll
          for (int j = 0; j < tile.tiles_n; ++j) {
            sums.add(i, j, fragments_a[i].template step<device::FragmentA<ElementA>>(step),
                     fragments_b[j].template step<device::FragmentB<ElementB>>(step));
            between(product++);
            if (i > 0 && step == 0 && j < Share::pieces) renew(i - 1, j);
          }
#pragma unroll
      for (int piece = 0; piece < Share::pieces; ++piece) renew(tile.tiles_m - 1, piece);
    }
  }

  /// The work after product `number` of a stage: in the first half the loads of the next stage, in
  /// the second half their stores into LDS.
  HEDDLE_DEVICE static void move_next_stage(Sources& sources, Stage& next, int ahead, int number) {
    constexpr int half = products / 2;
    const auto due = [&](int count, int from, int i) { return i * half / count == number - from; };
    if (number < half) {
#pragma unroll
      for (int i = 0; i < loads; ++i)
        if (due(loads, 0, i)) {
          keep_order();
          sources.issue(i, ahead);
          keep_order();
        }
      return;
    }
    if (number == half && !a_is_direct) wait_for_loads();
#pragma unroll
    for (int i = 0; i < stores; ++i)
      if (due(stores, half, i)) {
        keep_order();
        sources.commit(i, next);
        keep_order();
      }
  }

  /// Adds up the sums of this wave over `stages` stages, a multiple of `unrolled`.
  HEDDLE_DEVICE static void accumulate(SumsType& sums, Sources& sources, Memory& memory,
                                       unsigned stages, unsigned first_tile_m,
                                       unsigned first_tile_n) {
    const unsigned share = Share::place(device::lane_index());
    const unsigned in_a = first_tile_m * tile.slabs * cell_pieces + share;
    const unsigned in_b = first_tile_n * tile.slabs * cell_pieces + share;
#pragma unroll
    for (int i = 0; i < loads; ++i) sources.issue(i, 0);
#pragma unroll
    for (int i = 0; i < stores; ++i) sources.commit(i, memory.stages[0]);
    [[maybe_unused]] FragmentsA fragments_a[tile.tiles_m];
    if constexpr (a_is_direct)
#pragma unroll
      for (int i = 0; i < tile.tiles_m; ++i)
#pragma unroll
        for (int piece = 0; piece < Share::pieces; ++piece)
          fragments_a[i].pieces[piece] = sources.a.load(i, piece, 0);
    device::synchronize_shared();
    // The very last stage has no next stage to load.
    const auto take_turn = [&]<bool is_last>(unsigned at) {
      sources.move_to(at);
#pragma unroll
      for (int u = 0; u < unrolled; ++u) {
        const bool brings_next = !is_last || u + 1 < unrolled;
        const Stage& current = memory.stages[u % 2];
        Stage& next = memory.stages[1 - u % 2];
        const auto between = [&](int product) {
          if (brings_next) move_next_stage(sources, next, u + 1, product);
        };
        if constexpr (a_is_direct)
          multiply_direct(sums, fragments_a, sources.a, current.b + in_b, u, between);
        else
          multiply(sums, current.a + in_a, current.b + in_b, between);
        if (!brings_next) continue;
        device::synchronize_shared();
      }
    };
    // The counter is in bytes, as in move_to: one scalar register is counter and offset.
    const unsigned end = stages / unrolled * turn;
    if constexpr (a_is_direct) {
      for (unsigned at = 0; at < end; at += turn) take_turn.template operator()<false>(at);
      return;
    }
    // The first turn is before the loop: its products add to a constant 0, so no register has to be
    // zeroed. The last turn is after the loop, as it loads no next stage. If A comes from a direct
    // source, there are too few registers for a turn outside the loop.
    take_turn.template operator()<false>(0);
    const unsigned last = end - turn;
    for (unsigned at = turn; at < last; at += turn) take_turn.template operator()<false>(at);
    if (last != 0) take_turn.template operator()<true>(last);
  }

  using Place = device::Accumulator<Sum>;
  using WayOut =
      Epilogue<Second, Place, WaveTiles{tile.tiles_m, tile.tiles_n, interleave_a, interleave_b},
               tile.block_m(), tile.block_n()>;

  template <class Number, int rows>
  using Values = typename WayOut::template Values<Number, rows>;

  /// Copies the first `rows` rows of tiles of the sums, converted to Number.
  template <class Number, int rows>
  HEDDLE_DEVICE static void take(const SumsType& sums, Values<Number, rows>& values) {
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int e = 0; e < Place::size; ++e)
#pragma unroll
        for (int j = 0; j < tile.tiles_n; ++j)
          values[i][j][e] = static_cast<Number>(sums.value(i, j, e));
  }

  HEDDLE_DEVICE static void store(SumsType& sums, const WayOut& way_out) {
    constexpr int all = tile.tiles_m;
    if constexpr (SumsType::are_results) {
      // Two sums that share a register are two neighbouring elements of D.
      if (way_out.only_stores_second()) {
        Values<Second, all> values;
        take<Second, all>(sums, values);
        way_out.template store<Second, Second, all>(values, 0);
      }
      // There are not enough registers for all sums in f32. So one row of tiles is processed at a
      // time, and then the rows that are left move up.
      const unsigned rows = way_out.only_stores_second() ? 0 : all;
#pragma unroll 1
      for (unsigned first = 0; first < rows; ++first) {
        Values<float, 1> values;
        take<float, 1>(sums, values);
        way_out.template finish<float, 1>(values, first);
        sums.drop_first_row();
      }
    } else {
      Values<Sum, all> values;
      take<Sum, all>(sums, values);
      if constexpr (std::is_same_v<Sum, float>) {
        way_out.template finish<float, all>(values, 0);
      } else {
        if (way_out.has_second_result()) way_out.template finish<Sum, all>(values, 0);
        if (!way_out.has_second_result()) {
          Values<float, all> in_f32;
#pragma unroll
          for (int i = 0; i < all; ++i)
#pragma unroll
            for (int j = 0; j < tile.tiles_n; ++j)
              in_f32[i][j] =
                  __builtin_convertvector(values[i][j], device::Vector<float, Place::size>);
          way_out.template finish<float, all>(in_f32, 0);
        }
      }
    }
  }

  HEDDLE_DEVICE static void run(const void* a, const void* b, const void* c, const void* bias,
                                void* d, const GemmArguments& arguments, Memory& memory) {
    constexpr GemmTile shape = tile;
    constexpr unsigned block_m = shape.block_m(), block_n = shape.block_n();
    const unsigned wave = device::wave_index(), lane = device::lane_index();
    const unsigned first_row = device::block_index_y() * block_m;
    const unsigned first_column = device::block_index_x() * block_n;
    const unsigned first_tile_m = wave / shape.waves_n * shape.tiles_m;
    const unsigned first_tile_n = wave % shape.waves_n * shape.tiles_n;
    Sources sources{
        StagedA({a, arguments.m, arguments.k, arguments.a_row_stride, arguments.a_k_stride},
                first_row, wave, lane),
        StagedB({b, arguments.n, arguments.k, arguments.b_row_stride, arguments.b_k_stride},
                first_column, wave, lane)};
    constexpr unsigned depth = slab_depth<ElementA> * shape.slabs * unrolled;
    SumsType sums;
    accumulate(sums, sources, memory, (arguments.k + depth - 1) / depth * unrolled, first_tile_m,
               first_tile_n);
    store(sums, WayOut(c, bias, d, arguments, first_row, first_column, first_tile_m, first_tile_n));
  }
};

#endif  // __HIP__

}  // namespace heddle::kernels::rdna
