func.func @largest(%x: tensor<4x64xf32>, %v: tensor<4x8xf32>, %p: tensor<4x8xi32>) -> tensor<4x8xf32> {
  %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<4x64xf32>) outs(%v, %p : tensor<4x8xf32>, tensor<4x8xi32>)
  return %r#0 : tensor<4x8xf32>
}
// input:2:10: error: Dialect `tm_tensor' not found for custom op 'tm_tensor.topk'
// input: note: torch-mlir-opt --tm-tensor-bufferize --tm-tensor-to-loops lowers tm_tensor.topk to loops that exchange elements in memory, which have no kernel; accepted for each of the largest elements: a linalg.generic of the element and its place, and one that leaves it out
// input: note: accepted is MLIR with a func.func of products, as in examples/matmul.mlir, or of a warp's vectors, as in examples/warp.mlir
