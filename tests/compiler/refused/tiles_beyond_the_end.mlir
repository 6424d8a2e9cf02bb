func.func @f(%a: tensor<64x32xf16>, %b: tensor<32x16xf16>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %zero = arith.constant 0 : index
  %end = arith.constant 80 : index
  %step = arith.constant 16 : index
  %d = scf.for %i = %zero to %end step %step iter_args(%x = %c) -> tensor<64x16xf32> {
    %rows = tensor.extract_slice %a[%i, 0] [16, 32] [1, 1] : tensor<64x32xf16> to tensor<16x32xf16>
    %tile = tensor.extract_slice %x[%i, 0] [16, 16] [1, 1] : tensor<64x16xf32> to tensor<16x16xf32>
    %e = linalg.matmul ins(%rows, %b : tensor<16x32xf16>, tensor<32x16xf16>) outs(%tile : tensor<16x16xf32>) -> tensor<16x16xf32>
    %y = tensor.insert_slice %e into %x[%i, 0] [16, 16] [1, 1] : tensor<16x16xf32> into tensor<64x16xf32>
    scf.yield %y : tensor<64x16xf32>
  }
  return %d : tensor<64x16xf32>
}
// input:6:13: error: tensor.extract_slice beyond the end of dimension 0; accepted: slices inside of what they are of
