func.func @f(%a: tensor<64x32xf16>, %b: tensor<32x16xf16>, %c: tensor<64x16xf32>, %step: index) -> tensor<64x16xf32> {
  %d = scf.forall (%i) = (0) to (32) step (%step) shared_outs(%x = %c) -> tensor<64x16xf32> {
    %e = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x16xf16>) outs(%x : tensor<64x16xf32>) -> tensor<64x16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %x[0, 0] [64, 16] [1, 1] : tensor<64x16xf32> into tensor<64x16xf32>
    }
  }
  return %d : tensor<64x16xf32>
}
// input:2:8: error: a loop that is not known to run, or how often; accepted: loops from constants to larger ones in constant steps, or from 0 to the size of a tensor over tiles as long as a step
