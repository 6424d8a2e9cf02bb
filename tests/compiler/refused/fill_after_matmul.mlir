func.func @matmul(%a: memref<42x32xf16>, %b: memref<32x64xf16>, %c: memref<42x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.matmul ins(%a, %b : memref<42x32xf16>, memref<32x64xf16>) outs(%c : memref<42x64xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<42x64xf32>)
  return
}
// input:5:3: error: a return of something else; accepted: one value computed from the matmul's
