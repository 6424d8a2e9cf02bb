// A decoder layer of a transformer as frameworks write it: RMS norm, query, key and value products,
// rotations by positions, rows that are put into caches at a position of the launch, attention over
// the caches, a product, a residual sum, and a gated MLP whose weights have 4 bits. @prefill takes 16
// tokens, @decode one.
//
//   heddle run examples/decoder_layer.mlir --function decode --target gfx942
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>
#mn = affine_map<(m, n) -> (m, n)>
#scale = affine_map<(k, n) -> (k floordiv 32, n)>
#abc = affine_map<(a, b, c) -> (a, b, c)>
#q = affine_map<(h, t, s, d) -> (t, h, d)>
#k = affine_map<(h, t, s, d) -> (s, h floordiv 2, d)>
#s = affine_map<(h, t, s, d) -> (h, t, s)>
#w = affine_map<(t, h, d, s) -> (h, t, s)>
#v = affine_map<(t, h, d, s) -> (s, h floordiv 2, d)>
#o = affine_map<(t, h, d, s) -> (t, h, d)>

func.func @prefill(
    %x: tensor<16x128xf16>, %pos: index,
    %keys: tensor<64x64xf16>, %values: tensor<64x64xf16>,
    %cos: tensor<64x32xf32>, %sin: tensor<64x32xf32>,
    %norm1: tensor<128xf32>, %wq: tensor<128x128xf16>, %wk: tensor<128x64xf16>, %wv: tensor<128x64xf16>,
    %wo: tensor<128x128xf16>, %norm2: tensor<128xf32>,
    %wg: tensor<128x256xi4>, %sg: tensor<4x256xf16>, %wu: tensor<128x256xi4>, %su: tensor<4x256xf16>,
    %wd: tensor<256x128xi4>, %sd: tensor<8x128xf16>)
    -> (tensor<16x128xf16>, tensor<64x64xf16>, tensor<64x64xf16>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  // n1 = %x / sqrt(mean of squares + epsilon) * %norm1
  %n1_s_e = tensor.empty() : tensor<16xf32>
  %n1_s_0 = linalg.fill ins(%zero : f32) outs(%n1_s_e : tensor<16xf32>) -> tensor<16xf32>
  %n1_s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16x128xf16>) outs(%n1_s_0 : tensor<16xf32>) {
  ^bb0(%a: f16, %s: f32):
    %w = arith.extf %a : f16 to f32
    %q = arith.mulf %w, %w : f32
    %r = arith.addf %s, %q : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %n1_e = tensor.empty() : tensor<16x128xf16>
  %n1 = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %n1_s, %norm1 : tensor<16x128xf16>, tensor<16xf32>, tensor<128xf32>) outs(%n1_e : tensor<16x128xf16>) {
  ^bb0(%a: f16, %s: f32, %g: f32, %o: f16):
    %count = arith.constant 128.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %mean = arith.divf %s, %count : f32
    %sum = arith.addf %mean, %epsilon : f32
    %scale = math.rsqrt %sum : f32
    %w = arith.extf %a : f16 to f32
    %p = arith.mulf %w, %scale : f32
    %q = arith.mulf %p, %g : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<16x128xf16>
  %query_e = tensor.empty() : tensor<16x128xf32>
  %query_0 = linalg.fill ins(%zero : f32) outs(%query_e : tensor<16x128xf32>) -> tensor<16x128xf32>
  %query = linalg.matmul ins(%n1, %wq : tensor<16x128xf16>, tensor<128x128xf16>) outs(%query_0 : tensor<16x128xf32>) -> tensor<16x128xf32>
  %key_e = tensor.empty() : tensor<16x64xf32>
  %key_0 = linalg.fill ins(%zero : f32) outs(%key_e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %key = linalg.matmul ins(%n1, %wk : tensor<16x128xf16>, tensor<128x64xf16>) outs(%key_0 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %value_e = tensor.empty() : tensor<16x64xf32>
  %value_0 = linalg.fill ins(%zero : f32) outs(%value_e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %value = linalg.matmul ins(%n1, %wv : tensor<16x128xf16>, tensor<128x64xf16>) outs(%value_0 : tensor<16x64xf32>) -> tensor<16x64xf32>
  // qr: the halves of each head of %query, rotated by the angles of their positions.
  %qr_h = tensor.expand_shape %query [[0], [1, 2]] output_shape [16, 4, 32] : tensor<16x128xf32> into tensor<16x4x32xf32>
  %qr_low = tensor.extract_slice %qr_h[0, 0, 0] [16, 4, 16] [1, 1, 1] : tensor<16x4x32xf32> to tensor<16x4x16xf32>
  %qr_high = tensor.extract_slice %qr_h[0, 0, 16] [16, 4, 16] [1, 1, 1] : tensor<16x4x32xf32> to tensor<16x4x16xf32>
  %qr_neg_e = tensor.empty() : tensor<16x4x16xf32>
  %qr_neg = linalg.generic {indexing_maps = [#abc, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%qr_high : tensor<16x4x16xf32>) outs(%qr_neg_e : tensor<16x4x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<16x4x16xf32>
  %qr_rot = tensor.concat dim(2) %qr_neg, %qr_low : (tensor<16x4x16xf32>, tensor<16x4x16xf32>) -> tensor<16x4x32xf32>
  %qr_e = tensor.empty() : tensor<16x4x32xf16>
  %qr = linalg.generic {indexing_maps = [#abc, #abc, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%qr_h, %qr_rot : tensor<16x4x32xf32>, tensor<16x4x32xf32>) outs(%qr_e : tensor<16x4x32xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %t = linalg.index 0 : index
    %i = linalg.index 2 : index
    %at = arith.addi %pos, %t : index
    %c = tensor.extract %cos[%at, %i] : tensor<64x32xf32>
    %s = tensor.extract %sin[%at, %i] : tensor<64x32xf32>
    %p = arith.mulf %a, %c : f32
    %q = arith.mulf %b, %s : f32
    %y = arith.addf %p, %q : f32
    %r = arith.truncf %y : f32 to f16
    linalg.yield %r : f16
  } -> tensor<16x4x32xf16>
  // kr: the halves of each head of %key, rotated by the angles of their positions.
  %kr_h = tensor.expand_shape %key [[0], [1, 2]] output_shape [16, 2, 32] : tensor<16x64xf32> into tensor<16x2x32xf32>
  %kr_low = tensor.extract_slice %kr_h[0, 0, 0] [16, 2, 16] [1, 1, 1] : tensor<16x2x32xf32> to tensor<16x2x16xf32>
  %kr_high = tensor.extract_slice %kr_h[0, 0, 16] [16, 2, 16] [1, 1, 1] : tensor<16x2x32xf32> to tensor<16x2x16xf32>
  %kr_neg_e = tensor.empty() : tensor<16x2x16xf32>
  %kr_neg = linalg.generic {indexing_maps = [#abc, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%kr_high : tensor<16x2x16xf32>) outs(%kr_neg_e : tensor<16x2x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<16x2x16xf32>
  %kr_rot = tensor.concat dim(2) %kr_neg, %kr_low : (tensor<16x2x16xf32>, tensor<16x2x16xf32>) -> tensor<16x2x32xf32>
  %kr_e = tensor.empty() : tensor<16x2x32xf16>
  %kr = linalg.generic {indexing_maps = [#abc, #abc, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%kr_h, %kr_rot : tensor<16x2x32xf32>, tensor<16x2x32xf32>) outs(%kr_e : tensor<16x2x32xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %t = linalg.index 0 : index
    %i = linalg.index 2 : index
    %at = arith.addi %pos, %t : index
    %c = tensor.extract %cos[%at, %i] : tensor<64x32xf32>
    %s = tensor.extract %sin[%at, %i] : tensor<64x32xf32>
    %p = arith.mulf %a, %c : f32
    %q = arith.mulf %b, %s : f32
    %y = arith.addf %p, %q : f32
    %r = arith.truncf %y : f32 to f16
    linalg.yield %r : f16
  } -> tensor<16x2x32xf16>
  // The caches with the new rows from %pos on.
  %kr_rows = tensor.collapse_shape %kr [[0], [1, 2]] : tensor<16x2x32xf16> into tensor<16x64xf16>
  %new_keys = tensor.insert_slice %kr_rows into %keys[%pos, 0] [16, 64] [1, 1] : tensor<16x64xf16> into tensor<64x64xf16>
  %vh_e = tensor.empty() : tensor<16x64xf16>
  %vh = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%value : tensor<16x64xf32>) outs(%vh_e : tensor<16x64xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<16x64xf16>
  %new_values = tensor.insert_slice %vh into %values[%pos, 0] [16, 64] [1, 1] : tensor<16x64xf16> into tensor<64x64xf16>
  %keys_h = tensor.expand_shape %new_keys [[0], [1, 2]] output_shape [64, 2, 32] : tensor<64x64xf16> into tensor<64x2x32xf16>
  %values_h = tensor.expand_shape %new_values [[0], [1, 2]] output_shape [64, 2, 32] : tensor<64x64xf16> into tensor<64x2x32xf16>
  // Attention of each query to the positions up to its own.
  %dots_e = tensor.empty() : tensor<4x16x64xf32>
  %dots_0 = linalg.fill ins(%zero : f32) outs(%dots_e : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  %dots = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%qr, %keys_h : tensor<16x4x32xf16>, tensor<64x2x32xf16>) outs(%dots_0 : tensor<4x16x64xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %p = arith.extf %a : f16 to f32
    %q = arith.extf %b : f16 to f32
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x16x64xf32>
  %scores_e = tensor.empty() : tensor<4x16x64xf32>
  %scores = linalg.generic {indexing_maps = [#abc, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%dots : tensor<4x16x64xf32>) outs(%scores_e : tensor<4x16x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = linalg.index 1 : index
    %s = linalg.index 2 : index
    %at = arith.addi %pos, %t : index
    %seen = arith.cmpi ule, %s, %at : index
    %root = arith.constant 0.176776695 : f32
    %scaled = arith.mulf %a, %root : f32
    %r = arith.select %seen, %scaled, %lowest : f32
    linalg.yield %r : f32
  } -> tensor<4x16x64xf32>
  %weights_e = tensor.empty() : tensor<4x16x64xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x16x64xf32>) outs(%weights_e : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  %narrow_e = tensor.empty() : tensor<4x16x64xf16>
  %narrow = linalg.generic {indexing_maps = [#abc, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%weights : tensor<4x16x64xf32>) outs(%narrow_e : tensor<4x16x64xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<4x16x64xf16>
  %heads_e = tensor.empty() : tensor<16x4x32xf32>
  %heads_0 = linalg.fill ins(%zero : f32) outs(%heads_e : tensor<16x4x32xf32>) -> tensor<16x4x32xf32>
  %heads = linalg.generic {indexing_maps = [#w, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%narrow, %values_h : tensor<4x16x64xf16>, tensor<64x2x32xf16>) outs(%heads_0 : tensor<16x4x32xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %p = arith.extf %a : f16 to f32
    %q = arith.extf %b : f16 to f32
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<16x4x32xf32>
  %heads_m = tensor.collapse_shape %heads [[0], [1, 2]] : tensor<16x4x32xf32> into tensor<16x128xf32>
  %att_e = tensor.empty() : tensor<16x128xf16>
  %att = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%heads_m : tensor<16x128xf32>) outs(%att_e : tensor<16x128xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<16x128xf16>
  %proj_e = tensor.empty() : tensor<16x128xf32>
  %proj_0 = linalg.fill ins(%zero : f32) outs(%proj_e : tensor<16x128xf32>) -> tensor<16x128xf32>
  %proj = linalg.matmul ins(%att, %wo : tensor<16x128xf16>, tensor<128x128xf16>) outs(%proj_0 : tensor<16x128xf32>) -> tensor<16x128xf32>
  %mid_e = tensor.empty() : tensor<16x128xf16>
  %mid = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %proj : tensor<16x128xf16>, tensor<16x128xf32>) outs(%mid_e : tensor<16x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %w = arith.extf %a : f16 to f32
    %y = arith.addf %w, %b : f32
    %r = arith.truncf %y : f32 to f16
    linalg.yield %r : f16
  } -> tensor<16x128xf16>
  // n2 = %mid / sqrt(mean of squares + epsilon) * %norm2
  %n2_s_e = tensor.empty() : tensor<16xf32>
  %n2_s_0 = linalg.fill ins(%zero : f32) outs(%n2_s_e : tensor<16xf32>) -> tensor<16xf32>
  %n2_s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%mid : tensor<16x128xf16>) outs(%n2_s_0 : tensor<16xf32>) {
  ^bb0(%a: f16, %s: f32):
    %w = arith.extf %a : f16 to f32
    %q = arith.mulf %w, %w : f32
    %r = arith.addf %s, %q : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %n2_e = tensor.empty() : tensor<16x128xf16>
  %n2 = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%mid, %n2_s, %norm2 : tensor<16x128xf16>, tensor<16xf32>, tensor<128xf32>) outs(%n2_e : tensor<16x128xf16>) {
  ^bb0(%a: f16, %s: f32, %g: f32, %o: f16):
    %count = arith.constant 128.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %mean = arith.divf %s, %count : f32
    %sum = arith.addf %mean, %epsilon : f32
    %scale = math.rsqrt %sum : f32
    %w = arith.extf %a : f16 to f32
    %p = arith.mulf %w, %scale : f32
    %q = arith.mulf %p, %g : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<16x128xf16>
  // The gated MLP, with weights of 4 bits and a scale for each 32 of them.
  %gw_e = tensor.empty() : tensor<128x256xf16>
  %gw = linalg.generic {indexing_maps = [#mn, #scale, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%wg, %sg : tensor<128x256xi4>, tensor<4x256xf16>) outs(%gw_e : tensor<128x256xf16>) {
  ^bb0(%a: i4, %s: f16, %o: f16):
    %w = arith.sitofp %a : i4 to f16
    %r = arith.mulf %w, %s : f16
    linalg.yield %r : f16
  } -> tensor<128x256xf16>
  %uw_e = tensor.empty() : tensor<128x256xf16>
  %uw = linalg.generic {indexing_maps = [#mn, #scale, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%wu, %su : tensor<128x256xi4>, tensor<4x256xf16>) outs(%uw_e : tensor<128x256xf16>) {
  ^bb0(%a: i4, %s: f16, %o: f16):
    %w = arith.sitofp %a : i4 to f16
    %r = arith.mulf %w, %s : f16
    linalg.yield %r : f16
  } -> tensor<128x256xf16>
  %dw_e = tensor.empty() : tensor<256x128xf16>
  %dw = linalg.generic {indexing_maps = [#mn, #scale, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%wd, %sd : tensor<256x128xi4>, tensor<8x128xf16>) outs(%dw_e : tensor<256x128xf16>) {
  ^bb0(%a: i4, %s: f16, %o: f16):
    %w = arith.sitofp %a : i4 to f16
    %r = arith.mulf %w, %s : f16
    linalg.yield %r : f16
  } -> tensor<256x128xf16>
  %gate_e = tensor.empty() : tensor<16x256xf32>
  %gate_0 = linalg.fill ins(%zero : f32) outs(%gate_e : tensor<16x256xf32>) -> tensor<16x256xf32>
  %gate = linalg.matmul ins(%n2, %gw : tensor<16x128xf16>, tensor<128x256xf16>) outs(%gate_0 : tensor<16x256xf32>) -> tensor<16x256xf32>
  %up_e = tensor.empty() : tensor<16x256xf32>
  %up_0 = linalg.fill ins(%zero : f32) outs(%up_e : tensor<16x256xf32>) -> tensor<16x256xf32>
  %up = linalg.matmul ins(%n2, %uw : tensor<16x128xf16>, tensor<128x256xf16>) outs(%up_0 : tensor<16x256xf32>) -> tensor<16x256xf32>
  %hidden_e = tensor.empty() : tensor<16x256xf16>
  %hidden = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%gate, %up : tensor<16x256xf32>, tensor<16x256xf32>) outs(%hidden_e : tensor<16x256xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %q = arith.addf %p, %one : f32
    %silu = arith.divf %a, %q : f32
    %y = arith.mulf %silu, %b : f32
    %r = arith.truncf %y : f32 to f16
    linalg.yield %r : f16
  } -> tensor<16x256xf16>
  %down_e = tensor.empty() : tensor<16x128xf32>
  %down_0 = linalg.fill ins(%zero : f32) outs(%down_e : tensor<16x128xf32>) -> tensor<16x128xf32>
  %down = linalg.matmul ins(%hidden, %dw : tensor<16x256xf16>, tensor<256x128xf16>) outs(%down_0 : tensor<16x128xf32>) -> tensor<16x128xf32>
  %y_e = tensor.empty() : tensor<16x128xf16>
  %y = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%mid, %down : tensor<16x128xf16>, tensor<16x128xf32>) outs(%y_e : tensor<16x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %w = arith.extf %a : f16 to f32
    %y = arith.addf %w, %b : f32
    %r = arith.truncf %y : f32 to f16
    linalg.yield %r : f16
  } -> tensor<16x128xf16>
  return %y, %new_keys, %new_values : tensor<16x128xf16>, tensor<64x64xf16>, tensor<64x64xf16>
}

func.func @decode(
    %x: tensor<1x128xf16>, %pos: index,
    %keys: tensor<64x64xf16>, %values: tensor<64x64xf16>,
    %cos: tensor<64x32xf32>, %sin: tensor<64x32xf32>,
    %norm1: tensor<128xf32>, %wq: tensor<128x128xf16>, %wk: tensor<128x64xf16>, %wv: tensor<128x64xf16>,
    %wo: tensor<128x128xf16>, %norm2: tensor<128xf32>,
    %wg: tensor<128x256xi4>, %sg: tensor<4x256xf16>, %wu: tensor<128x256xi4>, %su: tensor<4x256xf16>,
    %wd: tensor<256x128xi4>, %sd: tensor<8x128xf16>)
    -> (tensor<1x128xf16>, tensor<64x64xf16>, tensor<64x64xf16>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  // n1 = %x / sqrt(mean of squares + epsilon) * %norm1
  %n1_s_e = tensor.empty() : tensor<1xf32>
  %n1_s_0 = linalg.fill ins(%zero : f32) outs(%n1_s_e : tensor<1xf32>) -> tensor<1xf32>
  %n1_s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<1x128xf16>) outs(%n1_s_0 : tensor<1xf32>) {
  ^bb0(%a: f16, %s: f32):
    %w = arith.extf %a : f16 to f32
    %q = arith.mulf %w, %w : f32
    %r = arith.addf %s, %q : f32
    linalg.yield %r : f32
  } -> tensor<1xf32>
  %n1_e = tensor.empty() : tensor<1x128xf16>
  %n1 = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %n1_s, %norm1 : tensor<1x128xf16>, tensor<1xf32>, tensor<128xf32>) outs(%n1_e : tensor<1x128xf16>) {
  ^bb0(%a: f16, %s: f32, %g: f32, %o: f16):
    %count = arith.constant 128.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %mean = arith.divf %s, %count : f32
    %sum = arith.addf %mean, %epsilon : f32
    %scale = math.rsqrt %sum : f32
    %w = arith.extf %a : f16 to f32
    %p = arith.mulf %w, %scale : f32
    %q = arith.mulf %p, %g : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<1x128xf16>
  %query_e = tensor.empty() : tensor<1x128xf32>
  %query_0 = linalg.fill ins(%zero : f32) outs(%query_e : tensor<1x128xf32>) -> tensor<1x128xf32>
  %query = linalg.matmul ins(%n1, %wq : tensor<1x128xf16>, tensor<128x128xf16>) outs(%query_0 : tensor<1x128xf32>) -> tensor<1x128xf32>
  %key_e = tensor.empty() : tensor<1x64xf32>
  %key_0 = linalg.fill ins(%zero : f32) outs(%key_e : tensor<1x64xf32>) -> tensor<1x64xf32>
  %key = linalg.matmul ins(%n1, %wk : tensor<1x128xf16>, tensor<128x64xf16>) outs(%key_0 : tensor<1x64xf32>) -> tensor<1x64xf32>
  %value_e = tensor.empty() : tensor<1x64xf32>
  %value_0 = linalg.fill ins(%zero : f32) outs(%value_e : tensor<1x64xf32>) -> tensor<1x64xf32>
  %value = linalg.matmul ins(%n1, %wv : tensor<1x128xf16>, tensor<128x64xf16>) outs(%value_0 : tensor<1x64xf32>) -> tensor<1x64xf32>
  // qr: the halves of each head of %query, rotated by the angles of their positions.
  %qr_h = tensor.expand_shape %query [[0], [1, 2]] output_shape [1, 4, 32] : tensor<1x128xf32> into tensor<1x4x32xf32>
  %qr_low = tensor.extract_slice %qr_h[0, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<1x4x32xf32> to tensor<1x4x16xf32>
  %qr_high = tensor.extract_slice %qr_h[0, 0, 16] [1, 4, 16] [1, 1, 1] : tensor<1x4x32xf32> to tensor<1x4x16xf32>
  %qr_neg_e = tensor.empty() : tensor<1x4x16xf32>
  %qr_neg = linalg.generic {indexing_maps = [#abc, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%qr_high : tensor<1x4x16xf32>) outs(%qr_neg_e : tensor<1x4x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<1x4x16xf32>
  %qr_rot = tensor.concat dim(2) %qr_neg, %qr_low : (tensor<1x4x16xf32>, tensor<1x4x16xf32>) -> tensor<1x4x32xf32>
  %qr_e = tensor.empty() : tensor<1x4x32xf16>
  %qr = linalg.generic {indexing_maps = [#abc, #abc, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%qr_h, %qr_rot : tensor<1x4x32xf32>, tensor<1x4x32xf32>) outs(%qr_e : tensor<1x4x32xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %t = linalg.index 0 : index
    %i = linalg.index 2 : index
    %at = arith.addi %pos, %t : index
    %c = tensor.extract %cos[%at, %i] : tensor<64x32xf32>
    %s = tensor.extract %sin[%at, %i] : tensor<64x32xf32>
    %p = arith.mulf %a, %c : f32
    %q = arith.mulf %b, %s : f32
    %y = arith.addf %p, %q : f32
    %r = arith.truncf %y : f32 to f16
    linalg.yield %r : f16
  } -> tensor<1x4x32xf16>
  // kr: the halves of each head of %key, rotated by the angles of their positions.
  %kr_h = tensor.expand_shape %key [[0], [1, 2]] output_shape [1, 2, 32] : tensor<1x64xf32> into tensor<1x2x32xf32>
  %kr_low = tensor.extract_slice %kr_h[0, 0, 0] [1, 2, 16] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x16xf32>
  %kr_high = tensor.extract_slice %kr_h[0, 0, 16] [1, 2, 16] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x16xf32>
  %kr_neg_e = tensor.empty() : tensor<1x2x16xf32>
  %kr_neg = linalg.generic {indexing_maps = [#abc, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%kr_high : tensor<1x2x16xf32>) outs(%kr_neg_e : tensor<1x2x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16xf32>
  %kr_rot = tensor.concat dim(2) %kr_neg, %kr_low : (tensor<1x2x16xf32>, tensor<1x2x16xf32>) -> tensor<1x2x32xf32>
  %kr_e = tensor.empty() : tensor<1x2x32xf16>
  %kr = linalg.generic {indexing_maps = [#abc, #abc, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%kr_h, %kr_rot : tensor<1x2x32xf32>, tensor<1x2x32xf32>) outs(%kr_e : tensor<1x2x32xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %t = linalg.index 0 : index
    %i = linalg.index 2 : index
    %at = arith.addi %pos, %t : index
    %c = tensor.extract %cos[%at, %i] : tensor<64x32xf32>
    %s = tensor.extract %sin[%at, %i] : tensor<64x32xf32>
    %p = arith.mulf %a, %c : f32
    %q = arith.mulf %b, %s : f32
    %y = arith.addf %p, %q : f32
    %r = arith.truncf %y : f32 to f16
    linalg.yield %r : f16
  } -> tensor<1x2x32xf16>
  // The caches with the new rows from %pos on.
  %kr_rows = tensor.collapse_shape %kr [[0], [1, 2]] : tensor<1x2x32xf16> into tensor<1x64xf16>
  %new_keys = tensor.insert_slice %kr_rows into %keys[%pos, 0] [1, 64] [1, 1] : tensor<1x64xf16> into tensor<64x64xf16>
  %vh_e = tensor.empty() : tensor<1x64xf16>
  %vh = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%value : tensor<1x64xf32>) outs(%vh_e : tensor<1x64xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<1x64xf16>
  %new_values = tensor.insert_slice %vh into %values[%pos, 0] [1, 64] [1, 1] : tensor<1x64xf16> into tensor<64x64xf16>
  %keys_h = tensor.expand_shape %new_keys [[0], [1, 2]] output_shape [64, 2, 32] : tensor<64x64xf16> into tensor<64x2x32xf16>
  %values_h = tensor.expand_shape %new_values [[0], [1, 2]] output_shape [64, 2, 32] : tensor<64x64xf16> into tensor<64x2x32xf16>
  // Attention of each query to the positions up to its own.
  %dots_e = tensor.empty() : tensor<4x1x64xf32>
  %dots_0 = linalg.fill ins(%zero : f32) outs(%dots_e : tensor<4x1x64xf32>) -> tensor<4x1x64xf32>
  %dots = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%qr, %keys_h : tensor<1x4x32xf16>, tensor<64x2x32xf16>) outs(%dots_0 : tensor<4x1x64xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %p = arith.extf %a : f16 to f32
    %q = arith.extf %b : f16 to f32
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x1x64xf32>
  %scores_e = tensor.empty() : tensor<4x1x64xf32>
  %scores = linalg.generic {indexing_maps = [#abc, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%dots : tensor<4x1x64xf32>) outs(%scores_e : tensor<4x1x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = linalg.index 1 : index
    %s = linalg.index 2 : index
    %at = arith.addi %pos, %t : index
    %seen = arith.cmpi ule, %s, %at : index
    %root = arith.constant 0.176776695 : f32
    %scaled = arith.mulf %a, %root : f32
    %r = arith.select %seen, %scaled, %lowest : f32
    linalg.yield %r : f32
  } -> tensor<4x1x64xf32>
  %weights_e = tensor.empty() : tensor<4x1x64xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x1x64xf32>) outs(%weights_e : tensor<4x1x64xf32>) -> tensor<4x1x64xf32>
  %narrow_e = tensor.empty() : tensor<4x1x64xf16>
  %narrow = linalg.generic {indexing_maps = [#abc, #abc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%weights : tensor<4x1x64xf32>) outs(%narrow_e : tensor<4x1x64xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<4x1x64xf16>
  %heads_e = tensor.empty() : tensor<1x4x32xf32>
  %heads_0 = linalg.fill ins(%zero : f32) outs(%heads_e : tensor<1x4x32xf32>) -> tensor<1x4x32xf32>
  %heads = linalg.generic {indexing_maps = [#w, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%narrow, %values_h : tensor<4x1x64xf16>, tensor<64x2x32xf16>) outs(%heads_0 : tensor<1x4x32xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %p = arith.extf %a : f16 to f32
    %q = arith.extf %b : f16 to f32
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x32xf32>
  %heads_m = tensor.collapse_shape %heads [[0], [1, 2]] : tensor<1x4x32xf32> into tensor<1x128xf32>
  %att_e = tensor.empty() : tensor<1x128xf16>
  %att = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%heads_m : tensor<1x128xf32>) outs(%att_e : tensor<1x128xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<1x128xf16>
  %proj_e = tensor.empty() : tensor<1x128xf32>
  %proj_0 = linalg.fill ins(%zero : f32) outs(%proj_e : tensor<1x128xf32>) -> tensor<1x128xf32>
  %proj = linalg.matmul ins(%att, %wo : tensor<1x128xf16>, tensor<128x128xf16>) outs(%proj_0 : tensor<1x128xf32>) -> tensor<1x128xf32>
  %mid_e = tensor.empty() : tensor<1x128xf16>
  %mid = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %proj : tensor<1x128xf16>, tensor<1x128xf32>) outs(%mid_e : tensor<1x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %w = arith.extf %a : f16 to f32
    %y = arith.addf %w, %b : f32
    %r = arith.truncf %y : f32 to f16
    linalg.yield %r : f16
  } -> tensor<1x128xf16>
  // n2 = %mid / sqrt(mean of squares + epsilon) * %norm2
  %n2_s_e = tensor.empty() : tensor<1xf32>
  %n2_s_0 = linalg.fill ins(%zero : f32) outs(%n2_s_e : tensor<1xf32>) -> tensor<1xf32>
  %n2_s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%mid : tensor<1x128xf16>) outs(%n2_s_0 : tensor<1xf32>) {
  ^bb0(%a: f16, %s: f32):
    %w = arith.extf %a : f16 to f32
    %q = arith.mulf %w, %w : f32
    %r = arith.addf %s, %q : f32
    linalg.yield %r : f32
  } -> tensor<1xf32>
  %n2_e = tensor.empty() : tensor<1x128xf16>
  %n2 = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%mid, %n2_s, %norm2 : tensor<1x128xf16>, tensor<1xf32>, tensor<128xf32>) outs(%n2_e : tensor<1x128xf16>) {
  ^bb0(%a: f16, %s: f32, %g: f32, %o: f16):
    %count = arith.constant 128.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %mean = arith.divf %s, %count : f32
    %sum = arith.addf %mean, %epsilon : f32
    %scale = math.rsqrt %sum : f32
    %w = arith.extf %a : f16 to f32
    %p = arith.mulf %w, %scale : f32
    %q = arith.mulf %p, %g : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<1x128xf16>
  // The gated MLP, with weights of 4 bits and a scale for each 32 of them.
  %gw_e = tensor.empty() : tensor<128x256xf16>
  %gw = linalg.generic {indexing_maps = [#mn, #scale, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%wg, %sg : tensor<128x256xi4>, tensor<4x256xf16>) outs(%gw_e : tensor<128x256xf16>) {
  ^bb0(%a: i4, %s: f16, %o: f16):
    %w = arith.sitofp %a : i4 to f16
    %r = arith.mulf %w, %s : f16
    linalg.yield %r : f16
  } -> tensor<128x256xf16>
  %uw_e = tensor.empty() : tensor<128x256xf16>
  %uw = linalg.generic {indexing_maps = [#mn, #scale, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%wu, %su : tensor<128x256xi4>, tensor<4x256xf16>) outs(%uw_e : tensor<128x256xf16>) {
  ^bb0(%a: i4, %s: f16, %o: f16):
    %w = arith.sitofp %a : i4 to f16
    %r = arith.mulf %w, %s : f16
    linalg.yield %r : f16
  } -> tensor<128x256xf16>
  %dw_e = tensor.empty() : tensor<256x128xf16>
  %dw = linalg.generic {indexing_maps = [#mn, #scale, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%wd, %sd : tensor<256x128xi4>, tensor<8x128xf16>) outs(%dw_e : tensor<256x128xf16>) {
  ^bb0(%a: i4, %s: f16, %o: f16):
    %w = arith.sitofp %a : i4 to f16
    %r = arith.mulf %w, %s : f16
    linalg.yield %r : f16
  } -> tensor<256x128xf16>
  %gate_e = tensor.empty() : tensor<1x256xf32>
  %gate_0 = linalg.fill ins(%zero : f32) outs(%gate_e : tensor<1x256xf32>) -> tensor<1x256xf32>
  %gate = linalg.matmul ins(%n2, %gw : tensor<1x128xf16>, tensor<128x256xf16>) outs(%gate_0 : tensor<1x256xf32>) -> tensor<1x256xf32>
  %up_e = tensor.empty() : tensor<1x256xf32>
  %up_0 = linalg.fill ins(%zero : f32) outs(%up_e : tensor<1x256xf32>) -> tensor<1x256xf32>
  %up = linalg.matmul ins(%n2, %uw : tensor<1x128xf16>, tensor<128x256xf16>) outs(%up_0 : tensor<1x256xf32>) -> tensor<1x256xf32>
  %hidden_e = tensor.empty() : tensor<1x256xf16>
  %hidden = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%gate, %up : tensor<1x256xf32>, tensor<1x256xf32>) outs(%hidden_e : tensor<1x256xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %q = arith.addf %p, %one : f32
    %silu = arith.divf %a, %q : f32
    %y = arith.mulf %silu, %b : f32
    %r = arith.truncf %y : f32 to f16
    linalg.yield %r : f16
  } -> tensor<1x256xf16>
  %down_e = tensor.empty() : tensor<1x128xf32>
  %down_0 = linalg.fill ins(%zero : f32) outs(%down_e : tensor<1x128xf32>) -> tensor<1x128xf32>
  %down = linalg.matmul ins(%hidden, %dw : tensor<1x256xf16>, tensor<256x128xf16>) outs(%down_0 : tensor<1x128xf32>) -> tensor<1x128xf32>
  %y_e = tensor.empty() : tensor<1x128xf16>
  %y = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%mid, %down : tensor<1x128xf16>, tensor<1x128xf32>) outs(%y_e : tensor<1x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %w = arith.extf %a : f16 to f32
    %y = arith.addf %w, %b : f32
    %r = arith.truncf %y : f32 to f16
    linalg.yield %r : f16
  } -> tensor<1x128xf16>
  return %y, %new_keys, %new_values : tensor<1x128xf16>, tensor<64x64xf16>, tensor<64x64xf16>
}
