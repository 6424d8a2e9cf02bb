// Attention as an operation of IREE's dialect iree_linalg_ext. attention_iree.py has the formula of each.
!q = tensor<2x20x16xf16>
!k = tensor<2x30x16xf16>
!o = tensor<2x20x16xf32>
!r = tensor<2x20xf32>
#q = affine_map<(h, m, c, d, n) -> (h, m, d)>
#k = affine_map<(h, m, c, d, n) -> (h, n, d)>
#v = affine_map<(h, m, c, d, n) -> (h, n, c)>
#one = affine_map<(h, m, c, d, n) -> ()>
#all = affine_map<(h, m, c, d, n) -> (h, m, n)>
#keys = affine_map<(h, m, c, d, n) -> (m, n)>
#o = affine_map<(h, m, c, d, n) -> (h, m, c)>
#r = affine_map<(h, m, c, d, n) -> (h, m)>

func.func @plain(%q: !q, %k: !k, %v: !k) -> !q {
  %e = tensor.empty() : !q
  %scale = arith.constant 0.25 : f16
  %d = iree_linalg_ext.attention {indexing_maps = [#q, #k, #v, #one, #o]}
      ins(%q, %k, %v, %scale : !q, !k, !k, f16) outs(%e : !q) {
  ^bb0(%s: f32):
    iree_linalg_ext.yield %s : f32
  } -> !q
  return %d : !q
}

// The same in operations of linalg.
func.func @plain_linalg(%q: !q, %k: !k, %v: !k) -> !q {
  %zero = arith.constant 0.0 : f32
  %quarter = arith.constant dense<0.25> : tensor<2x20x30xf32>
  %e = tensor.empty() : tensor<2x20x30xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x20x30xf32>) -> tensor<2x20x30xf32>
  %s = linalg.contract indexing_maps = [affine_map<(h, m, n, d) -> (h, m, d)>, affine_map<(h, m, n, d) -> (h, n, d)>,
                                        affine_map<(h, m, n, d) -> (h, m, n)>]
      ins(%q, %k : !q, !k) outs(%z : tensor<2x20x30xf32>) -> tensor<2x20x30xf32>
  %t = arith.mulf %s, %quarter : tensor<2x20x30xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x20x30xf32>) outs(%e : tensor<2x20x30xf32>) -> tensor<2x20x30xf32>
  %n = arith.truncf %p : tensor<2x20x30xf32> to tensor<2x20x30xf16>
  %oe = tensor.empty() : !o
  %oz = linalg.fill ins(%zero : f32) outs(%oe : !o) -> !o
  %o = linalg.batch_matmul ins(%n, %v : tensor<2x20x30xf16>, !k) outs(%oz : !o) -> !o
  %d = arith.truncf %o : !o to !q
  return %d : !q
}

// Keys of which the mask is false are not seen.
func.func @mask(%q: !q, %k: !k, %v: !k, %mask: tensor<2x20x30xi1>) -> !o {
  %e = tensor.empty() : !o
  %scale = arith.constant 0.25 : f32
  %d = iree_linalg_ext.attention {indexing_maps = [#q, #k, #v, #one, #all, #o]}
      ins(%q, %k, %v, %scale, %mask : !q, !k, !k, f32, tensor<2x20x30xi1>) outs(%e : !o) {
  ^bb0(%s: f32):
    iree_linalg_ext.yield %s : f32
  } -> !o
  return %d : !o
}

// A mask of numbers is added, here the same to the scores of each head; the scale is an argument.
func.func @bias(%q: !q, %k: !k, %v: !k, %scale: f32, %bias: tensor<20x30xf16>) -> !o {
  %e = tensor.empty() : !o
  %d = iree_linalg_ext.attention {indexing_maps = [#q, #k, #v, #one, #keys, #o]}
      ins(%q, %k, %v, %scale, %bias : !q, !k, !k, f32, tensor<20x30xf16>) outs(%e : !o) {
  ^bb0(%s: f32):
    iree_linalg_ext.yield %s : f32
  } -> !o
  return %d : !o
}

// The body makes a score of a score and of its place: head, query, key.
func.func @body(%q: !q, %k: !k, %v: !k) -> !o {
  %e = tensor.empty() : !o
  %scale = arith.constant 1.0 : f32
  %d = iree_linalg_ext.attention {indexing_maps = [#q, #k, #v, #one, #o]}
      ins(%q, %k, %v, %scale : !q, !k, !k, f32) outs(%e : !o) {
  ^bb0(%s: f32):
    %two = arith.constant 2.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %ten = arith.constant 10 : index
    %m = iree_linalg_ext.index 1 : index
    %n = iree_linalg_ext.index 2 : index
    %last = arith.addi %m, %ten : index
    %seen = arith.cmpi sle, %n, %last : index
    %half = arith.divf %s, %two : f32
    %t = math.tanh %half : f32
    %u = arith.mulf %t, %two : f32
    %r = arith.select %seen, %u, %low : f32
    iree_linalg_ext.yield %r : f32
  } -> !o
  return %d : !o
}

// The result is divided by the sums afterwards; scores are logarithms to base two.
func.func @online(%q: !q, %k: !k, %v: !k) -> (!o, !r, !r) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %oe = tensor.empty() : !o
  %re = tensor.empty() : !r
  %o = linalg.fill ins(%zero : f32) outs(%oe : !o) -> !o
  %m = linalg.fill ins(%low : f32) outs(%re : !r) -> !r
  %s = linalg.fill ins(%zero : f32) outs(%re : !r) -> !r
  %d:3 = iree_linalg_ext.online_attention {indexing_maps = [#q, #k, #v, #one, #o, #r, #r]}
      ins(%q, %k, %v, %scale : !q, !k, !k, f32) outs(%o, %m, %s : !o, !r, !r) {
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  } -> !o, !r, !r
  %e = linalg.generic {indexing_maps = [affine_map<(h, m, c) -> (h, m)>, affine_map<(h, m, c) -> (h, m, c)>,
                                        affine_map<(h, m, c) -> (h, m, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%d#2, %d#0 : !r, !o) outs(%oe : !o) {
  ^bb0(%sum: f32, %x: f32, %unused: f32):
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %y = arith.mulf %by, %x : f32
    linalg.yield %y : f32
  } -> !o
  return %e, %d#1, %d#2 : !o, !r, !r
}

// Not taken.
func.func @goes_on(%q: !q, %k: !k, %v: !k, %o: !o, %m: !r, %s: !r) -> (!o, !r, !r) {
  %scale = arith.constant 0.25 : f32
  %d:3 = iree_linalg_ext.online_attention {indexing_maps = [#q, #k, #v, #one, #o, #r, #r]}
      ins(%q, %k, %v, %scale : !q, !k, !k, f32) outs(%o, %m, %s : !o, !r, !r) {
  ^bb0(%x: f32):
    iree_linalg_ext.yield %x : f32
  } -> !o, !r, !r
  return %d#0, %d#1, %d#2 : !o, !r, !r
}
func.func @narrow(%q: tensor<2x20x16xf8E4M3FN>, %k: tensor<2x30x16xf8E4M3FN>, %v: tensor<2x30x16xf8E4M3FN>) -> !o {
  %e = tensor.empty() : !o
  %scale = arith.constant 0.25 : f32
  %d = iree_linalg_ext.attention {indexing_maps = [#q, #k, #v, #one, #o]}
      ins(%q, %k, %v, %scale : tensor<2x20x16xf8E4M3FN>, tensor<2x30x16xf8E4M3FN>, tensor<2x30x16xf8E4M3FN>, f32) outs(%e : !o) {
  ^bb0(%s: f32):
    iree_linalg_ext.yield %s : f32
  } -> !o
  return %d : !o
}
func.func @two_keys(%q: !q, %k: !k, %v: tensor<2x31x16xf16>) -> !o {
  %e = tensor.empty() : !o
  %scale = arith.constant 0.25 : f32
  %d = iree_linalg_ext.attention {indexing_maps = [#q, #k, #v, #one, #o]}
      ins(%q, %k, %v, %scale : !q, !k, tensor<2x31x16xf16>, f32) outs(%e : !o) {
  ^bb0(%s: f32):
    iree_linalg_ext.yield %s : f32
  } -> !o
  return %d : !o
}
