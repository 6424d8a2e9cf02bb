#column_major = affine_map<(i, j) -> (j, i)>
func.func @matmul(%a: memref<42x32xf16>, %b: memref<32x64xf16, #column_major>, %c: memref<42x64xf32>) {
  linalg.matmul ins(%a, %b : memref<42x32xf16>, memref<32x64xf16, #column_major>) outs(%c : memref<42x64xf32>)
  return
}
// input:2:42: error: the layout of memref<32x64xf16, affine_map<(d0, d1) -> (d1, d0)>>; accepted: row-major without strides or offset
