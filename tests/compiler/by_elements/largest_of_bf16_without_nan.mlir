// The place of the largest number of bf16, where the text says that none is NaN.
#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (i)>
func.func @largest_of_bf16_without_nan(%a: tensor<6x200xbf16>) -> (tensor<6xbf16>, tensor<6xi32>) {
  %least = arith.constant 0xFF80 : bf16
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<6xbf16>
  %f = tensor.empty() : tensor<6xi32>
  %c = linalg.fill ins(%least : bf16) outs(%e : tensor<6xbf16>) -> tensor<6xbf16>
  %d = linalg.fill ins(%zero : i32) outs(%f : tensor<6xi32>) -> tensor<6xi32>
  %r:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<6x200xbf16>) outs(%c, %d : tensor<6xbf16>, tensor<6xi32>) {
  ^bb0(%x: bf16, %m: bf16, %p: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %n = arith.maximumf %x, %m fastmath<nnan> : bf16
    %g = arith.cmpf ogt, %x, %m fastmath<nnan> : bf16
    %q = arith.select %g, %k, %p : i32
    linalg.yield %n, %q : bf16, i32
  } -> (tensor<6xbf16>, tensor<6xi32>)
  return %r#0, %r#1 : tensor<6xbf16>, tensor<6xi32>
}
