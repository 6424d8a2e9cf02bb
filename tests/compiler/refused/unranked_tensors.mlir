func.func @f(%a: tensor<*xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<*xf32> {
  %t = tensor.cast %a : tensor<*xf32> to tensor<16x16xf32>
  %d = linalg.matmul ins(%t, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = tensor.cast %d : tensor<16x16xf32> to tensor<*xf32>
  return %r : tensor<*xf32>
}
// input:2:8: error: tensor.cast of unranked tensors; accepted: tensors of a known rank, as a type such as tensor<?x?xf32> says it
