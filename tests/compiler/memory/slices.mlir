// Parts of larger matrices; what is around the result stays.
func.func @slices(%a: memref<96x96xf16>, %b: memref<32x40xf16>, %c: memref<100x90xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = memref.subview %a[32, 40] [48, 32] [1, 1] : memref<96x96xf16> to memref<48x32xf16, strided<[96, 1], offset: 3112>>
  %y = memref.subview %c[3, 7] [48, 40] [2, 1] : memref<100x90xf32> to memref<48x40xf32, strided<[180, 1], offset: 277>>
  linalg.fill ins(%zero : f32) outs(%y : memref<48x40xf32, strided<[180, 1], offset: 277>>)
  linalg.matmul ins(%x, %b : memref<48x32xf16, strided<[96, 1], offset: 3112>>, memref<32x40xf16>)
                outs(%y : memref<48x40xf32, strided<[180, 1], offset: 277>>)
  return
}
