// A load by inline assembly whose result is used without a wait: the compiler puts none there, as
// it does not know what the assembly loads.
#include "tile_product.h"

extern "C" __global__ void __launch_bounds__(64) copy(const int* x, int* y) {
  const int i = 64 * block_index_x() + thread_index();
  int value;
#if MISTAKE
  asm volatile("global_load_b32 %0, %1, off" : "=v"(value) : "v"(x + i));
#elif defined(__GFX12__)
  asm volatile("global_load_b32 %0, %1, off\n\ts_wait_loadcnt 0x0" : "=v"(value) : "v"(x + i));
#else
  asm volatile("global_load_b32 %0, %1, off\n\ts_waitcnt vmcnt(0)" : "=v"(value) : "v"(x + i));
#endif
  y[i] = value;
}
