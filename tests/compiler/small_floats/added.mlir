// Floats of 8 bits that are read after the product, one of them where the result goes.
func.func @added(%a: tensor<40x32xf16>, %b: tensor<32x48xf16>, %r: tensor<40x48xf8E4M3FN>, %c: tensor<40x48xf8E5M2>) -> tensor<40x48xf8E5M2> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<40x48xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<40x48xf32>) -> tensor<40x48xf32>
  %d = linalg.matmul ins(%a, %b : tensor<40x32xf16>, tensor<32x48xf16>) outs(%zeros : tensor<40x48xf32>) -> tensor<40x48xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%d, %r : tensor<40x48xf32>, tensor<40x48xf8E4M3FN>) outs(%c : tensor<40x48xf8E5M2>) {
  ^bb0(%v: f32, %x: f8E4M3FN, %o: f8E5M2):
    %factor = arith.extf %x : f8E4M3FN to f32
    %old = arith.extf %o : f8E5M2 to f32
    %scaled = arith.mulf %v, %factor : f32
    %sum = arith.addf %scaled, %old : f32
    %t = arith.truncf %sum : f32 to f8E5M2
    linalg.yield %t : f8E5M2
  } -> tensor<40x48xf8E5M2>
  return %e : tensor<40x48xf8E5M2>
}
