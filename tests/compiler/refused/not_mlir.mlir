C = A @ B
// input:1:1: error: custom op 'C' is unknown (tried 'builtin.C' as well)
// input: note: accepted is MLIR with a func.func of products, as in examples/matmul.mlir, or of a warp's vectors, as in examples/warp.mlir
