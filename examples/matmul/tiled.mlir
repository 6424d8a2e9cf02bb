// A product in loops over tiles, as tiling passes leave it: of D in tiles of 16x32, and of each the
// sum over k in steps of 8. It is compiled as the whole product.
func.func @tiled(%a: tensor<96x64xf16>, %b: tensor<64x128xf16>, %c: tensor<96x128xf32>)
    -> tensor<96x128xf32> {
  %zero = arith.constant 0 : index
  %step = arith.constant 8 : index
  %end = arith.constant 64 : index
  %d = scf.forall (%i, %j) = (0, 0) to (96, 128) step (16, 32) shared_outs(%whole = %c)
      -> tensor<96x128xf32> {
    %begun = tensor.extract_slice %whole[%i, %j] [16, 32] [1, 1]
        : tensor<96x128xf32> to tensor<16x32xf32>
    %tile = scf.for %k = %zero to %end step %step iter_args(%sum = %begun) -> tensor<16x32xf32> {
      %rows = tensor.extract_slice %a[%i, %k] [16, 8] [1, 1]
          : tensor<96x64xf16> to tensor<16x8xf16>
      %columns = tensor.extract_slice %b[%k, %j] [8, 32] [1, 1]
          : tensor<64x128xf16> to tensor<8x32xf16>
      %more = linalg.matmul ins(%rows, %columns : tensor<16x8xf16>, tensor<8x32xf16>)
          outs(%sum : tensor<16x32xf32>) -> tensor<16x32xf32>
      scf.yield %more : tensor<16x32xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %tile into %whole[%i, %j] [16, 32] [1, 1]
          : tensor<16x32xf32> into tensor<96x128xf32>
    }
  }
  return %d : tensor<96x128xf32>
}
