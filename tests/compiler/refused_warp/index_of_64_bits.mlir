func.func @f(%x: memref<16x16xf16>, %y: memref<16x16xf16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %n = arith.constant 9223372036854775807 : index
  %A = vector.transfer_read %x[%n, %n], %z {in_bounds = [false, false]} : memref<16x16xf16>, vector<16x16xf16>
  vector.transfer_write %A, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16>
  return
}
// input:4:8: error: the index 9223372036854775807; accepted: indices from -2147483648 to 2147483647 on gfx1151
