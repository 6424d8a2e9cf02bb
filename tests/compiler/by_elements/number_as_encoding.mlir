// The encoding is a number for some pass, and the tensor is freed at its end.
func.func @number_as_encoding(%a: tensor<12x16xf32>, %b: tensor<16x8xf32, 42 : i32>, %c: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %e = bufferization.alloc_tensor() : tensor<12x16xf32>
  %x = linalg.exp ins(%a : tensor<12x16xf32>) outs(%e : tensor<12x16xf32>) -> tensor<12x16xf32>
  %d = linalg.matmul ins(%x, %b : tensor<12x16xf32>, tensor<16x8xf32, 42 : i32>) outs(%c : tensor<12x8xf32>) -> tensor<12x8xf32>
  bufferization.dealloc_tensor %x : tensor<12x16xf32>
  return %d : tensor<12x8xf32>
}
