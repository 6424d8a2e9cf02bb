func.func @f(%x: tensor<16x16xf16>, %y: memref<16x16xf16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : tensor<16x16xf16>, vector<16x16xf16>
  vector.transfer_write %A, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16>
  return
}
// input:1:14: error: an argument of tensor<16x16xf16>; accepted: memrefs and indices
