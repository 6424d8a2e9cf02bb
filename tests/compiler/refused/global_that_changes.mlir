memref.global "private" @w : memref<32x32xf16> = dense<1.0>
func.func @f(%a: memref<32x32xf16>, %c: memref<32x32xf16>) {
  %w = memref.get_global @w : memref<32x32xf16>
  linalg.matmul ins(%a, %w : memref<32x32xf16>, memref<32x32xf16>) outs(%c : memref<32x32xf16>)
  return
}
// input:3:8: error: the operation memref.get_global on memory; accepted: linalg.matmul or other contractions, with arith.constant, tensor.empty, linalg.fill and elementwise linalg operations before and after it, perhaps in loops over tiles
