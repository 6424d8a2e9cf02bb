func.func @matmul(%a: memref<42x32xf16, #gpu.address_space<global>>, %b: memref<32x64xf16>, %c: memref<42x64xf32>) {
  linalg.matmul ins(%a, %b : memref<42x32xf16, #gpu.address_space<global>>, memref<32x64xf16>) outs(%c : memref<42x64xf32>)
  return
}
// input:1:19: error: the memory space of memref<42x32xf16, #gpu.address_space<global>>; accepted: global memory: the default one, or 1
