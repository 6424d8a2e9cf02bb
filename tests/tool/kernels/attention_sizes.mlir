// Causal attention of 2 heads, tokens first. Only a launch knows how many sequences, queries and keys
// there are.
#q = affine_map<(b, h, m, n, d) -> (b, m, h, d)>
#k = affine_map<(b, h, m, n, d) -> (b, n, h, d)>
#s = affine_map<(b, h, m, n, d) -> (b, h, m, n)>
#p = affine_map<(b, h, m, c, n) -> (b, h, m, n)>
#v = affine_map<(b, h, m, c, n) -> (b, n, h, c)>
#o = affine_map<(b, h, m, c, n) -> (b, m, h, c)>
#id = affine_map<(b, h, m, n) -> (b, h, m, n)>
!t = tensor<?x?x2x64xf16>
!s = tensor<?x2x?x?xf32>

func.func @attention(%q: !t, %k: !t, %v: !t) -> !t {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %q, %c0 : !t
  %m = tensor.dim %q, %c1 : !t
  %n = tensor.dim %k, %c1 : !t
  %scores_e = tensor.empty(%b, %m, %n) : !s
  %scores_0 = linalg.fill ins(%zero : f32) outs(%scores_e : !s) -> !s
  %scores = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : !t, !t) outs(%scores_0 : !s) -> !s
  %masked = linalg.generic {indexing_maps = [#id, #id],
                            iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scores : !s) outs(%scores_e : !s) {
  ^bb0(%score: f32, %unused: f32):
    %query = linalg.index 2 : index
    %key = linalg.index 3 : index
    %seen = arith.cmpi sle, %key, %query : index
    %scale = arith.constant 0.125 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %scaled = arith.mulf %score, %scale : f32
    %r = arith.select %seen, %scaled, %lowest : f32
    linalg.yield %r : f32
  } -> !s
  %shares = linalg.softmax dimension(3) ins(%masked : !s) outs(%scores_e : !s) -> !s
  %narrow = arith.truncf %shares : !s to tensor<?x2x?x?xf16>
  %sums_e = tensor.empty(%b, %m) : tensor<?x?x2x64xf32>
  %sums_0 = linalg.fill ins(%zero : f32) outs(%sums_e : tensor<?x?x2x64xf32>) -> tensor<?x?x2x64xf32>
  %sums = linalg.contract indexing_maps = [#p, #v, #o] ins(%narrow, %v : tensor<?x2x?x?xf16>, !t)
      outs(%sums_0 : tensor<?x?x2x64xf32>) -> tensor<?x?x2x64xf32>
  %result = arith.truncf %sums : tensor<?x?x2x64xf32> to !t
  return %result : !t
}
