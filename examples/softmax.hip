// Row softmax: out[r][c] = exp(in[r][c] - max of row r) / sum of those; f32, row-major, any
// sizes. One wave per row, and three ways for lanes to talk:
//
//   DPP          lane l reads lane l ^ 1, 2, 4, 8 of its own row of 16, inside the operation
//   permlanex16  lane l reads a lane of the other row of 16
//   ds_bpermute  lane l reads any lane, through the LDS crossbar (no LDS memory is used)
//
// Launch: blocks of 64 threads (2 waves, so 2 rows), ceil(rows / 2) of them.
#include "hip_kernel.h"

template <int control>
__device__ inline float dpp(float value) {
  const int bits = __builtin_bit_cast(int, value);
  return __builtin_bit_cast(float,
                            __builtin_amdgcn_update_dpp(bits, bits, control, 0xf, 0xf, true));
}

__device__ inline float other_row_of_16(float value) {
  const unsigned bits = __builtin_bit_cast(unsigned, value);
  // The selectors name, four bits each, the lane of the other row: the same one.
  return __builtin_bit_cast(
      float, __builtin_amdgcn_permlanex16(bits, bits, 0x76543210u, 0xfedcba98u, false, false));
}

__device__ inline float read_lane(float value, int lane) {
  const int bits = __builtin_bit_cast(int, value);
  return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(4 * lane, bits));
}

// Combines a value of all 32 lanes; every lane gets the result.
template <class Combine>
__device__ inline float reduce(float value, Combine combine) {
  constexpr int quad_swap_1 = 0xb1;       // quad_perm:[1,0,3,2]
  constexpr int quad_swap_2 = 0x4e;       // quad_perm:[2,3,0,1]
  constexpr int row_half_mirror = 0x141;  // lane 7 - l of each 8
  constexpr int row_mirror = 0x140;       // lane 15 - l of each 16
  value = combine(value, dpp<quad_swap_1>(value));
  value = combine(value, dpp<quad_swap_2>(value));
  value = combine(value, dpp<row_half_mirror>(value));
  value = combine(value, dpp<row_mirror>(value));
  value = combine(value, other_row_of_16(value));
  return read_lane(value, 31);
}

extern "C" __global__ void __launch_bounds__(64)
    softmax(const float* in, float* out, int rows, int columns) {
  const int lane = thread_index() % 32;
  const int row = 2 * block_index_x() + thread_index() / 32;
  if (row >= rows) return;
  const float* in_row = in + static_cast<long>(row) * columns;
  float* out_row = out + static_cast<long>(row) * columns;

  float largest = -__builtin_inff();
  for (int column = lane; column < columns; column += 32)
    largest = __builtin_fmaxf(largest, in_row[column]);
  largest = reduce(largest, [](float a, float b) { return __builtin_fmaxf(a, b); });

  float sum = 0;
  for (int column = lane; column < columns; column += 32)
    sum += __builtin_expf(in_row[column] - largest);
  sum = reduce(sum, [](float a, float b) { return a + b; });

  for (int column = lane; column < columns; column += 32)
    out_row[column] = __builtin_expf(in_row[column] - largest) / sum;
}
