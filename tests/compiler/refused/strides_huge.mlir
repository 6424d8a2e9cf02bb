func.func @matmul(%a: memref<42x32xf16, strided<[9223372036854775807, 1]>>, %b: memref<32x64xf16>, %c: memref<42x64xf32, strided<[64, 1], offset: 9223372036854775807>>) {
  linalg.matmul ins(%a, %b : memref<42x32xf16, strided<[9223372036854775807, 1]>>, memref<32x64xf16>) outs(%c : memref<42x64xf32, strided<[64, 1], offset: 9223372036854775807>>)
  return
}
// input:1:19: error: the layout of memref<42x32xf16, strided<[9223372036854775807, 1]>>; accepted: row-major, or strides from 1 and an offset, up to 2147483647
