// Sums of bytes: some are beyond the largest float of 8 bits.
func.func @narrow(%a: tensor<40x8xi8>, %b: tensor<8x48xi8>) -> tensor<40x48xf8E5M2FNUZ> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<40x48xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%empty : tensor<40x48xi32>) -> tensor<40x48xi32>
  %d = linalg.matmul ins(%a, %b : tensor<40x8xi8>, tensor<8x48xi8>) outs(%zeros : tensor<40x48xi32>) -> tensor<40x48xi32>
  %f = arith.sitofp %d : tensor<40x48xi32> to tensor<40x48xf8E5M2FNUZ>
  return %f : tensor<40x48xf8E5M2FNUZ>
}
