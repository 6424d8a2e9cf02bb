// Loops that store a number in each element before a product adds to it.
func.func @stored_numbers(%a: memref<8x32xf32>, %b: memref<32x16xf32>) -> memref<8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %half = arith.constant 0.5 : f32
  %d = memref.alloc() : memref<8x16xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c16 step %c1 {
      memref.store %half, %d[%i, %j] : memref<8x16xf32>
    }
  }
  linalg.matmul ins(%a, %b : memref<8x32xf32>, memref<32x16xf32>) outs(%d : memref<8x16xf32>)
  return %d : memref<8x16xf32>
}
