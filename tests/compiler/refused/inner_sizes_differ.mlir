func.func @matmul(%a: tensor<42x31xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<42x31xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:2:8: error: 'linalg.matmul' op inferred input/output operand #1 has shape's dimension #0 to be 31, but found 32
// input: note: accepted is MLIR with a func.func of products, as in examples/matmul.mlir, or of a warp's vectors, as in examples/warp.mlir
