// Tensors of memory, and memory that holds the result.
func.func @tensors_between(%a: memref<40x32xf16>, %b: memref<32x24xf16>, %c: memref<40x24xf32>) {
  %x = bufferization.to_tensor %a restrict : memref<40x32xf16> to tensor<40x32xf16>
  %y = bufferization.to_tensor %b restrict : memref<32x24xf16> to tensor<32x24xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x24xf32>) -> tensor<40x24xf32>
  %d = linalg.matmul ins(%x, %y : tensor<40x32xf16>, tensor<32x24xf16>) outs(%f : tensor<40x24xf32>) -> tensor<40x24xf32>
  bufferization.materialize_in_destination %d in restrict writable %c : (tensor<40x24xf32>, memref<40x24xf32>) -> ()
  return
}
