#same = affine_map<(i, j) -> (i, j)>
func.func @f(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<16x16xf16>, tensor<16x16xf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  %o = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%d : tensor<16x16xf32>) {
  ^bb0(%x: f32):
    %w = arith.extf %x : f32 to f64
    %y = arith.truncf %w : f64 to f32
    linalg.yield %y : f32
  } -> tensor<16x16xf32>
  return %o : tensor<16x16xf32>
}
// input:6:10: error: arith.extf on f64; accepted: operations on f32, f16, bf16, f8E4M3FN, f8E5M2, f4E2M1FN, f8E8M0FNU, i32, i16, i8, i4 and i1
