func.func @f(%a: memref<16x16xf32>, %b: memref<16x16xf32>, %c: memref<16x16xf32>) {
  %t = memref.alloc() : memref<16x16xf32>
  memref.copy %a, %t : memref<16x16xf32> to memref<16x16xf32>
  linalg.matmul ins(%t, %b : memref<16x16xf32>, memref<16x16xf32>) outs(%t : memref<16x16xf32>)
  memref.copy %t, %c : memref<16x16xf32> to memref<16x16xf32>
  return
}
// input:4:3: error: an operation that reads the memory which it writes; accepted: other memory, or each element where it is written
