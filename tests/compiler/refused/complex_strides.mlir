func.func @matmul(%a: memref<42x32xcomplex<f32>, strided<[?, 1]>>, %b: memref<32x64xcomplex<f32>>, %d: memref<42x64xcomplex<f32>>) {
  linalg.matmul ins(%a, %b : memref<42x32xcomplex<f32>, strided<[?, 1]>>, memref<32x64xcomplex<f32>>) outs(%d : memref<42x64xcomplex<f32>>)
  return
}
// input:1:19: error: memref<42x32xcomplex<f32>, strided<[?, 1]>>; accepted: tensors and memrefs of complex numbers, with known strides
