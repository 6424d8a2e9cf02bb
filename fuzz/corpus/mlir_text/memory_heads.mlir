// Two of three matrices that lie behind each other in one argument, one of them transposed.
func.func @heads(%qkv: memref<3x48x32xf16>, %scores: memref<48x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %q = memref.subview %qkv[0, 0, 0] [1, 48, 32] [1, 1, 1] : memref<3x48x32xf16> to memref<48x32xf16, strided<[32, 1]>>
  %k = memref.subview %qkv[1, 0, 0] [1, 48, 32] [1, 1, 1] : memref<3x48x32xf16> to memref<48x32xf16, strided<[32, 1], offset: 1536>>
  %t = memref.transpose %k (i, j) -> (j, i) : memref<48x32xf16, strided<[32, 1], offset: 1536>> to memref<32x48xf16, strided<[1, 32], offset: 1536>>
  linalg.fill ins(%zero : f32) outs(%scores : memref<48x48xf32>)
  linalg.matmul ins(%q, %t : memref<48x32xf16, strided<[32, 1]>>, memref<32x48xf16, strided<[1, 32], offset: 1536>>)
                outs(%scores : memref<48x48xf32>)
  return
}
