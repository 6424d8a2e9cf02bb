// Weights of 4 bits, two to a byte, for 96 columns. Each column has a scale and a zero point for
// every 16 numbers along k, which is two loops here.
#weights = affine_map<(n, g, k) -> (n, g, k)>
#group = affine_map<(n, g, k) -> (n, g)>
func.func @nibbles(%x: tensor<42x4x16xf16>, %q: tensor<96x4x16xi4>, %scales: tensor<96x4xf16>, %zeros: tensor<96x4xi4>) -> tensor<42x96xf32> {
  %none = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<96x4x16xf16>
  %w = linalg.generic {indexing_maps = [#weights, #group, #group, #weights], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %scales, %zeros : tensor<96x4x16xi4>, tensor<96x4xf16>, tensor<96x4xi4>) outs(%empty : tensor<96x4x16xf16>) {
  ^bb0(%number: i4, %scale: f16, %zero: i4, %unused: f16):
    %wide = arith.extui %number : i4 to i32
    %from = arith.extui %zero : i4 to i32
    %moved = arith.subi %wide, %from : i32
    %real = arith.sitofp %moved : i32 to f16
    %scaled = arith.mulf %real, %scale : f16
    linalg.yield %scaled : f16
  } -> tensor<96x4x16xf16>
  %d = tensor.empty() : tensor<42x96xf32>
  %initial = linalg.fill ins(%none : f32) outs(%d : tensor<42x96xf32>) -> tensor<42x96xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>, affine_map<(m, n, g, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<42x4x16xf16>, tensor<96x4x16xf16>) outs(%initial : tensor<42x96xf32>) {
  ^bb0(%left: f16, %right: f16, %sum: f32):
    %a = arith.extf %left : f16 to f32
    %b = arith.extf %right : f16 to f32
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %product, %sum : f32
    linalg.yield %next : f32
  } -> tensor<42x96xf32>
  return %result : tensor<42x96xf32>
}
