// Writes tests/data/cute_tiled_mma.txt below its two lines of heading, from CUTLASS 4:
//   g++ -std=c++17 -I CUTLASS/include -I CUDA/include/cccl -I CUDA/include record_tiled_mma.cpp
#include <cstdio>

#include <cute/arch/mma_sm70.hpp>
#include <cute/arch/mma_sm80.hpp>
#include <cute/atom/mma_atom.hpp>
#include <cute/tensor.hpp>

using namespace cute;

template <class Product>
void record(Product product) {
  print(product);
  std::printf("TV_A ");
  print(product.get_layoutA_TV());
  std::printf("\nTV_B ");
  print(product.get_layoutB_TV());
  std::printf("\nTV_C ");
  print(product.get_layoutC_TV());
  std::printf("\n====\n");
}

int main() {
  record(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}));
  record(make_tiled_mma(SM80_16x8x8_F16F16F16F16_TN{}, Layout<Shape<_2, _2, _1>>{}));
  record(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_4, _1, _1>>{}));
  record(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{},
                        Layout<Shape<_2, _4, _1>, Stride<_4, _1, _1>>{}));
  record(make_tiled_mma(SM80_16x8x32_S32S8S8S32_TN{}, Layout<Shape<_2, _1, _2>>{}));
  record(make_tiled_mma(UniversalFMA<float>{}, Layout<Shape<_16, _16, _1>>{}));
  // Modes that a layout permutes: FlashAttention's and sgemm_sm80's of the examples, and of Volta.
  record(make_tiled_mma(SM80_16x8x8_F32F16F16F32_TN{}, Layout<Shape<_2, _2, _1>>{},
                        Tile<_32, Layout<Shape<_8, _2, _2>, Stride<_1, _16, _8>>, _16>{}));
  record(make_tiled_mma(SM70_8x8x4_F32F16F16F32_NT{}, Layout<Shape<_2, _2>, Stride<_2, _1>>{},
                        Tile<Layout<Shape<_4, _4, _2>, Stride<_1, _8, _4>>, _32, _4>{}));
  record(make_tiled_mma(UniversalFMA<float>{}, Layout<Shape<_16, _16, _1>>{},
                        Tile<Layout<Shape<_16, _2>, Stride<_2, _1>>,
                             Layout<Shape<_16, _2>, Stride<_2, _1>>, Underscore>{}));
}
