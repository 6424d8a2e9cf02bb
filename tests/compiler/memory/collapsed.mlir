// What bufferisation makes of a batch that is folded into rows.
func.func @collapsed(%a: memref<4x16x32xf16>, %b: memref<32x24xf16>, %c: memref<4x16x24xf32>) {
  %rows = memref.collapse_shape %a [[0, 1], [2]] : memref<4x16x32xf16> into memref<64x32xf16>
  %sums = memref.collapse_shape %c [[0, 1], [2]] : memref<4x16x24xf32> into memref<64x24xf32>
  linalg.matmul ins(%rows, %b : memref<64x32xf16>, memref<32x24xf16>) outs(%sums : memref<64x24xf32>)
  return
}
