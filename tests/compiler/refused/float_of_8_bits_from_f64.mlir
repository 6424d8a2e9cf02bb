func.func @f(%a: tensor<32x32xf64>, %b: tensor<32x32xf64>, %c: tensor<32x32xf64>) -> tensor<32x32xf8E5M2> {
  %d = linalg.matmul ins(%a, %b : tensor<32x32xf64>, tensor<32x32xf64>) outs(%c : tensor<32x32xf64>) -> tensor<32x32xf64>
  %e = arith.truncf %d : tensor<32x32xf64> to tensor<32x32xf8E5M2>
  return %e : tensor<32x32xf8E5M2>
}
// input:2:8: error: an operation on f8E5M2 outside the product; accepted: the product, arith.extf to a type that is computed with, and casts of f32, f16, bf16 and integers to it
