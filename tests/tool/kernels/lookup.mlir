// Rows of a table at places of the launch.
func.func @lookup(%ids: tensor<12xi64>, %table: tensor<100x32xf32>) -> tensor<12x32xf32> {
  %e = tensor.empty() : tensor<12x32xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(t, c) -> (t)>, affine_map<(t, c) -> (t, c)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<12xi64>) outs(%e : tensor<12x32xf32>) {
  ^bb0(%id: i64, %o: f32):
    %row = arith.index_cast %id : i64 to index
    %column = linalg.index 1 : index
    %value = tensor.extract %table[%row, %column] : tensor<100x32xf32>
    linalg.yield %value : f32
  } -> tensor<12x32xf32>
  return %x : tensor<12x32xf32>
}
