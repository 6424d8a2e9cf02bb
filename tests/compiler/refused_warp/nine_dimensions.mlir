func.func @f(%x: memref<1x1x1x1x1x1x1x1x16xf16>, %y: memref<1x1x1x1x1x1x1x1x16xf16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[%i,%i,%i,%i,%i,%i,%i,%i,%i], %z {in_bounds=[true,true,true,true,true,true,true,true,true]} : memref<1x1x1x1x1x1x1x1x16xf16>, vector<1x1x1x1x1x1x1x1x16xf16>
  vector.transfer_write %A, %y[%i,%i,%i,%i,%i,%i,%i,%i,%i] : vector<1x1x1x1x1x1x1x1x16xf16>, memref<1x1x1x1x1x1x1x1x16xf16>
  return
}
// input:4:8: error: vector.transfer_read that makes vector<1x1x1x1x1x1x1x1x16xf16>; accepted: vector.contract, vector.transfer_read and _write, vector.transpose, vector.broadcast, constants of one value, elementwise arith and math operations and scf.for, on vectors of fixed size
