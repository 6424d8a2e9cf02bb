func.func @f(%a: memref<16x16xf32>, %b: memref<16x16xf32>, %c: memref<16x16xf32>) {
  scf.forall () in () { linalg.matmul ins(%a, %b : memref<16x16xf32>, memref<16x16xf32>) outs(%c : memref<16x16xf32>) }
  return
}
// input:2:3: error: a loop over 0 counters; accepted: 1 to 16
