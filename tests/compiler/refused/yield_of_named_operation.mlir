func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  %e = tensor.empty() : tensor<42x64xf16>
  %f = linalg.add ins(%d, %d : tensor<42x64xf32>, tensor<42x64xf32>) outs(%e : tensor<42x64xf16>) -> tensor<42x64xf16>
  return %c : tensor<42x64xf32>
}
// input:4:8: error: 'linalg.yield' op type of yield operand 1 ('f32') doesn't match the element type of the enclosing linalg.generic op ('f16')
// input: note: accepted is MLIR with a func.func of products, as in examples/matmul.mlir, or of a warp's vectors, as in examples/warp.mlir
