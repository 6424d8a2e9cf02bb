#same = affine_map<(i, j) -> (i, j)>
func.func @f(%a: tensor<?x512xf16>, %b: tensor<64x32xf32>, %e: tensor<?x?xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %w = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x512xf16>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f16, %y: f32):
    %z = arith.extf %x : f16 to f32
    linalg.yield %z : f32
  } -> tensor<?x?xf32>
  %d = linalg.matmul ins(%w, %b : tensor<?x?xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %d : tensor<?x32xf32>
}
// input:8:8: error: linalg.matmul over 512 in dimension 1 of operand 0 and over 64 in dimension 0 of operand 1; accepted: equal sizes where one loop runs
