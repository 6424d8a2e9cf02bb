func.func @f(%a: tensor<4x2x8x8xf16>, %b: tensor<16x24xf16>, %c: tensor<?x24xf32>, %n: index) -> tensor<?x24xf32> {
  %e = tensor.empty(%n) : tensor<?x16xf16>
  %x = linalg.unpack %a inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %e : tensor<4x2x8x8xf16> -> tensor<?x16xf16>
  %d = linalg.matmul ins(%x, %b : tensor<?x16xf16>, tensor<16x24xf16>) outs(%c : tensor<?x24xf32>) -> tensor<?x24xf32>
  return %d : tensor<?x24xf32>
}
// input:3:8: error: linalg.unpack of a size that its tiles do not fill; accepted: known sizes, multiples of constant tiles, or padded with zeros
