// Tiles that are written back side by side, and a product that reads them.
#tiles = affine_map<(i, j, u, v) -> (i, j, u, v)>
#whole = affine_map<(i, j, u, v) -> (j * 3 + u, i * 4 + v)>
func.func @written_at_sums_of_loops(%a: tensor<5x2x3x4xf32>, %b: tensor<20x8xf32>, %c: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %empty = tensor.empty() : tensor<6x20xf32>
  %w = linalg.generic {indexing_maps = [#tiles, #whole], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a : tensor<5x2x3x4xf32>) outs(%empty : tensor<6x20xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<6x20xf32>
  %d = linalg.matmul ins(%w, %b : tensor<6x20xf32>, tensor<20x8xf32>) outs(%c : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %d : tensor<6x8xf32>
}
