// Numbers of 8 bits with an f32 for 128 elements along k of each row of A, and for 128x128 elements of
// B: how DeepSeek-V3 and others keep weights and activations. An indexing map that divides a loop says
// for how many neighbours an element is.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#of_a = affine_map<(m, n, k) -> (m, k floordiv 128)>
#of_b = affine_map<(m, n, k) -> (n floordiv 128, k floordiv 128)>
#d = affine_map<(m, n, k) -> (m, n)>
#d0 = affine_map<(m, n) -> (m, n)>
func.func @block_scales(%a: tensor<70x256xf8E4M3FN>, %b: tensor<128x256xf8E4M3FN>, %of_a: tensor<70x2xf32>, %of_b: tensor<1x2xf32>) -> tensor<70x128xbf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<70x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<70x128xf32>) -> tensor<70x128xf32>
  %sum = linalg.generic {indexing_maps = [#a, #b, #of_a, #of_b, #d], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b, %of_a, %of_b : tensor<70x256xf8E4M3FN>, tensor<128x256xf8E4M3FN>, tensor<70x2xf32>, tensor<1x2xf32>) outs(%init : tensor<70x128xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %s: f32, %t: f32, %next: f32):
    %xw = arith.extf %x : f8E4M3FN to f32
    %yw = arith.extf %y : f8E4M3FN to f32
    %product = arith.mulf %xw, %yw : f32
    %scale = arith.mulf %s, %t : f32
    %scaled = arith.mulf %product, %scale : f32
    %added = arith.addf %next, %scaled : f32
    linalg.yield %added : f32
  } -> tensor<70x128xf32>
  %narrow = tensor.empty() : tensor<70x128xbf16>
  %d = linalg.generic {indexing_maps = [#d0, #d0], iterator_types = ["parallel", "parallel"]} ins(%sum : tensor<70x128xf32>) outs(%narrow : tensor<70x128xbf16>) {
  ^bb0(%x: f32, %unused: bf16):
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<70x128xbf16>
  return %d : tensor<70x128xbf16>
}
