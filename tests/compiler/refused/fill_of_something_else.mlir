func.func @matmul(%a: memref<42x32xf16>, %b: memref<32x64xf16>, %c: memref<42x64xf32>) {
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%a : memref<42x32xf16>)
  linalg.matmul ins(%a, %b : memref<42x32xf16>, memref<32x64xf16>) outs(%c : memref<42x64xf32>)
  return
}
// input:4:3: error: several memref arguments that are written; accepted: one result, with memref.alloc for what is in between
