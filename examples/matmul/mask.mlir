// Where the mask says so an element of the product stays, and is -1 elsewhere. An i1 is a byte in
// memory.
#same = affine_map<(m, n) -> (m, n)>
func.func @masked(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %keep: tensor<42x64xi1>) -> tensor<42x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<42x64xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<42x64xf32>) -> tensor<42x64xf32>
  %sum = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%none : tensor<42x64xf32>) -> tensor<42x64xf32>
  %d = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%keep, %sum : tensor<42x64xi1>, tensor<42x64xf32>) outs(%empty : tensor<42x64xf32>) {
  ^bb0(%stays: i1, %x: f32, %unused: f32):
    %low = arith.constant -1.0 : f32
    %y = arith.select %stays, %x, %low : f32
    linalg.yield %y : f32
  } -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
