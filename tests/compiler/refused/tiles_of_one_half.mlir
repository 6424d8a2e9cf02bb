func.func @f(%a: tensor<64x32xf16>, %b: tensor<32x16xf16>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %zero = arith.constant 0 : index
  %end = arith.constant 32 : index
  %step = arith.constant 8 : index
  %d = scf.for %i = %zero to %end step %step iter_args(%x = %c) -> tensor<64x16xf32> {
    %rows = tensor.extract_slice %a[%i, 0] [8, 32] [1, 1] : tensor<64x32xf16> to tensor<8x32xf16>
    %tile = tensor.extract_slice %x[%i, 0] [8, 16] [1, 1] : tensor<64x16xf32> to tensor<8x16xf32>
    %e = linalg.matmul ins(%rows, %b : tensor<8x32xf16>, tensor<32x16xf16>) outs(%tile : tensor<8x16xf32>) -> tensor<8x16xf32>
    %y = tensor.insert_slice %e into %x[%i, 0] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<64x16xf32>
    scf.yield %y : tensor<64x16xf32>
  }
  return %d : tensor<64x16xf32>
}
// input:5:8: error: tiles that do not fill tensor<64x16xf32>; accepted: loops whose tiles lie side by side and fill the result, or of which each step adds a product to what the loop carries
