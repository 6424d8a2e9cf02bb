func.func @matmul(%a: tensor<42x32xi128>, %b: tensor<32x64xi128>, %c: tensor<42x64xi128>) -> tensor<42x64xi128> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xi128>, tensor<32x64xi128>) outs(%c : tensor<42x64xi128>) -> tensor<42x64xi128>
  return %d : tensor<42x64xi128>
}
// input:1:19: error: inputs of i128; accepted: elements of f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, f4E2M1FN, f8E8M0FNU, i64, i32, i16, i8, i4 and i1
