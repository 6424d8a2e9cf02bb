// The same product again and again: each step adds it to the result.
func.func @matmul(%a: memref<42x32xf16>, %b: memref<32x64xf16>, %c: memref<42x64xf32>) {
  %one = arith.constant 1 : index
  %i = arith.constant 0 : index
  %j = arith.constant 4 : index
  scf.for %k = %i to %j step %one { linalg.matmul ins(%a, %b : memref<42x32xf16>, memref<32x64xf16>) outs(%c : memref<42x64xf32>) }
  return
}
