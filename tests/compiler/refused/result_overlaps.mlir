func.func @matmul(%a: memref<42x32xf16>, %b: memref<32x64xf16>, %c: memref<42x64xf32, strided<[1, 1]>>) {
  linalg.matmul ins(%a, %b : memref<42x32xf16>, memref<32x64xf16>) outs(%c : memref<42x64xf32, strided<[1, 1]>>)
  return
}
// input:1:65: error: a result with several elements at one place, memref<42x64xf32, strided<[1, 1]>>; accepted: strides each larger than all that the smaller ones span, as row-major ones are
