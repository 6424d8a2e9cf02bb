func.func @matmul(%a: memref<42x32xf16>, %b: memref<32x64xf16>, %c: memref<42x64xf32>, %n: index) {
  %i = arith.constant 0 : index
  %j = arith.constant 1 : index
  scf.for %k = %i to %n step %j { linalg.matmul ins(%a, %b : memref<42x32xf16>, memref<32x64xf16>) outs(%c : memref<42x64xf32>) }
  return
}
// input:4:3: error: a loop that is not known to run, or how often; accepted: loops from constants to larger ones in constant steps, or from 0 to the size of a tensor over tiles as long as a step
