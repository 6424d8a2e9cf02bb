#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func.func @f(%a: memref<8x4xf16, strided<[4, 1]>>, %b: memref<4x2xf16>, %c: memref<8x2xf32>) {
    linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : memref<8x4xf16, strided<[4, 1]>>, memref<4x2xf16>) outs(%c : memref<8x2xf32>)
    return
  }
}
