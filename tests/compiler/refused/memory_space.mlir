func.func @matmul(%a: memref<42x32xf16, 3>, %b: memref<32x64xf16, 3>, %c: memref<42x64xf32, 3>) {
  linalg.matmul ins(%a, %b : memref<42x32xf16, 3>, memref<32x64xf16, 3>) outs(%c : memref<42x64xf32, 3>)
  return
}
// input:1:19: error: the memory space of memref<42x32xf16, 3>; accepted: global memory: the default one, or 1
