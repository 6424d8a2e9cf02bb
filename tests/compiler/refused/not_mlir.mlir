C = A @ B
// input:1:1: error: custom op 'C' is unknown (tried 'builtin.C' as well)
// input: note: accepted is MLIR with one func.func: one linalg.matmul, as in examples/matmul.mlir, or a warp's vectors, as in examples/warp.mlir
