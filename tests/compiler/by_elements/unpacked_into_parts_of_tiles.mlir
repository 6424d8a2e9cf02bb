func.func @unpacked_into_parts_of_tiles(%a: tensor<4x2x8x8xf32>, %b: tensor<16x24xf32>, %c: tensor<30x24xf32>) -> tensor<30x24xf32> {
  %e = tensor.empty() : tensor<30x16xf32>
  %x = linalg.unpack %a inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %e : tensor<4x2x8x8xf32> -> tensor<30x16xf32>
  %d = linalg.matmul ins(%x, %b : tensor<30x16xf32>, tensor<16x24xf32>) outs(%c : tensor<30x24xf32>) -> tensor<30x24xf32>
  return %d : tensor<30x24xf32>
}
