// A chain whose arguments have any strides; the first result is memory of the function.
func.func @told_chain(%x: memref<40x32xf16, strided<[?, ?], offset: ?>>, %w: memref<32x48xf16, strided<[?, 1], offset: ?>>,
                      %v: memref<48x24xf16>, %y: memref<40x24xf32, strided<[?, 1], offset: ?>>) {
  %h = memref.alloc() : memref<40x48xf16>
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%h : memref<40x48xf16>)
  linalg.matmul ins(%x, %w : memref<40x32xf16, strided<[?, ?], offset: ?>>, memref<32x48xf16, strided<[?, 1], offset: ?>>)
                outs(%h : memref<40x48xf16>)
  linalg.matmul ins(%h, %v : memref<40x48xf16>, memref<48x24xf16>) outs(%y : memref<40x24xf32, strided<[?, 1], offset: ?>>)
  return
}
