#map = affine_map<(m, n) -> (m, n)>
#wide = affine_map<(m, n) -> (m, n)>
func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> (tensor<42x64xf32>, tensor<42x64xf32>) {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  %empty = tensor.empty() : tensor<42x64xf32>
  %e = linalg.generic {indexing_maps = [#map, #wide], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<42x64xf32>) outs(%empty : tensor<42x64xf32>) {
  ^bb0(%x: f32, %unused: f32):
    %y = arith.negf %x : f32
    linalg.yield %y : f32
  } -> tensor<42x64xf32>
  return %d, %e : tensor<42x64xf32>, tensor<42x64xf32>
}
