func.func @f(%a: tensor<4xf32>) -> tensor<8xf32> {
  %c = arith.constant dense_resource<blob> : tensor<4xf32>
  %g = tensor.concat dim(0) %a, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %g : tensor<8xf32>
}
{-# dialect_resources: { builtin: { blob: "0x040000000000803F0000803F0000803F0000803F" } } #-}
// input:2:8: error: arith.constant of a resource; accepted: dense constants, or an argument
