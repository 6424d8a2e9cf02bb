func.func @f(%a: tensor<32x32xi4>, %b: tensor<32x32xi4>, %c: tensor<32x32xi4>) -> tensor<32x32xi4> {
  %d = linalg.matmul ins(%a, %b : tensor<32x32xi4>, tensor<32x32xi4>) outs(%c : tensor<32x32xi4>) -> tensor<32x32xi4>
  return %d : tensor<32x32xi4>
}
// input:2:8: error: a result of i4; accepted: f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, i64, i32, i16 or i8
