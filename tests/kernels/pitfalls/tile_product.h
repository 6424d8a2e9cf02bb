// What the fixtures share: C = A * B by waves that make a 16x16 tile each, with the parts in which
// a fixture makes its mistake given to it. MISTAKE is 1 for the mistake and 0 for the corrected
// twin.
#pragma once

#include "../../device/hand_written/wmma_fragment.h"

#ifndef MISTAKE
#define MISTAKE 0
#endif

// A wave's place: its tile of C, and this lane.
struct Place {
  int lane, row, column;
};

__device__ inline Place place_of_wave() {
  return {thread_index() % 32, 16 * block_index_y(), 16 * block_index_x()};
}

// `element(r, k)`: of row r of A, or column r of B, inside the tile.
template <class Element>
__device__ inline Fragment load(int lane, Element element) {
  Fragment fragment;
#pragma unroll
  for (int e = 0; e < fragment_size; ++e)
    fragment[e] = element(fragment_row(lane), fragment_k(lane) + e);
  return fragment;
}

__device__ inline void store(const Place& at, float8 sum, float* c, int n) {
#pragma unroll
  for (int e = 0; e < 8; ++e)
    c[(at.row + accumulator_row(at.lane, e)) * n + at.column + at.lane % 16] = sum[e];
}
