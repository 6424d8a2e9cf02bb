#map = affine_map<(m, n) -> (m, n)>
func.func @matmul(%a: memref<42x32xf16>, %b: memref<32x64xf16>, %c: memref<42x64xf32>, %d: memref<42x64xf32>) {
  linalg.matmul ins(%a, %b : memref<42x32xf16>, memref<32x64xf16>) outs(%c : memref<42x64xf32>)
  linalg.add ins(%c, %c : memref<42x64xf32>, memref<42x64xf32>) outs(%d : memref<42x64xf32>)
  return
}
// input:3:3: error: several memref arguments that are written; accepted: one result, with memref.alloc for what is in between
