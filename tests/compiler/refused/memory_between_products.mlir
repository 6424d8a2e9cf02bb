func.func @chain(%a: memref<32x32xf16>, %d: memref<32x32xf16>) {
  %b = memref.alloc() : memref<32x32xf16>
  linalg.matmul ins(%a, %a : memref<32x32xf16>, memref<32x32xf16>) outs(%b : memref<32x32xf16>)
  linalg.matmul ins(%b, %a : memref<32x32xf16>, memref<32x32xf16>) outs(%d : memref<32x32xf16>)
  return
}
// input:2:8: error: memref.alloc on memory, in a function with several products or results; accepted: operations on tensors, which return what they compute
