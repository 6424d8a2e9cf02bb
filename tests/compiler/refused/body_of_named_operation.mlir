func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  %e = tensor.empty() : tensor<42x64xf32>
  %f = linalg.exp ins(%d : tensor<42x64xf32>) outs(%e : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %f : tensor<42x64xf32>
}
// input:4:8: error: math.exp for each element; accepted: arith's constants, casts, add, sub, mul, divf, negf, maximum, minimum, maxnum, minnum, cmp and select, of i1 and, or and xor too; on f32, f16, bf16, f8E4M3FN, f8E5M2, i32, i8 and i1
