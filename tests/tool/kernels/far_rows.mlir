// Rows of D begin 120 MB apart: offsets of which MLIR's constant indices hold no more than 29 bits.
func.func @shared_tiles(%a: memref<9x9xf32>, %b: memref<9x9xf32>, %d: memref<9x9xf32, strided<[30000000, 1]>>) {
  linalg.matmul ins(%a, %b : memref<9x9xf32>, memref<9x9xf32>) outs(%d : memref<9x9xf32, strided<[30000000, 1]>>)
  return
}
