// Loops over tiles of memory, as bufferisation leaves them.
func.func @tiled(%a: memref<48x64xf16>, %b: memref<64x40xf16>, %c: memref<48x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %c48 = arith.constant 48 : index
  %c64 = arith.constant 64 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<48x40xf32>)
  scf.for %i = %c0 to %c48 step %c16 {
    scf.for %j = %c0 to %c40 step %c20 {
      %y = memref.subview %c[%i, %j] [16, 20] [1, 1] : memref<48x40xf32> to memref<16x20xf32, strided<[40, 1], offset: ?>>
      scf.for %k = %c0 to %c64 step %c16 {
        %x = memref.subview %a[%i, %k] [16, 16] [1, 1] : memref<48x64xf16> to memref<16x16xf16, strided<[64, 1], offset: ?>>
        %w = memref.subview %b[%k, %j] [16, 20] [1, 1] : memref<64x40xf16> to memref<16x20xf16, strided<[40, 1], offset: ?>>
        linalg.matmul ins(%x, %w : memref<16x16xf16, strided<[64, 1], offset: ?>>, memref<16x20xf16, strided<[40, 1], offset: ?>>)
                      outs(%y : memref<16x20xf32, strided<[40, 1], offset: ?>>)
      }
    }
  }
  return
}
