// Every workgroup adds its row to the same 64 sums, with an ordinary +=.
#include "between_workgroups.h"

extern "C" __global__ void __launch_bounds__(64) sum_rows(const int* x, int* y) {
  const int i = thread_index(), value = x[64 * block_index_x() + i];
  if (MISTAKE)
    y[i] += value;
  else
    add_relaxed(&y[i], value);
}
