func.func @f(%x: memref<*xf16>, %y: memref<16x16xf16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %d = memref.dim %x, %i : memref<*xf16>
  %v = arith.constant dense<0.0> : vector<16x16xf16>
  vector.transfer_write %v, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16>
  return
}
// input:1:14: error: an argument of memref<*xf16>; accepted: memrefs and indices
