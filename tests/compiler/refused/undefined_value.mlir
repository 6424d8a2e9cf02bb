func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.matmul ins(%a, %bb : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:2:30: error: use of undeclared SSA value name
// input: note: accepted is MLIR with a func.func of products, as in examples/matmul.mlir, or of a warp's vectors, as in examples/warp.mlir
