// Loops that use the parts of a view: the inner ones carry that view, and the outer one its root.
func.func @views_in_loops(%a: memref<32x24xf32>, %b: memref<24x64xf32>, %c: memref<32x64xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%c32, %c64) step (%c16, %c32) {
    %tile = memref.subview %c[%i, %j] [16, 32] [1, 1] : memref<32x64xf32> to memref<16x32xf32, strided<[64, 1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%tile : memref<16x32xf32, strided<[64, 1], offset: ?>>)
    %rows = memref.subview %a[%i, 0] [16, 24] [1, 1] : memref<32x24xf32> to memref<16x24xf32, strided<[24, 1], offset: ?>>
    scf.for %u = %c0 to %c16 step %c8 {
      scf.for %v = %c0 to %c32 step %c16 {
        %part = memref.subview %tile[%u, %v] [8, 16] [1, 1] : memref<16x32xf32, strided<[64, 1], offset: ?>> to memref<8x16xf32, strided<[64, 1], offset: ?>>
        scf.for %k = %c0 to %c24 step %c8 {
          %x = memref.subview %rows[%u, %k] [8, 8] [1, 1] : memref<16x24xf32, strided<[24, 1], offset: ?>> to memref<8x8xf32, strided<[24, 1], offset: ?>>
          %w = arith.addi %j, %v : index
          %y = memref.subview %b[%k, %w] [8, 16] [1, 1] : memref<24x64xf32> to memref<8x16xf32, strided<[64, 1], offset: ?>>
          linalg.matmul ins(%x, %y : memref<8x8xf32, strided<[24, 1], offset: ?>>, memref<8x16xf32, strided<[64, 1], offset: ?>>) outs(%part : memref<8x16xf32, strided<[64, 1], offset: ?>>)
        }
      }
    }
    scf.reduce
  }
  return
}
