// One value is returned, and left in an argument.
func.func @returned_and_stored(%a: memref<16x32xf32>, %b: memref<32x16xf32>, %c: memref<16x16xf32>) -> memref<16x16xf32> {
  %z = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<16x16xf32>
  linalg.fill ins(%z : f32) outs(%t : memref<16x16xf32>)
  linalg.matmul ins(%a, %b : memref<16x32xf32>, memref<32x16xf32>) outs(%t : memref<16x16xf32>)
  memref.copy %t, %c : memref<16x16xf32> to memref<16x16xf32>
  return %t : memref<16x16xf32>
}
