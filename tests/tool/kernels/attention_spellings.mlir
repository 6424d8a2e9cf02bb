// Attention of 2 heads, 20 queries, 30 keys and 16 columns, spelled as frameworks and people spell it.
// The last line of a function's comment says how many kernels it becomes, and why several.
// attention_spellings.py compares the results with softmax(0.25 Q K^T) V in float64, but where a comment
// names another formula, and what else a function returns for each row with what the comment says.

!q = tensor<2x20x16xf16>
!k = tensor<2x30x16xf16>
!s = tensor<2x20x30xf32>
!n = tensor<2x20x30xf16>
!r = tensor<2x20xf32>
!o = tensor<2x20x16xf32>
!sink = tensor<2xf32>
!d = tensor<2x20x16xf16>
#q = affine_map<(h, m, n, d) -> (h, m, d)>
#k = affine_map<(h, m, n, d) -> (h, n, d)>
#shared = affine_map<(h, m, n, d) -> (n, d)>
#s = affine_map<(h, m, n, d) -> (h, m, n)>
#all = affine_map<(h, m, n) -> (h, m, n)>
#row = affine_map<(h, m, n) -> (h, m)>
#head_of_row = affine_map<(h, m) -> (h)>
#rows = affine_map<(h, m) -> (h, m)>
#with_row = {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
#with_sink = {indexing_maps = [#rows, #head_of_row, #rows], iterator_types = ["parallel", "parallel"]}

// What the spellings call.
func.func private @raw(%q: !q, %k: !k) -> !s {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %z = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : !q, !k) outs(%z : !s) -> !s
  return %s : !s
}
func.func private @scores(%q: !q, %k: !k) -> !s {
  %s = call @raw(%q, %k) : (!q, !k) -> !s
  %c = arith.constant dense<0.25> : !s
  %t = arith.mulf %s, %c : !s
  return %t : !s
}
func.func private @largest(%s: !s) -> !r {
  %c = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : !r
  %i = linalg.fill ins(%c : f32) outs(%e : !r) -> !r
  %m = linalg.reduce { arith.maximumf } ins(%s : !s) outs(%i : !r) dimensions = [2]
  return %m : !r
}
func.func private @sums(%s: !s) -> !r {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : !r
  %i = linalg.fill ins(%c : f32) outs(%e : !r) -> !r
  %m = linalg.reduce { arith.addf } ins(%s : !s) outs(%i : !r) dimensions = [2]
  return %m : !r
}
func.func private @times_v(%p: !s, %v: !k) -> !o {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !o
  %i = linalg.fill ins(%zero : f32) outs(%e : !o) -> !o
  %n = arith.truncf %p : !s to !n
  %o = linalg.batch_matmul ins(%n, %v : !n, !k) outs(%i : !o) -> !o
  return %o : !o
}
func.func private @finished(%p: !s, %v: !k) -> !d {
  %o = call @times_v(%p, %v) : (!s, !k) -> !o
  %d = arith.truncf %o : !o to !d
  return %d : !d
}
func.func private @minus(%x: !s, %r: !r) -> !s {
  %e = tensor.empty() : !s
  %y = linalg.generic #with_row ins(%x, %r : !s, !r) outs(%e : !s) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %z = arith.subf %a, %b : f32
    linalg.yield %z : f32
  } -> !s
  return %y : !s
}
func.func private @over(%x: !s, %r: !r) -> !s {
  %e = tensor.empty() : !s
  %y = linalg.generic #with_row ins(%x, %r : !s, !r) outs(%e : !s) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %z = arith.divf %a, %b : f32
    linalg.yield %z : f32
  } -> !s
  return %y : !s
}
func.func private @times(%x: !s, %r: !r) -> !s {
  %e = tensor.empty() : !s
  %y = linalg.generic #with_row ins(%x, %r : !s, !r) outs(%e : !s) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %z = arith.mulf %a, %b : f32
    linalg.yield %z : f32
  } -> !s
  return %y : !s
}
func.func private @result_over(%x: !o, %r: !r) -> !o {
  %e = tensor.empty() : !o
  %y = linalg.generic #with_row ins(%x, %r : !o, !r) outs(%e : !o) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %z = arith.divf %a, %b : f32
    linalg.yield %z : f32
  } -> !o
  return %y : !o
}
func.func private @result_times(%x: !o, %r: !r) -> !o {
  %e = tensor.empty() : !o
  %y = linalg.generic #with_row ins(%x, %r : !o, !r) outs(%e : !o) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %z = arith.mulf %a, %b : f32
    linalg.yield %z : f32
  } -> !o
  return %y : !o
}
func.func private @with_sink(%m: !r, %sink: !sink) -> !r {
  %e = tensor.empty() : !r
  %y = linalg.generic #with_sink ins(%m, %sink : !r, !sink) outs(%e : !r) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %z = arith.maximumf %a, %b : f32
    linalg.yield %z : f32
  } -> !r
  return %y : !r
}
func.func private @sink_power(%m: !r, %sink: !sink) -> !r {
  %e = tensor.empty() : !r
  %y = linalg.generic #with_sink ins(%m, %sink : !r, !sink) outs(%e : !r) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %b, %a : f32
    %z = math.exp %d : f32
    linalg.yield %z : f32
  } -> !r
  return %y : !r
}

// 1 kernel
func.func @softmax(%q: !q, %k: !k, %v: !k) -> !d {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %e = tensor.empty() : !s
  %p = linalg.softmax dimension(2) ins(%s : !s) outs(%e : !s) -> !s
  %d = call @finished(%p, %v) : (!s, !k) -> !d
  return %d : !d
}

// 1 kernel
func.func @parts(%q: !q, %k: !k, %v: !k) -> !d {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %m = call @largest(%s) : (!s) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %p = call @over(%e, %z) : (!s, !r) -> !s
  %d = call @finished(%p, %v) : (!s, !k) -> !d
  return %d : !d
}

// 1 kernel
func.func @divided_after_v(%q: !q, %k: !k, %v: !k) -> !d {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %m = call @largest(%s) : (!s) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %o = call @times_v(%e, %v) : (!s, !k) -> !o
  %w = call @result_over(%o, %z) : (!o, !r) -> !o
  %d = arith.truncf %w : !o to !d
  return %d : !d
}

// 1 kernel
func.func @reciprocals(%q: !q, %k: !k, %v: !k) -> !d {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %m = call @largest(%s) : (!s) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %one = arith.constant dense<1.0> : !r
  %i = arith.divf %one, %z : !r
  %p = call @times(%e, %i) : (!s, !r) -> !s
  %d = call @finished(%p, %v) : (!s, !k) -> !d
  return %d : !d
}

// 1 kernel
func.func @reciprocals_after_v(%q: !q, %k: !k, %v: !k) -> !d {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %m = call @largest(%s) : (!s) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %one = arith.constant dense<1.0> : !r
  %i = arith.divf %one, %z : !r
  %o = call @times_v(%e, %v) : (!s, !k) -> !o
  %w = call @result_times(%o, %i) : (!o, !r) -> !o
  %d = arith.truncf %w : !o to !d
  return %d : !d
}

// 1 kernel
func.func @powers_of_two(%q: !q, %k: !k, %v: !k) -> !d {
  %r = call @raw(%q, %k) : (!q, !k) -> !s
  %c = arith.constant dense<0.36067376> : !s
  %s = arith.mulf %r, %c : !s
  %m = call @largest(%s) : (!s) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp2 %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %o = call @times_v(%e, %v) : (!s, !k) -> !o
  %w = call @result_over(%o, %z) : (!o, !r) -> !o
  %d = arith.truncf %w : !o to !d
  return %d : !d
}

// 1 kernel
func.func @scaled_difference(%q: !q, %k: !k, %v: !k) -> !d {
  %s = call @raw(%q, %k) : (!q, !k) -> !s
  %m = call @largest(%s) : (!s) -> !r
  %b = call @minus(%s, %m) : (!s, !r) -> !s
  %c = arith.constant dense<0.36067376> : !s
  %a = arith.mulf %b, %c : !s
  %e = math.exp2 %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %o = call @times_v(%e, %v) : (!s, !k) -> !o
  %w = call @result_over(%o, %z) : (!o, !r) -> !o
  %d = arith.truncf %w : !o to !d
  return %d : !d
}

// 1 kernel
func.func @scaled_maximum(%q: !q, %k: !k, %v: !k) -> !d {
  %r = call @raw(%q, %k) : (!q, !k) -> !s
  %n = call @largest(%r) : (!s) -> !r
  %f = arith.constant dense<0.36067376> : !r
  %m = arith.mulf %n, %f : !r
  %c = arith.constant dense<0.36067376> : !s
  %s = arith.mulf %r, %c : !s
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp2 %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %o = call @times_v(%e, %v) : (!s, !k) -> !o
  %w = call @result_over(%o, %z) : (!o, !r) -> !o
  %d = arith.truncf %w : !o to !d
  return %d : !d
}

// 1 kernel
func.func @clamped_maximum(%q: !q, %k: !k, %v: !k) -> !d {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %l = call @largest(%s) : (!s) -> !r
  %low = arith.constant dense<0xFF800000> : !r
  %m = arith.maximumf %low, %l : !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %p = call @over(%e, %z) : (!s, !r) -> !s
  %d = call @finished(%p, %v) : (!s, !k) -> !d
  return %d : !d
}

// 1 kernel
func.func @kept_with_probability_1(%q: !q, %k: !k, %v: !k) -> !d {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %m = call @largest(%s) : (!s) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %p = call @over(%e, %z) : (!s, !r) -> !s
  %one = arith.constant dense<1.0> : !s
  %n = arith.mulf %p, %one : !s
  %d = call @finished(%n, %v) : (!s, !k) -> !d
  return %d : !d
}

// The denominator has e^sink of the head too.
// 1 kernel
func.func @sink(%q: !q, %k: !k, %v: !k, %sink: !sink) -> !d {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %l = call @largest(%s) : (!s) -> !r
  %m = call @with_sink(%l, %sink) : (!r, !sink) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %y = call @sums(%e) : (!s) -> !r
  %x = call @sink_power(%m, %sink) : (!r, !sink) -> !r
  %z = arith.addf %y, %x : !r
  %p = call @over(%e, %z) : (!s, !r) -> !s
  %d = call @finished(%p, %v) : (!s, !k) -> !d
  return %d : !d
}

// The denominator has 1 too.
// 1 kernel
func.func @one_more_in_the_sum(%q: !q, %k: !k, %v: !k) -> !d {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %l = call @largest(%s) : (!s) -> !r
  %zero = arith.constant dense<0.0> : !r
  %m = arith.maximumf %l, %zero : !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %y = call @sums(%e) : (!s) -> !r
  %b = arith.negf %m : !r
  %x = math.exp %b : !r
  %z = arith.addf %y, %x : !r
  %o = call @times_v(%e, %v) : (!s, !k) -> !o
  %w = call @result_over(%o, %z) : (!o, !r) -> !o
  %d = arith.truncf %w : !o to !d
  return %d : !d
}

// 1 kernel
func.func @scores_in_f16(%q: !q, %k: !k, %v: !k) -> !d {
  %r = call @raw(%q, %k) : (!q, !k) -> !s
  %t = arith.truncf %r : !s to !n
  %c = arith.constant dense<0.25> : !n
  %u = arith.mulf %t, %c : !n
  %s = arith.extf %u : !n to !s
  %e = tensor.empty() : !s
  %p = linalg.softmax dimension(2) ins(%s : !s) outs(%e : !s) -> !s
  %d = call @finished(%p, %v) : (!s, !k) -> !d
  return %d : !d
}

// 1 kernel
func.func @softmax_in_f16(%q: !q, %k: !k, %v: !k) -> !d {
  %r = call @raw(%q, %k) : (!q, !k) -> !s
  %t = arith.truncf %r : !s to !n
  %c = arith.constant dense<0.25> : !n
  %u = arith.mulf %t, %c : !n
  %e = tensor.empty() : !n
  %p = linalg.softmax dimension(2) ins(%u : !n) outs(%e : !n) -> !n
  %zero = arith.constant 0.0 : f32
  %oe = tensor.empty() : !o
  %i = linalg.fill ins(%zero : f32) outs(%oe : !o) -> !o
  %o = linalg.batch_matmul ins(%p, %v : !n, !k) outs(%i : !o) -> !o
  %d = arith.truncf %o : !o to !d
  return %d : !d
}

// 1 kernel
func.func @twice_the_shares(%q: !q, %k: !k, %v: !k) -> !d {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %m = call @largest(%s) : (!s) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %p = call @over(%e, %z) : (!s, !r) -> !s
  %two = arith.constant dense<2.0> : !s
  %n = arith.mulf %p, %two : !s
  %o = call @times_v(%n, %v) : (!s, !k) -> !o
  %h = arith.constant dense<0.5> : !o
  %w = arith.mulf %o, %h : !o
  %d = arith.truncf %w : !o to !d
  return %d : !d
}

// Not compared: the hyperbolic tangent of the shares.
// 4 kernels: more is computed between the exponentials and V than their division by a sum; accepted: a constant factor
func.func @other_shares(%q: !q, %k: !k, %v: !k) -> !d {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %m = call @largest(%s) : (!s) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %p = call @over(%e, %z) : (!s, !r) -> !s
  %t = math.tanh %p : !s
  %d = call @finished(%t, %v) : (!s, !k) -> !d
  return %d : !d
}

// 4 kernels: what is subtracted from a score is not the largest of its row
func.func @of_the_mean(%q: !q, %k: !k, %v: !k) -> !d {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %y = call @sums(%s) : (!s) -> !r
  %c = arith.constant dense<0.03125> : !r
  %m = arith.mulf %y, %c : !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %p = call @over(%e, %z) : (!s, !r) -> !s
  %d = call @finished(%p, %v) : (!s, !k) -> !d
  return %d : !d
}

// 2 kernels
func.func @scaled_queries_f16(%q: !q, %k: !k, %v: !k) -> !d {
  %c = arith.constant dense<0.25> : !q
  %t = arith.mulf %q, %c : !q
  %s = call @raw(%t, %k) : (!q, !k) -> !s
  %e = tensor.empty() : !s
  %p = linalg.softmax dimension(2) ins(%s : !s) outs(%e : !s) -> !s
  %d = call @finished(%p, %v) : (!s, !k) -> !d
  return %d : !d
}

// Not compared: keys lie by columns, and what the file names k has another shape.
// 2 kernels
func.func @keys_by_columns(%q: !q, %t: tensor<2x16x32xf16>, %v: tensor<2x32x16xf16>) -> !d {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x20x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x20x32xf32>) -> tensor<2x20x32xf32>
  %s = linalg.batch_matmul ins(%q, %t : !q, tensor<2x16x32xf16>) outs(%z : tensor<2x20x32xf32>) -> tensor<2x20x32xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x20x32xf32>) outs(%e : tensor<2x20x32xf32>) -> tensor<2x20x32xf32>
  %n = arith.truncf %p : tensor<2x20x32xf32> to tensor<2x20x32xf16>
  %oe = tensor.empty() : !o
  %i = linalg.fill ins(%zero : f32) outs(%oe : !o) -> !o
  %o = linalg.batch_matmul ins(%n, %v : tensor<2x20x32xf16>, tensor<2x32x16xf16>) outs(%i : !o) -> !o
  %d = arith.truncf %o : !o to !d
  return %d : !d
}

// 1 kernel
func.func @memory(%q: memref<2x20x16xf16>, %k: memref<2x30x16xf16>, %v: memref<2x30x16xf16>, %D: memref<2x20x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant 0.25 : f32
  %s = memref.alloc() : memref<2x20x30xf32>
  %p = memref.alloc() : memref<2x20x30xf32>
  %n = memref.alloc() : memref<2x20x30xf16>
  linalg.fill ins(%zero : f32) outs(%s : memref<2x20x30xf32>)
  linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : memref<2x20x16xf16>, memref<2x30x16xf16>) outs(%s : memref<2x20x30xf32>)
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel"]} outs(%s : memref<2x20x30xf32>) {
  ^bb0(%x: f32):
    %y = arith.mulf %x, %c : f32
    linalg.yield %y : f32
  }
  linalg.softmax dimension(2) ins(%s : memref<2x20x30xf32>) outs(%p : memref<2x20x30xf32>)
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : memref<2x20x30xf32>) outs(%n : memref<2x20x30xf16>) {
  ^bb0(%x: f32, %y: f16):
    %z = arith.truncf %x : f32 to f16
    linalg.yield %z : f16
  }
  linalg.fill ins(%zero : f32) outs(%D : memref<2x20x16xf32>)
  linalg.batch_matmul ins(%n, %v : memref<2x20x30xf16>, memref<2x30x16xf16>) outs(%D : memref<2x20x16xf32>)
  return
}

// Not compared: the shares are divided by their sum twice.
// 4 kernels: scores, maxima or sums of rows are needed elsewhere too
func.func @divided_twice(%q: !q, %k: !k, %v: !k) -> !d {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %m = call @largest(%s) : (!s) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %p = call @over(%e, %z) : (!s, !r) -> !s
  %o = call @times_v(%p, %v) : (!s, !k) -> !o
  %w = call @result_over(%o, %z) : (!o, !r) -> !o
  %d = arith.truncf %w : !o to !d
  return %d : !d
}

// A score has the product of qr and kr too, whose keys the heads share.
// 2 kernels
func.func @two_products(%q: !q, %k: !k, %v: !k, %qr: !q, %kr: tensor<30x16xf16>) -> !d {
  %x = call @scores(%q, %k) : (!q, !k) -> !s
  %zero = arith.constant 0.0 : f32
  %c = arith.constant dense<0.25> : !s
  %e = tensor.empty() : !s
  %i = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %r = linalg.contract indexing_maps = [#q, #shared, #s] ins(%qr, %kr : !q, tensor<30x16xf16>) outs(%i : !s) -> !s
  %y = arith.mulf %r, %c : !s
  %s = arith.addf %x, %y : !s
  %p = linalg.softmax dimension(2) ins(%s : !s) outs(%e : !s) -> !s
  %d = call @finished(%p, %v) : (!s, !k) -> !d
  return %d : !d
}

// Returns lse: the logarithm of the sum of exponentials.
// 1 kernel
func.func @logarithm_of_the_sum(%q: !q, %k: !k, %v: !k) -> (!d, !r) {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %m = call @largest(%s) : (!s) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %p = call @over(%e, %z) : (!s, !r) -> !s
  %d = call @finished(%p, %v) : (!s, !k) -> !d
  %l = math.log %z : !r
  %w = arith.addf %l, %m : !r
  return %d, %w : !d, !r
}

// Returns lse: in powers of two, brought to that of e.
// 1 kernel
func.func @logarithm_to_base_two(%q: !q, %k: !k, %v: !k) -> (!d, !r) {
  %r = call @raw(%q, %k) : (!q, !k) -> !s
  %c = arith.constant dense<0.36067376> : !s
  %s = arith.mulf %r, %c : !s
  %m = call @largest(%s) : (!s) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp2 %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %o = call @times_v(%e, %v) : (!s, !k) -> !o
  %x = call @result_over(%o, %z) : (!o, !r) -> !o
  %d = arith.truncf %x : !o to !d
  %l = math.log2 %z : !r
  %y = arith.addf %m, %l : !r
  %ln2 = arith.constant dense<0.69314718> : !r
  %w = arith.mulf %y, %ln2 : !r
  return %d, %w : !d, !r
}

// Returns lse: of scores that are scaled where the largest is subtracted, and with reciprocals.
// 1 kernel
func.func @logarithm_of_a_scaled_difference(%q: !q, %k: !k, %v: !k) -> (!d, !r) {
  %s = call @raw(%q, %k) : (!q, !k) -> !s
  %m = call @largest(%s) : (!s) -> !r
  %b = call @minus(%s, %m) : (!s, !r) -> !s
  %c = arith.constant dense<0.25> : !s
  %a = arith.mulf %b, %c : !s
  %e = math.exp %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %one = arith.constant dense<1.0> : !r
  %i = arith.divf %one, %z : !r
  %p = call @times(%e, %i) : (!s, !r) -> !s
  %d = call @finished(%p, %v) : (!s, !k) -> !d
  %f = arith.constant dense<0.25> : !r
  %n = arith.mulf %m, %f : !r
  %l = math.log %z : !r
  %w = arith.addf %l, %n : !r
  return %d, %w : !d, !r
}

// The denominator has e^sink of the head too. Returns lse, of that denominator.
// 1 kernel
func.func @logarithm_with_a_sink(%q: !q, %k: !k, %v: !k, %sink: !sink) -> (!d, !r) {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %l = call @largest(%s) : (!s) -> !r
  %m = call @with_sink(%l, %sink) : (!r, !sink) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %y = call @sums(%e) : (!s) -> !r
  %x = call @sink_power(%m, %sink) : (!r, !sink) -> !r
  %z = arith.addf %y, %x : !r
  %p = call @over(%e, %z) : (!s, !r) -> !s
  %d = call @finished(%p, %v) : (!s, !k) -> !d
  %g = math.log %z : !r
  %w = arith.addf %m, %g : !r
  return %d, %w : !d, !r
}

// Returns the largest score and the sum.
// 1 kernel
func.func @largest_and_sum(%q: !q, %k: !k, %v: !k) -> (!d, !r, !r) {
  %s = call @scores(%q, %k) : (!q, !k) -> !s
  %m = call @largest(%s) : (!s) -> !r
  %a = call @minus(%s, %m) : (!s, !r) -> !s
  %e = math.exp %a : !s
  %z = call @sums(%e) : (!s) -> !r
  %p = call @over(%e, %z) : (!s, !r) -> !s
  %d = call @finished(%p, %v) : (!s, !k) -> !d
  return %d, %m, %z : !d, !r, !r
}
