func.func @matmul(%a: memref<32x32xf16>, %b: memref<32x32xf16>) {
  linalg.matmul ins(%a, %b : memref<32x32xf16>, memref<32x32xf16>) outs(%b : memref<32x32xf16>)
  return
}
// input:2:3: error: an operation that reads the memory which it writes; accepted: other memory, or each element where it is written
