func.func @matmul(%a: memref<42x32xf16>, %b: memref<32x64xf16>, %c: memref<42x64xf32>) {
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%a : memref<42x32xf16>)
  linalg.matmul ins(%a, %b : memref<42x32xf16>, memref<32x64xf16>) outs(%c : memref<42x64xf32>)
  return
}
// input:3:3: error: inputs computed in the function; accepted: an input that is a function argument, or computed from some
