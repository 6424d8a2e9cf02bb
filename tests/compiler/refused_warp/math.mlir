func.func @f(%x: memref<16x16xf16>, %y: memref<16x16xf16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %B = math.exp %A : vector<16x16xf16>
  vector.transfer_write %B, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16>
  return
}
// input:5:8: error: the operation math.exp; accepted: operations of vector and arith, scf.for, memref.subview and memref.dim
