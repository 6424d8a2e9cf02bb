// A product of sizes that only a launch knows, which a function reads in both orders of n.
#own = affine_map<(i, j) -> (i, j)>
#other = affine_map<(i, j) -> (j, i)>
func.func @sum_with_its_transpose(%a: tensor<24x32xf32>, %b: tensor<32x24xf32>) -> tensor<?x?xf32> {
  %x = tensor.cast %a : tensor<24x32xf32> to tensor<?x32xf32>
  %y = tensor.cast %b : tensor<32x24xf32> to tensor<32x?xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x32xf32>
  %empty = tensor.empty(%m, %m) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%x, %y : tensor<?x32xf32>, tensor<32x?xf32>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [#own, #other, #own], iterator_types = ["parallel", "parallel"]} ins(%p, %p : tensor<?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%u: f32, %v: f32, %w: f32):
    %s = arith.subf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
