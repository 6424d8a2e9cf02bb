// Arguments as one-shot bufferisation leaves them: any strides, which the kernel is told.
func.func @told_strides(%a: memref<40x32xf16, strided<[?, ?], offset: ?>>, %b: memref<32x24xf16, strided<[?, 1], offset: ?>>,
                        %c: memref<40x24xf32, strided<[?, ?], offset: ?>>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<40x24xf32, strided<[?, ?], offset: ?>>)
  linalg.matmul ins(%a, %b : memref<40x32xf16, strided<[?, ?], offset: ?>>, memref<32x24xf16, strided<[?, 1], offset: ?>>)
                outs(%c : memref<40x24xf32, strided<[?, ?], offset: ?>>)
  return
}
