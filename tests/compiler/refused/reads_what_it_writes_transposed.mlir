func.func @f(%a: memref<16x8xf32>, %b: memref<8x16xf32>, %c: memref<16x16xf32>) {
  %z = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<16x16xf32>
  linalg.fill ins(%z : f32) outs(%t : memref<16x16xf32>)
  linalg.matmul ins(%a, %b : memref<16x8xf32>, memref<8x16xf32>) outs(%t : memref<16x16xf32>)
  linalg.transpose ins(%t : memref<16x16xf32>) outs(%t : memref<16x16xf32>) permutation = [1, 0]
  memref.copy %t, %c : memref<16x16xf32> to memref<16x16xf32>
  return
}
// input:6:3: error: an operation that reads the memory which it writes; accepted: other memory, or each element where it is written
