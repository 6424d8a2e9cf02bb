// RMS normalisation and two projections of it: the sums of squares are a kernel of their own, and the
// normalised rows are computed on their way into each product.
#id = affine_map<(m, n) -> (m, n)>
#col = affine_map<(m, n) -> (m)>
func.func @norm(%x: tensor<37x64xf32>, %w: tensor<64x96xf32>, %v: tensor<64x32xf32>) -> (tensor<37x96xf32>, tensor<37x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %inv = arith.constant 0.015625 : f32
  %eps = arith.constant 1.0e-5 : f32
  %r = tensor.empty() : tensor<37xf32>
  %z = linalg.fill ins(%zero : f32) outs(%r : tensor<37xf32>) -> tensor<37xf32>
  %s = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<37x64xf32>) outs(%z : tensor<37xf32>) {
  ^bb0(%a: f32, %t: f32):
    %q = arith.mulf %a, %a : f32
    %n = arith.addf %t, %q : f32
    linalg.yield %n : f32
  } -> tensor<37xf32>
  %e = tensor.empty() : tensor<37x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<37x64xf32>, tensor<37xf32>) outs(%e : tensor<37x64xf32>) {
  ^bb0(%a: f32, %t: f32, %unused: f32):
    %m = arith.mulf %t, %inv : f32
    %p = arith.addf %m, %eps : f32
    %q = math.rsqrt %p : f32
    %n = arith.mulf %a, %q : f32
    linalg.yield %n : f32
  } -> tensor<37x64xf32>
  %e1 = tensor.empty() : tensor<37x96xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<37x96xf32>) -> tensor<37x96xf32>
  %d1 = linalg.matmul ins(%y, %w : tensor<37x64xf32>, tensor<64x96xf32>) outs(%z1 : tensor<37x96xf32>) -> tensor<37x96xf32>
  %e2 = tensor.empty() : tensor<37x32xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<37x32xf32>) -> tensor<37x32xf32>
  %d2 = linalg.matmul ins(%y, %v : tensor<37x64xf32>, tensor<64x32xf32>) outs(%z2 : tensor<37x32xf32>) -> tensor<37x32xf32>
  return %d1, %d2 : tensor<37x96xf32>, tensor<37x32xf32>
}
