// The GEMM kernels of the library. A kernel's name has the type of the operands and then the form
// of the operands:
//
//   packed           both operands packed (pack.hip), A past LDS
//   packed_shared    the same, both through LDS
//   nt               row-major, B transposed (n x k): with paired sums only
//
// `_paired` means that sums are rounded to the type of the operands after every 16 k, so that two
// tiles share their registers on gfx11. kernels/gemm.h chooses one and launches it. For row-major
// operands with sums of f32 and i32 the compiler makes the kernel (kernels/row_major_gemm.h).
//
// HEDDLE_GEMM_ELEMENT is the type: 0 f16, 1 bf16, 2 i8, 3 u8. A translation unit for each keeps the
// build parallel.
#include "kernels/rdna/gemm.h"

namespace heddle::kernels::rdna {
namespace {

#if HEDDLE_GEMM_ELEMENT == 0
using T = device::half_t;
using Sum = float;
using Second = device::half_t;
#elif HEDDLE_GEMM_ELEMENT == 1
using T = device::bhalf_t;
using Sum = float;
using Second = device::bhalf_t;
#else
#if HEDDLE_GEMM_ELEMENT == 2
using T = std::int8_t;
#else
using T = std::uint8_t;
#endif
using Sum = std::int32_t;
using Second = std::int32_t;
#endif

template <GemmTile tile>
using SumsOf = Sums<T, Sum, tile.tiles_m, tile.tiles_n>;

// 128x128 of D by 4 waves with two slabs a stage.
constexpr GemmTile large{2, 2, 4, 4, 2, 2};
using PackedShared = Gemm<T, T, SumsOf<large>, Second, large, PackedSource, packed_interleave,
                          PackedSource, packed_interleave>;

#if HEDDLE_GEMM_ELEMENT < 2
// 320x64 of D by 4 waves, one above the other: each has its own rows of A, past LDS.
constexpr GemmTile direct{4, 1, 5, 4, 2, 4};
using Packed = Gemm<T, T, SumsOf<direct>, Second, direct, DirectSource, packed_interleave,
                    PackedSource, packed_interleave>;

// 192x192 of D by 4 waves: with half the registers for a sum, a wave has 36 tiles.
constexpr GemmTile paired{2, 2, 6, 6, 1, 3};
using PairedPacked =
    Gemm<T, T, PairedSums<T, 6, 6>, Second, paired, PackedSource, 2, PackedSource, 2>;
using PairedNT = Gemm<T, T, PairedSums<T, 6, 6>, Second, paired, RowSource, 2, RowSource, 2>;
#endif

}  // namespace
}  // namespace heddle::kernels::rdna

// Four waves a SIMD at most: two workgroups of four waves on each compute unit, with 256 registers.
#define HEDDLE_GEMM(name, Kernel)                                                                  \
  extern "C" __global__ void __launch_bounds__(Kernel::tile.threads())                             \
      __attribute__((amdgpu_waves_per_eu(4, 4))) name(const void* a, const void* b, const void* c, \
                                                      const void* bias, void* d,                   \
                                                      heddle::kernels::GemmArguments arguments) {  \
    __shared__ Kernel::Memory memory;                                                              \
    Kernel::run(a, b, c, bias, d, arguments, memory);                                              \
  }

using namespace heddle::kernels::rdna;

#if HEDDLE_GEMM_ELEMENT == 0
HEDDLE_GEMM(gemm_f16_packed, Packed)
HEDDLE_GEMM(gemm_f16_packed_shared, PackedShared)
HEDDLE_GEMM(gemm_f16_packed_paired, PairedPacked)
HEDDLE_GEMM(gemm_f16_nt_paired, PairedNT)
#elif HEDDLE_GEMM_ELEMENT == 1
HEDDLE_GEMM(gemm_bf16_packed, Packed)
HEDDLE_GEMM(gemm_bf16_packed_shared, PackedShared)
HEDDLE_GEMM(gemm_bf16_packed_paired, PairedPacked)
HEDDLE_GEMM(gemm_bf16_nt_paired, PairedNT)
#elif HEDDLE_GEMM_ELEMENT == 2
HEDDLE_GEMM(gemm_i8_packed_shared, PackedShared)
#else
HEDDLE_GEMM(gemm_u8_packed_shared, PackedShared)
#endif
