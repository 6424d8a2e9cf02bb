func.func @f(%a: tensor<8xf32>, %b: tensor<4xf32>, %p: tensor<i64>) -> tensor<8xf32> {
  %n = tensor.extract %p[] : tensor<i64>
  %i = arith.index_cast %n : i64 to index
  %o = arith.constant 1 : index
  %k = arith.andi %i, %o : index
  %c1 = arith.addi %k, %o : index
  %q = tensor.insert_slice %b into %a[0] [4] [%c1] : tensor<4xf32> into tensor<8xf32>
  return %q : tensor<8xf32>
}
// input:7:8: error: tensor.insert_slice with a size or a stride that is no number above 0; accepted: constant strides from 1, and sizes from 1
