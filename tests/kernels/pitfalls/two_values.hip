// Every workgroup stores its number into one element. The twin stores the same value, which does no
// harm.
#include "between_workgroups.h"

extern "C" __global__ void __launch_bounds__(64) mark(const int* x, int* y, int* used) {
  const int i = 64 * block_index_x() + thread_index();
  y[i] = x[i];
  if (thread_index() == 0) used[0] = MISTAKE ? block_index_x() + 1 : 1;
}
