// A step of decoding: one new query for each of 8 heads that share a head of keys and values.
//
//   heddle run examples/attention_decode.mlir --target gfx942
//
// The heads are rows of one tile. Blocks share the keys of a tile, and the last of them joins what
// the others found. The cache has room for 2000 keys; %present says which there are.

#q = affine_map<(b, h, g, n, d) -> (b, h, g, d)>
#k = affine_map<(b, h, g, n, d) -> (b, h, n, d)>
#s = affine_map<(b, h, g, n, d) -> (b, h, g, n)>
#p = affine_map<(b, h, g, c, n) -> (b, h, g, n)>
#v = affine_map<(b, h, g, c, n) -> (b, h, n, c)>
#o = affine_map<(b, h, g, c, n) -> (b, h, g, c)>
#id = affine_map<(b, h, g, n) -> (b, h, g, n)>
#key = affine_map<(b, h, g, n) -> (b, n)>

func.func @decode(%q: tensor<2x2x8x64xbf16>, %k: tensor<2x2x2000x64xbf16>,
                  %v: tensor<2x2x2000x64xbf16>, %present: tensor<2x2000xi1>) -> tensor<2x2x8x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %scores_e = tensor.empty() : tensor<2x2x8x2000xf32>
  %scores_0 = linalg.fill ins(%zero : f32) outs(%scores_e : tensor<2x2x8x2000xf32>) -> tensor<2x2x8x2000xf32>
  %scores = linalg.contract indexing_maps = [#q, #k, #s]
      ins(%q, %k : tensor<2x2x8x64xbf16>, tensor<2x2x2000x64xbf16>)
      outs(%scores_0 : tensor<2x2x8x2000xf32>) -> tensor<2x2x8x2000xf32>
  %masked = linalg.generic {indexing_maps = [#id, #key, #id],
                            iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scores, %present : tensor<2x2x8x2000xf32>, tensor<2x2000xi1>)
      outs(%scores_e : tensor<2x2x8x2000xf32>) {
  ^bb0(%score: f32, %is_present: i1, %unused: f32):
    %scale = arith.constant 0.125 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %scaled = arith.mulf %score, %scale : f32
    %r = arith.select %is_present, %scaled, %lowest : f32
    linalg.yield %r : f32
  } -> tensor<2x2x8x2000xf32>
  %shares = linalg.softmax dimension(3) ins(%masked : tensor<2x2x8x2000xf32>)
      outs(%scores_e : tensor<2x2x8x2000xf32>) -> tensor<2x2x8x2000xf32>
  %narrow = arith.truncf %shares : tensor<2x2x8x2000xf32> to tensor<2x2x8x2000xbf16>
  %sums_e = tensor.empty() : tensor<2x2x8x64xf32>
  %sums_0 = linalg.fill ins(%zero : f32) outs(%sums_e : tensor<2x2x8x64xf32>) -> tensor<2x2x8x64xf32>
  %sums = linalg.contract indexing_maps = [#p, #v, #o]
      ins(%narrow, %v : tensor<2x2x8x2000xbf16>, tensor<2x2x2000x64xbf16>)
      outs(%sums_0 : tensor<2x2x8x64xf32>) -> tensor<2x2x8x64xf32>
  %result = arith.truncf %sums : tensor<2x2x8x64xf32> to tensor<2x2x8x64xbf16>
  return %result : tensor<2x2x8x64xbf16>
}
