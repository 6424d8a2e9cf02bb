// Heads of attention, bse,hde->bhsd: one operand has the sequence, the other the heads.
func.func @heads(%a: tensor<3x20x32xf16>, %b: tensor<5x24x32xf16>) -> tensor<3x5x20x24xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x5x20x24xf32>
  %c = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x5x20x24xf32>) -> tensor<3x5x20x24xf32>
  %d = linalg.contract indexing_maps = [affine_map<(b, s, h, d, e) -> (b, s, e)>, affine_map<(b, s, h, d, e) -> (h, d, e)>, affine_map<(b, s, h, d, e) -> (b, h, s, d)>] ins(%a, %b : tensor<3x20x32xf16>, tensor<5x24x32xf16>) outs(%c : tensor<3x5x20x24xf32>) -> tensor<3x5x20x24xf32>
  return %d : tensor<3x5x20x24xf32>
}
