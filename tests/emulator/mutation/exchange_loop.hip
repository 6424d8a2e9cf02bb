// Differences of floats in LDS, for which there is no instruction: LLVM makes of each a load and a
// loop around a compare-and-swap. The numbers are whole and small, so that their order makes no
// difference.
#include "../../../examples/hip_kernel.h"

static __shared__ float left[16];

extern "C" __global__ void __launch_bounds__(128) subtract(const int* x, int* y) {
  const int i = thread_index();
  if (i < 16) left[i] = 1 << 20;
  synchronize_block();
  const int number = x[128 * block_index_x() + i];
  __hip_atomic_fetch_sub(&left[number & 15], static_cast<float>(number), __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_WORKGROUP);
  synchronize_block();
  if (i < 16) y[16 * block_index_x() + i] = static_cast<int>(left[i]);
}
