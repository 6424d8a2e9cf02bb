func.func @f(%x: memref<16x16xf16, "foo">, %y: memref<16x16xf16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16, "foo">, vector<16x16xf16>
  vector.transfer_write %A, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16>
  return
}
// input:1:14: error: the memory space of memref<16x16xf16, "foo">; accepted: none, 1 or #gpu.address_space<global>, and for shared memory 3 or #gpu.address_space<workgroup>
