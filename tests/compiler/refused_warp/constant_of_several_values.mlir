func.func @f(%x: memref<16x16xf16>, %y: memref<16x16xf16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = arith.constant dense<[1.0, 2.0]> : vector<2xf16>
  vector.transfer_write %A, %y[%i, %i] : vector<2xf16>, memref<16x16xf16>
  return
}
// input:4:8: error: a constant vector of different values; accepted: constants of one value (dense<1.0>); others are read from memory
