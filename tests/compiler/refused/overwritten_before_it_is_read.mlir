func.func @f(%a: memref<32x32xf16>, %c: memref<32x32xf16>, %d: memref<32x32xf16>) {
  %before = memref.alloc() : memref<32x32xf16>
  memref.copy %c, %before : memref<32x32xf16> to memref<32x32xf16>
  linalg.matmul ins(%a, %a : memref<32x32xf16>, memref<32x32xf16>) outs(%c : memref<32x32xf16>)
  linalg.matmul ins(%before, %a : memref<32x32xf16>, memref<32x32xf16>) outs(%d : memref<32x32xf16>)
  return
}
// input:1:37: error: an argument that a product overwrites before another reads it; accepted: a product that reads it first, or a result in memory of its own
