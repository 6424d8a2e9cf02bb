func.func @matmul(%a: memref<42x32xf16, strided<[?, 1]>>, %b: memref<32x64xf16>, %c: memref<42x64xf32>) {
  linalg.matmul ins(%a, %b : memref<42x32xf16, strided<[?, 1]>>, memref<32x64xf16>) outs(%c : memref<42x64xf32>)
  return
}
// input:1:19: error: the layout of memref<42x32xf16, strided<[?, 1]>>; accepted: row-major, or constant strides from 1 and a constant offset, up to 2147483647
