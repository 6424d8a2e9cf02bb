// The same in parallel, with a sum of the tile in memory of its own.
func.func @tiled_in_parallel(%a: memref<48x64xf16>, %b: memref<64x40xf16>, %c: memref<48x40xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i, %j) = (0, 0) to (48, 40) step (16, 20) {
    %x = memref.subview %a[%i, 0] [16, 64] [1, 1] : memref<48x64xf16> to memref<16x64xf16, strided<[64, 1], offset: ?>>
    %w = memref.subview %b[0, %j] [64, 20] [1, 1] : memref<64x40xf16> to memref<64x20xf16, strided<[40, 1], offset: ?>>
    %y = memref.subview %c[%i, %j] [16, 20] [1, 1] : memref<48x40xf32> to memref<16x20xf32, strided<[40, 1], offset: ?>>
    %sum = memref.alloca() : memref<16x20xf32>
    linalg.fill ins(%zero : f32) outs(%sum : memref<16x20xf32>)
    linalg.matmul ins(%x, %w : memref<16x64xf16, strided<[64, 1], offset: ?>>, memref<64x20xf16, strided<[40, 1], offset: ?>>)
                  outs(%sum : memref<16x20xf32>)
    memref.copy %sum, %y : memref<16x20xf32> to memref<16x20xf32, strided<[40, 1], offset: ?>>
  }
  return
}
