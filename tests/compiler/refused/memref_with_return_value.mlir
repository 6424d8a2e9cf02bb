func.func @matmul(%a: memref<42x32xf16>, %b: memref<32x64xf16>, %c: memref<42x64xf32>) -> memref<42x64xf32> {
  linalg.matmul ins(%a, %b : memref<42x32xf16>, memref<32x64xf16>) outs(%c : memref<42x64xf32>)
  return %c : memref<42x64xf32>
}
// input:3:3: error: an argument that is returned; accepted: a return without it: memrefs are updated in place
