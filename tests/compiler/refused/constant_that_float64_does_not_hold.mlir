#same = affine_map<(i, j) -> (i, j)>
func.func @f(%a: tensor<16x16xi64>, %b: tensor<16x16xi64>, %c: tensor<16x16xi64>) -> tensor<16x16xi64> {
  %d = linalg.matmul ins(%a, %b : tensor<16x16xi64>, tensor<16x16xi64>) outs(%c : tensor<16x16xi64>) -> tensor<16x16xi64>
  %o = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%d : tensor<16x16xi64>) {
  ^bb0(%x: i64):
    %k = arith.constant 9007199254740993 : i64
    %y = arith.addi %x, %k : i64
    linalg.yield %y : i64
  } -> tensor<16x16xi64>
  return %o : tensor<16x16xi64>
}
// input:7:10: error: arith.addi of what arith.constant gives; accepted: elements of tensors and memrefs, and arith.constant (of i64 what float64 holds)
