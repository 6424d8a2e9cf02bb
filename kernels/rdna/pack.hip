// The packing kernels: blocks of 256 threads, one piece of 16 bytes a thread.
#include "kernels/rdna/pack.h"

#define HEDDLE_PACK(name, T)                                                       \
  extern "C" __global__ void __launch_bounds__(256)                                \
      name(const T* from, heddle::kernels::rdna::Piece* packed,                    \
           heddle::kernels::PackArguments arguments) {                             \
    heddle::kernels::rdna::pack<T>(                                                \
        from, packed, arguments,                                                   \
        heddle::device::block_index_x() * 256 + heddle::device::thread_index_x()); \
  }

// 16-bit elements are moved, not read: one kernel for f16 and bf16.
HEDDLE_PACK(pack_16, heddle::device::half_t)
HEDDLE_PACK(pack_8, std::int8_t)
