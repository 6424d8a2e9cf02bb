func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32> -> tensor<42x64xf32> {
  return %c : tensor<42x64xf32>
}
// input:1:86: error: expected ')'
// input: note: accepted is MLIR with a func.func of products, as in examples/matmul.mlir, or of a warp's vectors, as in examples/warp.mlir
