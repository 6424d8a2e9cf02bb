// Memory that the function allocates and returns.
func.func @returned(%a: memref<?x32xf16>, %b: memref<32x24xf16>) -> memref<?x24xf32> {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
  %rows = memref.dim %a, %first : memref<?x32xf16>
  %c = memref.alloc(%rows) {alignment = 64 : i64} : memref<?x24xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<?x24xf32>)
  linalg.matmul ins(%a, %b : memref<?x32xf16>, memref<32x24xf16>) outs(%c : memref<?x24xf32>)
  return %c : memref<?x24xf32>
}
