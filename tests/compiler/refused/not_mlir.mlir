C = A @ B
// input:1:1: error: custom op 'C' is unknown (tried 'builtin.C' as well)
// input: note: accepted is MLIR with one func.func and one linalg.matmul, such as examples/matmul.mlir
