func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>) -> tensor<42x64xf32> {
  %d = mylib.matmul %a, %b : tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:2:8: error: Dialect `mylib' not found for custom op 'mylib.matmul'
// input: note: accepted is MLIR with a func.func of products, as in examples/matmul.mlir, or of a warp's vectors, as in examples/warp.mlir
