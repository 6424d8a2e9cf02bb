#row = affine_map<(m, n) -> (m, n)>
#bias = affine_map<(m, n) -> (n)>
func.func @mlp(%x: tensor<?x32xf16>, %w1: tensor<32x128xf16>, %b1: tensor<128xf32>, %w2: tensor<128x64xf16>, %b2: tensor<64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x32xf16>
  %empty1 = tensor.empty(%rows) : tensor<?x128xf32>
  %fill1 = linalg.fill ins(%zero : f32) outs(%empty1 : tensor<?x128xf32>) -> tensor<?x128xf32>
  %sum1 = linalg.matmul ins(%x, %w1 : tensor<?x32xf16>, tensor<32x128xf16>) outs(%fill1 : tensor<?x128xf32>) -> tensor<?x128xf32>
  %empty_hidden = tensor.empty(%rows) : tensor<?x128xf16>
  %hidden = linalg.generic {indexing_maps = [#row, #bias, #row], iterator_types = ["parallel", "parallel"]} ins(%sum1, %b1 : tensor<?x128xf32>, tensor<128xf32>) outs(%empty_hidden : tensor<?x128xf16>) {
  ^bb0(%s: f32, %b: f32, %unused: f16):
    %biased = arith.addf %s, %b : f32
    %positive = arith.maximumf %biased, %zero : f32
    %narrow = arith.truncf %positive : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<?x128xf16>
  %hidden_rows = tensor.dim %hidden, %c0 : tensor<?x128xf16>
  %empty2 = tensor.empty(%hidden_rows) : tensor<?x64xf32>
  %fill2 = linalg.fill ins(%zero : f32) outs(%empty2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %sum2 = linalg.matmul ins(%hidden, %w2 : tensor<?x128xf16>, tensor<128x64xf16>) outs(%fill2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [#row, #bias, #row], iterator_types = ["parallel", "parallel"]} ins(%sum2, %b2 : tensor<?x64xf32>, tensor<64xf32>) outs(%empty2 : tensor<?x64xf32>) {
  ^bb0(%s: f32, %b: f32, %unused: f32):
    %biased = arith.addf %s, %b : f32
    linalg.yield %biased : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
