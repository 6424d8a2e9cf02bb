#same = affine_map<(i, j) -> (i, j)>
func.func @f(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xi1> {
  %d = linalg.matmul ins(%a, %b : tensor<16x16xf16>, tensor<16x16xf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  %e = tensor.empty() : tensor<16x16xi1>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<16x16xf32>) outs(%e : tensor<16x16xi1>) {
  ^bb0(%x: f32, %y: i1):
    %z = arith.fptoui %x : f32 to i1
    linalg.yield %z : i1
  } -> tensor<16x16xi1>
  return %o : tensor<16x16xi1>
}
// input:7:10: error: arith.fptoui for each element; accepted: arith's constants, casts, add, sub, mul, divf, negf, maximum, minimum, maxnum, minnum, cmp, select, andi, ori, xori, shli, shrsi, shrui, divsi, divui, remsi, remui, floordivsi, ceildivsi; math's absf, ceil, floor, trunc, round, roundeven, sqrt, rsqrt, exp, exp2, expm1, log, log2, log1p, tanh, erf, sin, cos, powf, copysign, fma, clampf, absi; on f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, f4E2M1FN, f8E8M0FNU, i64, i32, i16, i8, i4 and i1
