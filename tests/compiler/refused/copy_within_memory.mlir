func.func @f(%a: memref<16x8xf32>, %b: memref<8x16xf32>, %c: memref<16x16xf32>) {
  %z = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<16x16xf32>
  linalg.fill ins(%z : f32) outs(%t : memref<16x16xf32>)
  %v = memref.transpose %t (i, j) -> (j, i) : memref<16x16xf32> to memref<16x16xf32, strided<[1, 16]>>
  linalg.matmul ins(%a, %b : memref<16x8xf32>, memref<8x16xf32>) outs(%t : memref<16x16xf32>)
  memref.copy %v, %t : memref<16x16xf32, strided<[1, 16]>> to memref<16x16xf32>
  memref.copy %t, %c : memref<16x16xf32> to memref<16x16xf32>
  return
}
// input:7:3: error: an operation that reads the memory which it writes; accepted: other memory, or each element where it is written
