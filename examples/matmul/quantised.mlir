// Weights of 8 bits, of which each column has a scale and a zero point for every 16 rows. They
// become f16 on their way into shared memory, where the matrix cores multiply them.
#element = affine_map<(g, k, n) -> (g, k, n)>
#group = affine_map<(g, k, n) -> (g, n)>
func.func @quantised(%x: tensor<42x64xf16>, %weights: tensor<64x96xi8>, %scales: tensor<4x96xf16>, %zeros: tensor<4x96xf16>) -> tensor<42x96xf32> {
  %none = arith.constant 0.0 : f32
  %stored = tensor.expand_shape %weights [[0, 1], [2]] output_shape [4, 16, 96] : tensor<64x96xi8> into tensor<4x16x96xi8>
  %empty = tensor.empty() : tensor<4x16x96xf16>
  %grouped = linalg.generic {indexing_maps = [#element, #group, #group, #element], iterator_types = ["parallel", "parallel", "parallel"]} ins(%stored, %scales, %zeros : tensor<4x16x96xi8>, tensor<4x96xf16>, tensor<4x96xf16>) outs(%empty : tensor<4x16x96xf16>) {
  ^bb0(%q: i8, %scale: f16, %zero: f16, %unused: f16):
    %number = arith.sitofp %q : i8 to f16
    %moved = arith.subf %number, %zero : f16
    %scaled = arith.mulf %moved, %scale : f16
    linalg.yield %scaled : f16
  } -> tensor<4x16x96xf16>
  %w = tensor.collapse_shape %grouped [[0, 1], [2]] : tensor<4x16x96xf16> into tensor<64x96xf16>
  %d = tensor.empty() : tensor<42x96xf32>
  %initial = linalg.fill ins(%none : f32) outs(%d : tensor<42x96xf32>) -> tensor<42x96xf32>
  %result = linalg.matmul ins(%x, %w : tensor<42x64xf16>, tensor<64x96xf16>) outs(%initial : tensor<42x96xf32>) -> tensor<42x96xf32>
  return %result : tensor<42x96xf32>
}
