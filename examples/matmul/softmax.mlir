// The attention of one head: softmax(Q * K^T / sqrt(64)) * V. One kernel, whose scores stay in
// registers.
func.func @attention(%q: tensor<100x64xf16>, %k: tensor<80x64xf16>, %v: tensor<80x64xf16>)
    -> tensor<100x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant dense<0.125> : tensor<100x80xf32>
  %scores_empty = tensor.empty() : tensor<100x80xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : tensor<100x80xf32>)
      -> tensor<100x80xf32>
  %scores = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%q, %k : tensor<100x64xf16>, tensor<80x64xf16>)
      outs(%scores_zero : tensor<100x80xf32>) -> tensor<100x80xf32>
  %scaled = arith.mulf %scores, %scale : tensor<100x80xf32>
  %shares = linalg.softmax dimension(1) ins(%scaled : tensor<100x80xf32>)
      outs(%scores_empty : tensor<100x80xf32>) -> tensor<100x80xf32>
  %narrow = arith.truncf %shares : tensor<100x80xf32> to tensor<100x80xf16>
  %out_empty = tensor.empty() : tensor<100x64xf32>
  %out_zero = linalg.fill ins(%zero : f32) outs(%out_empty : tensor<100x64xf32>)
      -> tensor<100x64xf32>
  %out = linalg.matmul ins(%narrow, %v : tensor<100x80xf16>, tensor<80x64xf16>)
      outs(%out_zero : tensor<100x64xf32>) -> tensor<100x64xf32>
  return %out : tensor<100x64xf32>
}
