// A result that is copied into the argument that holds it, and a second one that is computed from it.
func.func @copied(%a: memref<40x32xf32>, %b: memref<32x24xf32>, %bias: memref<24xf32>, %c: memref<40x24xf32>, %d: memref<40x24xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<40x24xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<40x24xf32>)
  linalg.matmul ins(%a, %b : memref<40x32xf32>, memref<32x24xf32>) outs(%t : memref<40x24xf32>)
  memref.copy %t, %c : memref<40x24xf32> to memref<40x24xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%c, %bias : memref<40x24xf32>, memref<24xf32>) outs(%d : memref<40x24xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  }
  memref.dealloc %t : memref<40x24xf32>
  return
}
