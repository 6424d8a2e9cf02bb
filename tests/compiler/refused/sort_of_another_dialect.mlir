func.func @sorted(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %r = iree_linalg_ext.sort dimension(1) outs(%x : tensor<4x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}
// input:2:8: error: custom op 'iree_linalg_ext.sort' is not read; accepted of iree_linalg_ext: attention and online_attention
// input: note: iree-opt --iree-linalg-ext-to-loops lowers iree_linalg_ext.sort to loops that exchange elements in memory, which have no kernel; accepted for each of the largest elements: a linalg.generic of the element and its place, and one that leaves it out
// input: note: accepted is MLIR with a func.func of products, as in examples/matmul.mlir, or of a warp's vectors, as in examples/warp.mlir
