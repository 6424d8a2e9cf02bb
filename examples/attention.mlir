// Causal attention of grouped heads, as one kernel on every target:
//
//   heddle run examples/attention.mlir --target gfx1201
//
// Four heads of queries share a head of keys and values. A query sees the keys up to its own; the
// kernel skips blocks of keys that no query of a block sees.

#q = affine_map<(h, g, m, n, d) -> (m, h, g, d)>
#k = affine_map<(h, g, m, n, d) -> (n, h, d)>
#s = affine_map<(h, g, m, n, d) -> (h, g, m, n)>
#p = affine_map<(h, g, m, c, n) -> (h, g, m, n)>
#v = affine_map<(h, g, m, c, n) -> (n, h, c)>
#o = affine_map<(h, g, m, c, n) -> (m, h, g, c)>
#id = affine_map<(h, g, m, n) -> (h, g, m, n)>

func.func @attention(%q: tensor<192x2x4x64xbf16>, %k: tensor<192x2x64xbf16>,
                     %v: tensor<192x2x64xbf16>) -> tensor<192x2x4x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %scores_e = tensor.empty() : tensor<2x4x192x192xf32>
  %scores_0 = linalg.fill ins(%zero : f32) outs(%scores_e : tensor<2x4x192x192xf32>) -> tensor<2x4x192x192xf32>
  %scores = linalg.contract indexing_maps = [#q, #k, #s]
      ins(%q, %k : tensor<192x2x4x64xbf16>, tensor<192x2x64xbf16>)
      outs(%scores_0 : tensor<2x4x192x192xf32>) -> tensor<2x4x192x192xf32>
  %masked = linalg.generic {indexing_maps = [#id, #id],
                            iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scores : tensor<2x4x192x192xf32>) outs(%scores_e : tensor<2x4x192x192xf32>) {
  ^bb0(%score: f32, %unused: f32):
    %query = linalg.index 2 : index
    %key = linalg.index 3 : index
    %seen = arith.cmpi sle, %key, %query : index
    %scale = arith.constant 0.125 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %scaled = arith.mulf %score, %scale : f32
    %r = arith.select %seen, %scaled, %lowest : f32
    linalg.yield %r : f32
  } -> tensor<2x4x192x192xf32>
  %shares = linalg.softmax dimension(3) ins(%masked : tensor<2x4x192x192xf32>)
      outs(%scores_e : tensor<2x4x192x192xf32>) -> tensor<2x4x192x192xf32>
  %narrow = arith.truncf %shares : tensor<2x4x192x192xf32> to tensor<2x4x192x192xbf16>
  %sums_e = tensor.empty() : tensor<192x2x4x64xf32>
  %sums_0 = linalg.fill ins(%zero : f32) outs(%sums_e : tensor<192x2x4x64xf32>) -> tensor<192x2x4x64xf32>
  %sums = linalg.contract indexing_maps = [#p, #v, #o]
      ins(%narrow, %v : tensor<2x4x192x192xbf16>, tensor<192x2x64xbf16>)
      outs(%sums_0 : tensor<192x2x4x64xf32>) -> tensor<192x2x4x64xf32>
  %result = arith.truncf %sums : tensor<192x2x4x64xf32> to tensor<192x2x4x64xbf16>
  return %result : tensor<192x2x4x64xbf16>
}
