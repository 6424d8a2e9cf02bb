func.func @f(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>, %n: index) {
  %v = memref.subview %a[0, 0] [64, %n] [1, 1] : memref<64x64xf16> to memref<64x?xf16, strided<[64, 1]>>
  %w = memref.subview %b[0, 0] [%n, 64] [1, 1] : memref<64x64xf16> to memref<?x64xf16, strided<[64, 1]>>
  linalg.matmul ins(%v, %w : memref<64x?xf16, strided<[64, 1]>>, memref<?x64xf16, strided<[64, 1]>>) outs(%c : memref<64x64xf32>)
  return
}
// input:2:8: error: memref.subview with dynamic sizes, or of a dimension that was reshaped; accepted: constant offsets, sizes and strides, in a function of known sizes
