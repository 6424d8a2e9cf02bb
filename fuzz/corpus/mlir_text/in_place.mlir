func.func @f(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf16>) {
  %x = arith.constant 1.5 : f16
  linalg.fill ins(%x : f16) outs(%c : memref<16x16xf16>)
  linalg.matmul ins(%a, %b : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf16>)
  return
}
