func.func @matmul(%a: tensor<42x32xi16>, %b: tensor<32x64xi16>, %c: tensor<42x64xi32>) -> tensor<42x64xi32> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xi16>, tensor<32x64xi16>) outs(%c : tensor<42x64xi32>) -> tensor<42x64xi32>
  return %d : tensor<42x64xi32>
}
// input:1:19: error: inputs of i16; accepted: f16, bf16, f32, f8E4M3FN, f8E5M2, i4, i8 or i32 inputs
