func.func @f(%a: memref<32x32xf16>, %c: memref<64x32xf16>) {
  %x = memref.subview %c[0, 0] [32, 32] [1, 1] : memref<64x32xf16> to memref<32x32xf16, strided<[32, 1]>>
  %y = memref.subview %c[32, 0] [32, 32] [1, 1] : memref<64x32xf16> to memref<32x32xf16, strided<[32, 1], offset: 1024>>
  linalg.matmul ins(%a, %a : memref<32x32xf16>, memref<32x32xf16>) outs(%x : memref<32x32xf16, strided<[32, 1]>>)
  linalg.matmul ins(%a, %a : memref<32x32xf16>, memref<32x32xf16>) outs(%y : memref<32x32xf16, strided<[32, 1], offset: 1024>>)
  return
}
// input:5:3: error: a second part that is written of an argument; accepted: arguments that are written as a whole, or through one memref.subview
