// Layouts in a kernel: known at compile time, and passed as an argument.
#include "heddle/layout/layout.h"

using namespace heddle::layout;

constexpr LinearLayout accumulator =
    parse("register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) -> m: 16, n: 16")
        .value();
constexpr LinearLayout row_major =
    parse("offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0) -> m: 16, n: 16").value();
constexpr LinearLayout store = invert_and_compose(accumulator, row_major).value();

// Eight values a lane, each to its place in a row-major 16x16 tile.
__attribute__((global)) void store_tile(float* tile, const float* values) {
  const unsigned lane = __builtin_amdgcn_workitem_id_x();
#pragma unroll
  for (unsigned register_index = 0; register_index < 8; ++register_index) {
    tile[store.apply(register_index | lane << 3)] = values[lane * 8 + register_index];
  }
}

// Any layout, chosen by the host.
__attribute__((global)) void apply_each(LinearLayout layout, unsigned long* words) {
  const unsigned lane = __builtin_amdgcn_workitem_id_x();
  words[lane] = layout.apply(words[lane]);
}

// What may fail, in device code: a failed value() would trap.
__attribute__((global)) void invert_it(LinearLayout layout, LinearLayout* inverse) {
  *inverse = invert(layout).value();
}
