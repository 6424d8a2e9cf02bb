// A batch that is rows in memory.
func.func @expanded(%a: memref<48x32xf32>, %b: memref<3x32x24xf32>, %c: memref<48x24xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = memref.expand_shape %a [[0, 1], [2]] output_shape [3, 16, 32] : memref<48x32xf32> into memref<3x16x32xf32>
  %y = memref.expand_shape %c [[0, 1], [2]] output_shape [3, 16, 24] : memref<48x24xf32> into memref<3x16x24xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<48x24xf32>)
  linalg.batch_matmul ins(%x, %b : memref<3x16x32xf32>, memref<3x32x24xf32>) outs(%y : memref<3x16x24xf32>)
  return
}
