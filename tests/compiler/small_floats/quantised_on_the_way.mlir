// A is scaled and rounded to 8 bits where it is read.
func.func @quantised(%wide: tensor<40x64xf32>, %scale: tensor<40xf32>, %b: tensor<64x48xf8E4M3FN>) -> tensor<40x48xf8E4M3FN> {
  %zero = arith.constant 0.0 : f32
  %most = arith.constant 2.0 : f32
  %least = arith.constant -2.0 : f32
  %bytes = tensor.empty() : tensor<40x64xf8E4M3FN>
  %a = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]} ins(%wide, %scale : tensor<40x64xf32>, tensor<40xf32>) outs(%bytes : tensor<40x64xf8E4M3FN>) {
  ^bb0(%x: f32, %s: f32, %o: f8E4M3FN):
    %scaled = arith.mulf %x, %s : f32
    %low = arith.minimumf %scaled, %most : f32
    %clamped = arith.maximumf %low, %least : f32
    %byte = arith.truncf %clamped : f32 to f8E4M3FN
    linalg.yield %byte : f8E4M3FN
  } -> tensor<40x64xf8E4M3FN>
  %empty = tensor.empty() : tensor<40x48xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<40x48xf32>) -> tensor<40x48xf32>
  %d = linalg.matmul ins(%a, %b : tensor<40x64xf8E4M3FN>, tensor<64x48xf8E4M3FN>) outs(%zeros : tensor<40x48xf32>) -> tensor<40x48xf32>
  %t = arith.truncf %d : tensor<40x48xf32> to tensor<40x48xf8E4M3FN>
  return %t : tensor<40x48xf8E4M3FN>
}
