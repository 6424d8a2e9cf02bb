#same = affine_map<(i, j) -> (i, j)>
func.func @f(%a: memref<64x32xf16>, %b: memref<32x64xf16>, %d: memref<64x64xf32>, %x: memref<64x64xi1, strided<[1000000000, 1]>>) {
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x64xf16>) outs(%d : memref<64x64xf32>)
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xi1, strided<[1000000000, 1]>>) outs(%d : memref<64x64xf32>) {
  ^bb0(%v: i1, %s: f32):
    %n = arith.negf %s : f32
    %y = arith.select %v, %s, %n : f32
    linalg.yield %y : f32
  }
  return
}
// input:2:83: error: the size of memref<64x64xi1, strided<[1000000000, 1]>>; accepted: at most 2147483647 bytes a matrix
