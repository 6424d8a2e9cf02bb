// Both arguments are results, and the second product reads the first where it lies.
func.func @read_back(%a: memref<40x32xf16>, %b: memref<32x48xf16>, %h: memref<40x48xf16>, %c: memref<40x40xf32>) {
  linalg.matmul ins(%a, %b : memref<40x32xf16>, memref<32x48xf16>) outs(%h : memref<40x48xf16>)
  %t = memref.transpose %h (i, j) -> (j, i) : memref<40x48xf16> to memref<48x40xf16, strided<[1, 48]>>
  linalg.matmul ins(%h, %t : memref<40x48xf16>, memref<48x40xf16, strided<[1, 48]>>) outs(%c : memref<40x40xf32>)
  return
}
