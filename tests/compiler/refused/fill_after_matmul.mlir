func.func @matmul(%a: memref<42x32xf16>, %b: memref<32x64xf16>, %c: memref<42x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.matmul ins(%a, %b : memref<42x32xf16>, memref<32x64xf16>) outs(%c : memref<42x64xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<42x64xf32>)
  return
}
// input:4:3: error: a linalg.fill after the linalg.matmul; accepted: a fill of the matmul's initial value, before it
