func.func @f(%x: memref<16x16xf16>, %y: memref<16x16xf16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  vector.transfer_write %A, %y[%i, %i] {in_bounds = [true, true]} : vector<16x8xf16>, memref<16x16xf16>
  return
}
// input:5:25: error: use of value '%A' expects different type than prior uses: 'vector<16x8xf16>' vs 'vector<16x16xf16>'
// input:4:3: note: prior use here
// input: note: accepted is MLIR with one func.func with memref and index arguments and no result, of vector, arith and scf operations, such as examples/warp.mlir
