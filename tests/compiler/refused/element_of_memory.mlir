func.func @f(%a: memref<32x32xf16>, %c: memref<32x32xf16>) {
  %i = arith.constant 0 : index
  %x = memref.load %a[%i, %i] : memref<32x32xf16>
  linalg.matmul ins(%a, %a : memref<32x32xf16>, memref<32x32xf16>) outs(%c : memref<32x32xf16>)
  return
}
// input:3:8: error: the operation memref.load on memory; accepted: linalg.matmul or other contractions, with arith.constant, tensor.empty, linalg.fill and elementwise linalg operations before and after it, perhaps in loops over tiles
