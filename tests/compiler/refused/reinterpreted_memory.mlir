func.func @f(%a: memref<32x32xf16>, %c: memref<32x32xf16>) {
  %x = memref.reinterpret_cast %a to offset: [1000000], sizes: [32, 32], strides: [32, 1] : memref<32x32xf16> to memref<32x32xf16, strided<[32, 1], offset: 1000000>>
  linalg.matmul ins(%x, %a : memref<32x32xf16, strided<[32, 1], offset: 1000000>>, memref<32x32xf16>) outs(%c : memref<32x32xf16>)
  return
}
// input:2:8: error: the operation memref.reinterpret_cast on memory; accepted: linalg.matmul or other contractions, with arith.constant, tensor.empty, linalg.fill and elementwise linalg operations before and after it, perhaps in loops over tiles
