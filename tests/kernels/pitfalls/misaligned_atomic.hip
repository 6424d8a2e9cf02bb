// An atomic at an address that is no multiple of its size.
#include "tile_product.h"

extern "C" __global__ void __launch_bounds__(64) copy(const int* x, int* y) {
  const int i = 64 * block_index_x() + thread_index();
  y[i] = x[i];
  if (i == 0) {
    int zero = 0;
    asm volatile("" : "+v"(zero));  // so that the addition stays one
    int* place = reinterpret_cast<int*>(reinterpret_cast<char*>(y) + (MISTAKE ? 2 : 0));
    __scoped_atomic_fetch_add(place, zero, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  }
}
