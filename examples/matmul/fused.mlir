// A linear layer in one kernel: bytes of A become f16 on their way into shared memory; bias, relu
// and rounding happen to the sums in registers.
#row = affine_map<(m, n) -> (m, n)>
#bias = affine_map<(m, n) -> (n)>
func.func @fused(%a: tensor<42x32xi8>, %b: tensor<32x64xf16>, %bias: tensor<64xf32>) -> tensor<42x64xf16> {
  %wide_empty = tensor.empty() : tensor<42x32xf16>
  %wide = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<42x32xi8>) outs(%wide_empty : tensor<42x32xf16>) {
  ^bb0(%x: i8, %unused: f16):
    %number = arith.sitofp %x : i8 to f16
    %scale = arith.constant 0.125 : f16
    %scaled = arith.mulf %number, %scale : f16
    linalg.yield %scaled : f16
  } -> tensor<42x32xf16>
  %zero = arith.constant 0.0 : f32
  %sum_empty = tensor.empty() : tensor<42x64xf32>
  %c = linalg.fill ins(%zero : f32) outs(%sum_empty : tensor<42x64xf32>) -> tensor<42x64xf32>
  %sum = linalg.matmul ins(%wide, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  %empty = tensor.empty() : tensor<42x64xf16>
  %d = linalg.generic {indexing_maps = [#row, #bias, #row], iterator_types = ["parallel", "parallel"]} ins(%sum, %bias : tensor<42x64xf32>, tensor<64xf32>) outs(%empty : tensor<42x64xf16>) {
  ^bb0(%s: f32, %e: f32, %unused: f16):
    %biased = arith.addf %s, %e : f32
    %positive = arith.maximumf %biased, %zero : f32
    %narrow = arith.truncf %positive : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<42x64xf16>
  return %d : tensor<42x64xf16>
}
