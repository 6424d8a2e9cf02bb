func.func @f(%a: tensor<8x4xf32>, %p: tensor<i64>) -> tensor<8x4xf32> {
  %n = tensor.extract %p[] : tensor<i64>
  %i = arith.constant 5 : index
  %d = tensor.dim %a, %i : tensor<8x4xf32>
  %g = tensor.generate { ^bb0(%x: index, %y: index):
    %k = arith.addi %x, %d : index
    %w = arith.index_cast %k : index to i32
    %v = arith.sitofp %w : i32 to f32
    tensor.yield %v : f32 } : tensor<8x4xf32>
  return %g : tensor<8x4xf32>
}
// input:4:8: error: tensor.dim of a dimension that is not known to exist; accepted: a constant below the rank
