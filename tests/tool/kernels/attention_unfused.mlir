// Attention that is not one kernel, each function for another reason: run_attention.txt.
#q = affine_map<(m, n, d) -> (m, d)>
#k = affine_map<(m, n, d) -> (n, d)>
#s = affine_map<(m, n, d) -> (m, n)>
#all = affine_map<(m, n) -> (m, n)>
#none = affine_map<(m, n) -> ()>
#alone = {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
#with_number = {indexing_maps = [#all, #none, #all], iterator_types = ["parallel", "parallel"]}
!s = tensor<20x30xf32>
!n = tensor<20x30xf16>
!v = tensor<30x16xf16>
!d = tensor<20x16xf32>

func.func private @finished(%s: !s, %v: !v) -> !d {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %p = linalg.softmax dimension(1) ins(%s : !s) outs(%e : !s) -> !s
  %n = arith.truncf %p : !s to !n
  %de = tensor.empty() : !d
  %z = linalg.fill ins(%zero : f32) outs(%de : !d) -> !d
  %d = linalg.matmul ins(%n, %v : !n, !v) outs(%z : !d) -> !d
  return %d : !d
}

func.func @heads_of_12(%q: tensor<20x12xf16>, %k: tensor<30x12xf16>, %v: !v) -> !d {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %z = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<20x12xf16>, tensor<30x12xf16>) outs(%z : !s) -> !s
  %d = call @finished(%s, %v) : (!s, !v) -> !d
  return %d : !d
}

func.func @two_types(%q: tensor<20x16xbf16>, %k: tensor<30x16xf16>, %v: !v) -> !d {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %z = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<20x16xbf16>, tensor<30x16xf16>) outs(%z : !s) -> !s
  %d = call @finished(%s, %v) : (!s, !v) -> !d
  return %d : !d
}

func.func @length_of_index(%q: tensor<20x16xf16>, %k: tensor<30x16xf16>, %v: !v, %length: tensor<index>) -> !d {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %z = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<20x16xf16>, tensor<30x16xf16>) outs(%z : !s) -> !s
  %t = linalg.generic #with_number ins(%s, %length : !s, tensor<index>) outs(%e : !s) {
  ^bb0(%x: f32, %l: index, %unused: f32):
    %low = arith.constant 0xFF800000 : f32
    %n = linalg.index 1 : index
    %seen = arith.cmpi slt, %n, %l : index
    %r = arith.select %seen, %x, %low : f32
    linalg.yield %r : f32
  } -> !s
  %d = call @finished(%t, %v) : (!s, !v) -> !d
  return %d : !d
}

func.func @length_cast_before(%q: tensor<20x16xf16>, %k: tensor<30x16xf16>, %v: !v, %number: i32) -> !d {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %z = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<20x16xf16>, tensor<30x16xf16>) outs(%z : !s) -> !s
  %length = arith.index_cast %number : i32 to index
  %t = linalg.generic #alone ins(%s : !s) outs(%e : !s) {
  ^bb0(%x: f32, %unused: f32):
    %low = arith.constant 0xFF800000 : f32
    %n = linalg.index 1 : index
    %seen = arith.cmpi slt, %n, %length : index
    %r = arith.select %seen, %x, %low : f32
    linalg.yield %r : f32
  } -> !s
  %d = call @finished(%t, %v) : (!s, !v) -> !d
  return %d : !d
}
