func.func @matmul(%a: memref<42x32xf16>, %b: memref<32x64xf16>, %c: memref<42x64xf32>) {
  cf.br ^bb1
^bb1:
  linalg.matmul ins(%a, %b : memref<42x32xf16>, memref<32x64xf16>) outs(%c : memref<42x64xf32>)
  return
}
// input:2:3: error: Dialect `cf' not found for custom op 'cf.br'
// input: note: accepted is MLIR with one func.func and one linalg.matmul, such as examples/matmul.mlir
