// Each element becomes the sum of itself and its right neighbour, which the next workgroup writes.
#include "between_workgroups.h"

extern "C" __global__ void __launch_bounds__(64) add_neighbour(const int* x, int* y) {
  const int i = 64 * block_index_x() + thread_index();
  const int* from = MISTAKE ? y : x;
  int* to = y;
  const int sum = from[i] + (i + 1 < 256 ? from[i + 1] : 0);
  synchronize_block();
  to[i] = sum;
}

extern "C" __global__ void __launch_bounds__(64) straight(const int* x, int* y) {
  const int i = 64 * block_index_x() + thread_index();
  y[i] = x[i] + (i + 1 < 256 ? x[i + 1] : 0);
}
