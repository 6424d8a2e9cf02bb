func.func @f(%a: tensor<32x32xf4E2M1FN>, %b: tensor<32x32xf4E2M1FN>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %s = arith.addf %a, %a : tensor<32x32xf4E2M1FN>
  %x = arith.extf %s : tensor<32x32xf4E2M1FN> to tensor<32x32xf32>
  %y = arith.extf %b : tensor<32x32xf4E2M1FN> to tensor<32x32xf32>
  %d = linalg.matmul ins(%x, %y : tensor<32x32xf32>, tensor<32x32xf32>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %d : tensor<32x32xf32>
}
// input:5:8: error: an operation on f4E2M1FN or f8E8M0FNU; accepted: arith.extf, and arith.scaling_extf with a scale of f8E8M0FNU
