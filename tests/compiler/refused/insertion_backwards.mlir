func.func @f(%a: tensor<8xf32>, %b: tensor<4xf32>) -> tensor<8xf32> {
  %q = tensor.insert_slice %b into %a[6] [4] [-2] : tensor<4xf32> into tensor<8xf32>
  return %q : tensor<8xf32>
}
// input:2:8: error: tensor.insert_slice with a size or a stride that is no number above 0; accepted: constant strides from 1, and sizes from 1
