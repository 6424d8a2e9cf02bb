// Attention over caches of 300 keys, of which a launch says how many are used. attention_lengths.py runs
// each with several lengths.
!q = tensor<2x20x16xf16>
!k = tensor<2x300x16xf16>
!s = tensor<2x20x300xf32>
!n = tensor<2x20x300xf16>
!d = tensor<2x20x16xf32>
#q = affine_map<(h, m, n, d) -> (h, m, d)>
#k = affine_map<(h, m, n, d) -> (h, n, d)>
#s = affine_map<(h, m, n, d) -> (h, m, n)>
#all = affine_map<(h, m, n) -> (h, m, n)>
#none = affine_map<(h, m, n) -> ()>
#head = affine_map<(h, m, n) -> (h)>
#alone = {indexing_maps = [#all, #none, #all], iterator_types = ["parallel", "parallel", "parallel"]}
#of_head = {indexing_maps = [#all, #head, #all], iterator_types = ["parallel", "parallel", "parallel"]}

func.func private @raw(%q: !q, %k: !k) -> !s {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %z = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : !q, !k) outs(%z : !s) -> !s
  return %s : !s
}
func.func private @finished(%s: !s, %v: !k) -> !d {
  %e = tensor.empty() : !s
  %p = linalg.softmax dimension(2) ins(%s : !s) outs(%e : !s) -> !s
  %n = arith.truncf %p : !s to !n
  %zero = arith.constant 0.0 : f32
  %de = tensor.empty() : !d
  %z = linalg.fill ins(%zero : f32) outs(%de : !d) -> !d
  %d = linalg.batch_matmul ins(%n, %v : !n, !k) outs(%z : !d) -> !d
  return %d : !d
}

// Each query sees the keys before the length.
func.func @used(%q: !q, %k: !k, %v: !k, %length: tensor<i32>) -> !d {
  %s = call @raw(%q, %k) : (!q, !k) -> !s
  %e = tensor.empty() : !s
  %t = linalg.generic #alone ins(%s, %length : !s, tensor<i32>) outs(%e : !s) {
  ^bb0(%x: f32, %l: i32, %unused: f32):
    %scale = arith.constant 0.25 : f32
    %low = arith.constant 0xFF800000 : f32
    %n = linalg.index 2 : index
    %i = arith.index_cast %n : index to i32
    %seen = arith.cmpi slt, %i, %l : i32
    %y = arith.mulf %x, %scale : f32
    %r = arith.select %seen, %y, %low : f32
    linalg.yield %r : f32
  } -> !s
  %d = call @finished(%t, %v) : (!s, !k) -> !d
  return %d : !d
}

// The last query sees the last used key.
func.func @causal(%q: !q, %k: !k, %v: !k, %length: tensor<i64>) -> !d {
  %s = call @raw(%q, %k) : (!q, !k) -> !s
  %e = tensor.empty() : !s
  %t = linalg.generic #alone ins(%s, %length : !s, tensor<i64>) outs(%e : !s) {
  ^bb0(%x: f32, %l: i64, %unused: f32):
    %scale = arith.constant 0.25 : f32
    %low = arith.constant 0xFF800000 : f32
    %queries = arith.constant 20 : i64
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %query = arith.index_cast %m : index to i64
    %key = arith.index_cast %n : index to i64
    %before = arith.subi %l, %queries : i64
    %at = arith.addi %query, %before : i64
    %seen = arith.cmpi sle, %key, %at : i64
    %y = arith.mulf %x, %scale : f32
    %r = arith.select %seen, %y, %low : f32
    linalg.yield %r : f32
  } -> !s
  %d = call @finished(%t, %v) : (!s, !k) -> !d
  return %d : !d
}

// Each head has a length of its own.
func.func @of_heads(%q: !q, %k: !k, %v: !k, %length: tensor<2xi32>) -> !d {
  %s = call @raw(%q, %k) : (!q, !k) -> !s
  %e = tensor.empty() : !s
  %t = linalg.generic #of_head ins(%s, %length : !s, tensor<2xi32>) outs(%e : !s) {
  ^bb0(%x: f32, %l: i32, %unused: f32):
    %scale = arith.constant 0.25 : f32
    %low = arith.constant 0xFF800000 : f32
    %n = linalg.index 2 : index
    %i = arith.index_cast %n : index to i32
    %seen = arith.cmpi sgt, %l, %i : i32
    %y = arith.mulf %x, %scale : f32
    %r = arith.select %seen, %y, %low : f32
    linalg.yield %r : f32
  } -> !s
  %d = call @finished(%t, %v) : (!s, !k) -> !d
  return %d : !d
}
