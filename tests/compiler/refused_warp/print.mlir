func.func @f(%x: memref<16x16xf16>, %y: memref<16x16xf16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
 vector.print %A : vector<16x16xf16>
  vector.transfer_write %A, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16>
  return
}
// input:5:2: error: vector.print; accepted: vector.contract, vector.transfer_read and _write, vector.transpose, vector.broadcast, constants of one value, elementwise arith and math operations and scf.for, on vectors of fixed size
