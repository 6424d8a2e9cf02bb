func.func @matmul(%a: memref<42x32xf16>, %b: memref<32x64xf16>, %c: memref<42x64xf32>, %if: i1) {
  cf.cond_br %if, ^bb1, ^bb2
^bb1:
  linalg.matmul ins(%a, %b : memref<42x32xf16>, memref<32x64xf16>) outs(%c : memref<42x64xf32>)
  return
^bb2:
  return
}
// input:1:1: error: the function has several blocks; accepted: straight-line code: linalg.matmul or other contractions, with arith.constant, tensor.empty, linalg.fill and elementwise linalg operations before and after it, perhaps in loops over tiles
