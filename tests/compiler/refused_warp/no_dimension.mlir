func.func @f(%x: memref<f16>, %y: memref<f16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[], %z : memref<f16>, vector<f16>
  vector.transfer_write %A, %y[] : vector<f16>, memref<f16>
  return
}
// input:4:8: error: vector.transfer_read that makes vector<f16>; accepted: vector.contract, vector.transfer_read and _write, vector.transpose, vector.broadcast, constants of one value, elementwise arith and math operations and scf.for, on vectors of fixed size
