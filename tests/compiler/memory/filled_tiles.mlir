// Each tile is filled, and then written by its product.
func.func @filled_tiles(%a: memref<64x32xf32>, %b: memref<32x16xf32>, %c: memref<64x16xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c16 {
    %x = memref.subview %a[%i, 0] [16, 32] [1, 1] : memref<64x32xf32> to memref<16x32xf32, strided<[32, 1], offset: ?>>
    %y = memref.subview %c[%i, 0] [16, 16] [1, 1] : memref<64x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
    linalg.fill ins(%z : f32) outs(%y : memref<16x16xf32, strided<[16, 1], offset: ?>>)
    linalg.matmul ins(%x, %b : memref<16x32xf32, strided<[32, 1], offset: ?>>, memref<32x16xf32>) outs(%y : memref<16x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}
