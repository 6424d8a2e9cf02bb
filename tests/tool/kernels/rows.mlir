// Reductions of rows, which threads share: see run_elements.txt.
func.func @row_sum(%a0: tensor<37x2000xf32>) -> (tensor<37xf32>) {
  %d_i_c = arith.constant 0.0 : f32
  %d_i_e = tensor.empty() : tensor<37xf32>
  %d_i = linalg.fill ins(%d_i_c : f32) outs(%d_i_e : tensor<37xf32>) -> tensor<37xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a0 : tensor<37x2000xf32>) outs(%d_i : tensor<37xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %o, %x : f32
    linalg.yield %r : f32
  } -> tensor<37xf32>
  return %d : tensor<37xf32>
}
func.func @long_rows(%a0: tensor<4x20008xbf16>) -> (tensor<4xf32>) {
  %d_i_c = arith.constant 0.0 : f32
  %d_i_e = tensor.empty() : tensor<4xf32>
  %d_i = linalg.fill ins(%d_i_c : f32) outs(%d_i_e : tensor<4xf32>) -> tensor<4xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a0 : tensor<4x20008xbf16>) outs(%d_i : tensor<4xf32>) {
  ^bb0(%x: bf16, %o: f32):
    %w = arith.extf %x : bf16 to f32
    %r = arith.addf %o, %w : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %d : tensor<4xf32>
}
func.func @odd_rows(%a0: tensor<900x75xf16>) -> (tensor<900xf32>) {
  %d_i_c = arith.constant 0xFF800000 : f32
  %d_i_e = tensor.empty() : tensor<900xf32>
  %d_i = linalg.fill ins(%d_i_c : f32) outs(%d_i_e : tensor<900xf32>) -> tensor<900xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a0 : tensor<900x75xf16>) outs(%d_i : tensor<900xf32>) {
  ^bb0(%x: f16, %o: f32):
    %w = arith.extf %x : f16 to f32
    %r = arith.maximumf %o, %w : f32
    linalg.yield %r : f32
  } -> tensor<900xf32>
  return %d : tensor<900xf32>
}
func.func @column_sum(%a0: tensor<1000x72xf32>) -> (tensor<72xf32>) {
  %d_i_c = arith.constant 0.0 : f32
  %d_i_e = tensor.empty() : tensor<72xf32>
  %d_i = linalg.fill ins(%d_i_c : f32) outs(%d_i_e : tensor<72xf32>) -> tensor<72xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%a0 : tensor<1000x72xf32>) outs(%d_i : tensor<72xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %o, %x : f32
    linalg.yield %r : f32
  } -> tensor<72xf32>
  return %d : tensor<72xf32>
}
func.func @all(%a0: tensor<300x252xf32>) -> (tensor<f32>) {
  %d_i_c = arith.constant 0.0 : f32
  %d_i_e = tensor.empty() : tensor<f32>
  %d_i = linalg.fill ins(%d_i_c : f32) outs(%d_i_e : tensor<f32>) -> tensor<f32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%a0 : tensor<300x252xf32>) outs(%d_i : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %o, %x : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %d : tensor<f32>
}
func.func @short_softmax(%a0: tensor<257x256xbf16>) -> (tensor<257x256xbf16>) {
  %top_i_c = arith.constant 0xFF800000 : f32
  %top_i_e = tensor.empty() : tensor<257xf32>
  %top_i = linalg.fill ins(%top_i_c : f32) outs(%top_i_e : tensor<257xf32>) -> tensor<257xf32>
  %top = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a0 : tensor<257x256xbf16>) outs(%top_i : tensor<257xf32>) {
  ^bb0(%x: bf16, %o: f32):
    %w = arith.extf %x : bf16 to f32
    %r = arith.maximumf %o, %w : f32
    linalg.yield %r : f32
  } -> tensor<257xf32>
  %sum_i_c = arith.constant 0.0 : f32
  %sum_i_e = tensor.empty() : tensor<257xf32>
  %sum_i = linalg.fill ins(%sum_i_c : f32) outs(%sum_i_e : tensor<257xf32>) -> tensor<257xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a0, %top : tensor<257x256xbf16>, tensor<257xf32>) outs(%sum_i : tensor<257xf32>) {
  ^bb0(%x: bf16, %m: f32, %o: f32):
    %w = arith.extf %x : bf16 to f32
    %s = arith.subf %w, %m : f32
    %v = math.exp %s : f32
    %r = arith.addf %o, %v : f32
    linalg.yield %r : f32
  } -> tensor<257xf32>
  %e = tensor.empty() : tensor<257x256xbf16>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a0, %top, %sum : tensor<257x256xbf16>, tensor<257xf32>, tensor<257xf32>) outs(%e : tensor<257x256xbf16>) {
  ^bb0(%x: bf16, %k0: f32, %k1: f32, %o: bf16):
    %w = arith.extf %x : bf16 to f32
    %s = arith.subf %w, %k0 : f32
    %p = math.exp %s : f32
    %y = arith.divf %p, %k1 : f32
    %n = arith.truncf %y : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<257x256xbf16>
  return %d : tensor<257x256xbf16>
}
func.func @long_softmax(%a0: tensor<2x36888xf32>) -> (tensor<2x36888xf32>) {
  %top_i_c = arith.constant 0xFF800000 : f32
  %top_i_e = tensor.empty() : tensor<2xf32>
  %top_i = linalg.fill ins(%top_i_c : f32) outs(%top_i_e : tensor<2xf32>) -> tensor<2xf32>
  %top = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a0 : tensor<2x36888xf32>) outs(%top_i : tensor<2xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.maximumf %o, %x : f32
    linalg.yield %r : f32
  } -> tensor<2xf32>
  %sum_i_c = arith.constant 0.0 : f32
  %sum_i_e = tensor.empty() : tensor<2xf32>
  %sum_i = linalg.fill ins(%sum_i_c : f32) outs(%sum_i_e : tensor<2xf32>) -> tensor<2xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a0, %top : tensor<2x36888xf32>, tensor<2xf32>) outs(%sum_i : tensor<2xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %s = arith.subf %x, %m : f32
    %v = math.exp %s : f32
    %r = arith.addf %o, %v : f32
    linalg.yield %r : f32
  } -> tensor<2xf32>
  %e = tensor.empty() : tensor<2x36888xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a0, %top, %sum : tensor<2x36888xf32>, tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2x36888xf32>) {
  ^bb0(%x: f32, %k0: f32, %k1: f32, %o: f32):
    %s = arith.subf %x, %k0 : f32
    %p = math.exp %s : f32
    %y = arith.divf %p, %k1 : f32
    linalg.yield %y : f32
  } -> tensor<2x36888xf32>
  return %d : tensor<2x36888xf32>
}
func.func @rms_norm(%a0: tensor<65x1024xbf16>) -> (tensor<65x1024xbf16>) {
  %sum_i_c = arith.constant 0.0 : f32
  %sum_i_e = tensor.empty() : tensor<65xf32>
  %sum_i = linalg.fill ins(%sum_i_c : f32) outs(%sum_i_e : tensor<65xf32>) -> tensor<65xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a0 : tensor<65x1024xbf16>) outs(%sum_i : tensor<65xf32>) {
  ^bb0(%x: bf16, %o: f32):
    %w = arith.extf %x : bf16 to f32
    %v = arith.mulf %w, %w : f32
    %r = arith.addf %o, %v : f32
    linalg.yield %r : f32
  } -> tensor<65xf32>
  %count = arith.constant 1024.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<65x1024xbf16>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a0, %sum : tensor<65x1024xbf16>, tensor<65xf32>) outs(%e : tensor<65x1024xbf16>) {
  ^bb0(%x: bf16, %k0: f32, %o: bf16):
    %w = arith.extf %x : bf16 to f32
    %q = arith.divf %k0, %count : f32
    %h = arith.addf %q, %eps : f32
    %t = math.rsqrt %h : f32
    %y = arith.mulf %w, %t : f32
    %n = arith.truncf %y : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<65x1024xbf16>
  return %d : tensor<65x1024xbf16>
}
func.func @best(%a0: tensor<9x500xf32>) -> (tensor<9xf32>, tensor<9xi64>) {
  %v_c = arith.constant 0xFF800000 : f32
  %v_e = tensor.empty() : tensor<9xf32>
  %v = linalg.fill ins(%v_c : f32) outs(%v_e : tensor<9xf32>) -> tensor<9xf32>
  %p_c = arith.constant 0 : i64
  %p_e = tensor.empty() : tensor<9xi64>
  %p = linalg.fill ins(%p_c : i64) outs(%p_e : tensor<9xi64>) -> tensor<9xi64>
  %d:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a0 : tensor<9x500xf32>) outs(%v, %p : tensor<9xf32>, tensor<9xi64>) {
  ^bb0(%x: f32, %m: f32, %q: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %r = arith.maximumf %x, %m : f32
    %c = arith.cmpf ogt, %x, %m : f32
    %s = arith.select %c, %j, %q : i64
    linalg.yield %r, %s : f32, i64
  } -> (tensor<9xf32>, tensor<9xi64>)
  return %d#0, %d#1 : tensor<9xf32>, tensor<9xi64>
}
