func.func @f(%a: tensor<5x32x16x1xf16>, %b: tensor<?x32x?x1xf16>, %c: tensor<5x?x16x?xf32>) -> tensor<77x10240xf32> {
  %scale = vector.vscale
  %c16 = arith.constant 16 : index
  %n = arith.muli %scale, %c16 : index
  %e = tensor.empty(%n, %n) : tensor<5x?x16x?xf32>
  %d = linalg.mmt4d ins(%a, %b : tensor<5x32x16x1xf16>, tensor<?x32x?x1xf16>) outs(%e : tensor<5x?x16x?xf32>) -> tensor<5x?x16x?xf32>
  %f = tensor.empty() : tensor<77x10240xf32>
  %u = linalg.unpack %d inner_dims_pos = [0, 1] inner_tiles = [16, %n] into %f : tensor<5x?x16x?xf32> -> tensor<77x10240xf32>
  return %u : tensor<77x10240xf32>
}
// input:8:8: error: expected 'tensor<5x640x16x16xf32>' for the packed domain value, got 'tensor<5x16x16x16xf32>'
// input: note: accepted are sizes that agree where vector.vscale is 1
