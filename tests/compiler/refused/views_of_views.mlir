func.func @f(%a: memref<32x32xf16>, %c: memref<32x32xf16>) {
  %v0 = memref.cast %a : memref<32x32xf16> to memref<32x32xf16>
  %v1 = memref.cast %v0 : memref<32x32xf16> to memref<32x32xf16>
  %v2 = memref.cast %v1 : memref<32x32xf16> to memref<32x32xf16>
  %v3 = memref.cast %v2 : memref<32x32xf16> to memref<32x32xf16>
  %v4 = memref.cast %v3 : memref<32x32xf16> to memref<32x32xf16>
  %v5 = memref.cast %v4 : memref<32x32xf16> to memref<32x32xf16>
  %v6 = memref.cast %v5 : memref<32x32xf16> to memref<32x32xf16>
  %v7 = memref.cast %v6 : memref<32x32xf16> to memref<32x32xf16>
  %v8 = memref.cast %v7 : memref<32x32xf16> to memref<32x32xf16>
  linalg.matmul ins(%v8, %a : memref<32x32xf16>, memref<32x32xf16>) outs(%c : memref<32x32xf16>)
  return
}
// input:10:9: error: a view of more than 8 views; accepted: views of arguments and allocations
