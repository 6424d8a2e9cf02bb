// input:1:1: error: no function; accepted: one func.func of products, as in examples/matmul.mlir
