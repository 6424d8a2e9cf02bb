// A formula of scores whose steps are used twice again and again: followed on each way to an input, it
// has 2^48 steps.
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
    %t0 = arith.addf %r, %r : f32
    %w0 = arith.minimumf %t0, %scaled : f32
    %x0 = arith.addf %t0, %w0 : f32
    %t1 = arith.select %seen, %x0, %w0 : f32
    %w1 = arith.minimumf %t1, %scaled : f32
    %x1 = arith.addf %t1, %w1 : f32
    %t2 = arith.select %seen, %x1, %w1 : f32
    %w2 = arith.minimumf %t2, %scaled : f32
    %x2 = arith.addf %t2, %w2 : f32
    %t3 = arith.select %seen, %x2, %w2 : f32
    %w3 = arith.minimumf %t3, %scaled : f32
    %x3 = arith.addf %t3, %w3 : f32
    %t4 = arith.select %seen, %x3, %w3 : f32
    %w4 = arith.minimumf %t4, %scaled : f32
    %x4 = arith.addf %t4, %w4 : f32
    %t5 = arith.select %seen, %x4, %w4 : f32
    %w5 = arith.minimumf %t5, %scaled : f32
    %x5 = arith.addf %t5, %w5 : f32
    %t6 = arith.select %seen, %x5, %w5 : f32
    %w6 = arith.minimumf %t6, %scaled : f32
    %x6 = arith.addf %t6, %w6 : f32
    %t7 = arith.select %seen, %x6, %w6 : f32
    %w7 = arith.minimumf %t7, %scaled : f32
    %x7 = arith.addf %t7, %w7 : f32
    %t8 = arith.select %seen, %x7, %w7 : f32
    %w8 = arith.minimumf %t8, %scaled : f32
    %x8 = arith.addf %t8, %w8 : f32
    %t9 = arith.select %seen, %x8, %w8 : f32
    %w9 = arith.minimumf %t9, %scaled : f32
    %x9 = arith.addf %t9, %w9 : f32
    %t10 = arith.select %seen, %x9, %w9 : f32
    %w10 = arith.minimumf %t10, %scaled : f32
    %x10 = arith.addf %t10, %w10 : f32
    %t11 = arith.select %seen, %x10, %w10 : f32
    %w11 = arith.minimumf %t11, %scaled : f32
    %x11 = arith.addf %t11, %w11 : f32
    %t12 = arith.select %seen, %x11, %w11 : f32
    %w12 = arith.minimumf %t12, %scaled : f32
    %x12 = arith.addf %t12, %w12 : f32
    %t13 = arith.select %seen, %x12, %w12 : f32
    %w13 = arith.minimumf %t13, %scaled : f32
    %x13 = arith.addf %t13, %w13 : f32
    %t14 = arith.select %seen, %x13, %w13 : f32
    %w14 = arith.minimumf %t14, %scaled : f32
    %x14 = arith.addf %t14, %w14 : f32
    %t15 = arith.select %seen, %x14, %w14 : f32
    %w15 = arith.minimumf %t15, %scaled : f32
    %x15 = arith.addf %t15, %w15 : f32
    %t16 = arith.select %seen, %x15, %w15 : f32
    %w16 = arith.minimumf %t16, %scaled : f32
    %x16 = arith.addf %t16, %w16 : f32
    %t17 = arith.select %seen, %x16, %w16 : f32
    %w17 = arith.minimumf %t17, %scaled : f32
    %x17 = arith.addf %t17, %w17 : f32
    %t18 = arith.select %seen, %x17, %w17 : f32
    %w18 = arith.minimumf %t18, %scaled : f32
    %x18 = arith.addf %t18, %w18 : f32
    %t19 = arith.select %seen, %x18, %w18 : f32
    %w19 = arith.minimumf %t19, %scaled : f32
    %x19 = arith.addf %t19, %w19 : f32
    %t20 = arith.select %seen, %x19, %w19 : f32
    %w20 = arith.minimumf %t20, %scaled : f32
    %x20 = arith.addf %t20, %w20 : f32
    %t21 = arith.select %seen, %x20, %w20 : f32
    %w21 = arith.minimumf %t21, %scaled : f32
    %x21 = arith.addf %t21, %w21 : f32
    %t22 = arith.select %seen, %x21, %w21 : f32
    %w22 = arith.minimumf %t22, %scaled : f32
    %x22 = arith.addf %t22, %w22 : f32
    %t23 = arith.select %seen, %x22, %w22 : f32
    %w23 = arith.minimumf %t23, %scaled : f32
    %x23 = arith.addf %t23, %w23 : f32
    %t24 = arith.select %seen, %x23, %w23 : f32
    linalg.yield %t24 : f32
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
