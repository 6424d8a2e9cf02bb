func.func @matmul(%a: memref<42x32xf16, strided<[64, 2]>>, %b: memref<32x64xf16>, %c: memref<42x64xf32>) {
  linalg.matmul ins(%a, %b : memref<42x32xf16, strided<[64, 2]>>, memref<32x64xf16>) outs(%c : memref<42x64xf32>)
  return
}
// input:1:19: error: an input whose last dimension is the batch, or has gaps; accepted: a last dimension of m, n or k with stride 1
