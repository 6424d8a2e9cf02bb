// A constant of the module, and a layer that is called twice.
memref.global "private" constant @scales : memref<4xf32> = dense<[0.5, 1.0, 2.0, -1.0]>
func.func private @layer(%x: memref<40x32xf16>, %w: memref<32x4xf16>, %y: memref<40x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.get_global @scales : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<40x4xf32>)
  linalg.matmul ins(%x, %w : memref<40x32xf16>, memref<32x4xf16>) outs(%y : memref<40x4xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]} ins(%s : memref<4xf32>) outs(%y : memref<40x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  }
  return
}
func.func @called(%x: memref<40x32xf16>, %w: memref<32x4xf16>, %v: memref<32x4xf16>, %y: memref<40x4xf32>, %z: memref<40x4xf32>) {
  call @layer(%x, %w, %y) : (memref<40x32xf16>, memref<32x4xf16>, memref<40x4xf32>) -> ()
  call @layer(%x, %v, %z) : (memref<40x32xf16>, memref<32x4xf16>, memref<40x4xf32>) -> ()
  return
}
