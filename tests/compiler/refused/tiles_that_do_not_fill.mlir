func.func @f(%a: tensor<30x12xf16>, %b: tensor<12x24xf16>, %c: tensor<4x8x24xf32>) -> tensor<4x8x24xf32> {
  %one = arith.constant 1.0 : f16
  %e = tensor.empty() : tensor<4x12x8xf16>
  %x = linalg.pack %a padding_value(%one : f16) inner_dims_pos = [0] inner_tiles = [8] into %e : tensor<30x12xf16> -> tensor<4x12x8xf16>
  %d = linalg.contract indexing_maps = [affine_map<(m, i, n, k) -> (m, k, i)>, affine_map<(m, i, n, k) -> (k, n)>, affine_map<(m, i, n, k) -> (m, i, n)>] ins(%x, %b : tensor<4x12x8xf16>, tensor<12x24xf16>) outs(%c : tensor<4x8x24xf32>) -> tensor<4x8x24xf32>
  return %d : tensor<4x8x24xf32>
}
// input:4:8: error: linalg.pack of a size that its tiles do not fill; accepted: known sizes, multiples of constant tiles, or padded with zeros
