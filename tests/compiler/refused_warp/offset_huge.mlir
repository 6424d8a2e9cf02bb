func.func @f(%x: memref<16x16xf16, strided<[16, 1], offset: 9223372036854775807>>, %y: memref<16x16xf16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16, strided<[16, 1], offset: 9223372036854775807>>, vector<16x16xf16>
  vector.transfer_write %A, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16>
  return
}
// input:1:14: error: a memref that spans more bytes than offsets of 32 bits reach; accepted: at most 2147483647 bytes
