func.func private @g0(%a: f32) -> f32 {
  %b = call @g1(%a) : (f32) -> f32
  %c = call @g1(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g1(%a: f32) -> f32 {
  %b = call @g2(%a) : (f32) -> f32
  %c = call @g2(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g2(%a: f32) -> f32 {
  %b = call @g3(%a) : (f32) -> f32
  %c = call @g3(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g3(%a: f32) -> f32 {
  %b = call @g4(%a) : (f32) -> f32
  %c = call @g4(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g4(%a: f32) -> f32 {
  %b = call @g5(%a) : (f32) -> f32
  %c = call @g5(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g5(%a: f32) -> f32 {
  %b = call @g6(%a) : (f32) -> f32
  %c = call @g6(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g6(%a: f32) -> f32 {
  %b = call @g7(%a) : (f32) -> f32
  %c = call @g7(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g7(%a: f32) -> f32 {
  %b = call @g8(%a) : (f32) -> f32
  %c = call @g8(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g8(%a: f32) -> f32 {
  %b = call @g9(%a) : (f32) -> f32
  %c = call @g9(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g9(%a: f32) -> f32 {
  %b = call @g10(%a) : (f32) -> f32
  %c = call @g10(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g10(%a: f32) -> f32 {
  %b = call @g11(%a) : (f32) -> f32
  %c = call @g11(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g11(%a: f32) -> f32 {
  %b = call @g12(%a) : (f32) -> f32
  %c = call @g12(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g12(%a: f32) -> f32 {
  %b = call @g13(%a) : (f32) -> f32
  %c = call @g13(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g13(%a: f32) -> f32 {
  %b = call @g14(%a) : (f32) -> f32
  %c = call @g14(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g14(%a: f32) -> f32 {
  %b = call @g15(%a) : (f32) -> f32
  %c = call @g15(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g15(%a: f32) -> f32 {
  %b = call @g16(%a) : (f32) -> f32
  %c = call @g16(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g16(%a: f32) -> f32 {
  %b = call @g17(%a) : (f32) -> f32
  %c = call @g17(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g17(%a: f32) -> f32 {
  %b = call @g18(%a) : (f32) -> f32
  %c = call @g18(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g18(%a: f32) -> f32 {
  %b = call @g19(%a) : (f32) -> f32
  %c = call @g19(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g19(%a: f32) -> f32 {
  %b = call @g20(%a) : (f32) -> f32
  %c = call @g20(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g20(%a: f32) -> f32 {
  %b = call @g21(%a) : (f32) -> f32
  %c = call @g21(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g21(%a: f32) -> f32 {
  %b = call @g22(%a) : (f32) -> f32
  %c = call @g22(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g22(%a: f32) -> f32 {
  %b = call @g23(%a) : (f32) -> f32
  %c = call @g23(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g23(%a: f32) -> f32 {
  %b = call @g24(%a) : (f32) -> f32
  %c = call @g24(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g24(%a: f32) -> f32 {
  %b = call @g25(%a) : (f32) -> f32
  %c = call @g25(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g25(%a: f32) -> f32 {
  %b = call @g26(%a) : (f32) -> f32
  %c = call @g26(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g26(%a: f32) -> f32 {
  %b = call @g27(%a) : (f32) -> f32
  %c = call @g27(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g27(%a: f32) -> f32 {
  %b = call @g28(%a) : (f32) -> f32
  %c = call @g28(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g28(%a: f32) -> f32 {
  %b = call @g29(%a) : (f32) -> f32
  %c = call @g29(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g29(%a: f32) -> f32 {
  %b = call @g30(%a) : (f32) -> f32
  %c = call @g30(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g30(%a: f32) -> f32 {
  %b = call @g31(%a) : (f32) -> f32
  %c = call @g31(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g31(%a: f32) -> f32 {
  %b = call @g32(%a) : (f32) -> f32
  %c = call @g32(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g32(%a: f32) -> f32 {
  %b = call @g33(%a) : (f32) -> f32
  %c = call @g33(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g33(%a: f32) -> f32 {
  %b = call @g34(%a) : (f32) -> f32
  %c = call @g34(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g34(%a: f32) -> f32 {
  %b = call @g35(%a) : (f32) -> f32
  %c = call @g35(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g35(%a: f32) -> f32 {
  %b = call @g36(%a) : (f32) -> f32
  %c = call @g36(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g36(%a: f32) -> f32 {
  %b = call @g37(%a) : (f32) -> f32
  %c = call @g37(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g37(%a: f32) -> f32 {
  %b = call @g38(%a) : (f32) -> f32
  %c = call @g38(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g38(%a: f32) -> f32 {
  %b = call @g39(%a) : (f32) -> f32
  %c = call @g39(%b) : (f32) -> f32
  return %c : f32
}
func.func private @g39(%a: f32) -> f32 {
  return %a : f32
}
func.func @f(%x: f32, %a: tensor<32x32xf16>, %c: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %y = call @g0(%x) : (f32) -> f32
  %d = linalg.matmul ins(%a, %a : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf16>) -> tensor<32x32xf16>
  return %d : tensor<32x32xf16>
}
// input:148:8: error: calls of functions with more operations; accepted: at most 4096 together
