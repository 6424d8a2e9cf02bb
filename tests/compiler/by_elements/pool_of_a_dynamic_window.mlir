func.func @f(%a: tensor<1x?x?x3xf32>, %w: tensor<?x?xf32>, %c: tensor<1x?x?x3xf32>) -> tensor<1x?x?x3xf32> {
  %d = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a, %w : tensor<1x?x?x3xf32>, tensor<?x?xf32>) outs(%c : tensor<1x?x?x3xf32>) -> tensor<1x?x?x3xf32>
  return %d : tensor<1x?x?x3xf32>
}
