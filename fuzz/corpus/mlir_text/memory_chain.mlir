// Two products, with memory between them that is changed in place.
func.func @chain(%x: memref<40x32xf16>, %w: memref<32x48xf16>, %v: memref<48x24xf16>, %y: memref<40x24xf32>) {
  %zero = arith.constant 0.0 : f16
  %none = arith.constant 0.0 : f32
  %h = memref.alloc() : memref<40x48xf16>
  linalg.fill ins(%zero : f16) outs(%h : memref<40x48xf16>)
  linalg.matmul ins(%x, %w : memref<40x32xf16>, memref<32x48xf16>) outs(%h : memref<40x48xf16>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%h : memref<40x48xf16>) {
  ^bb0(%e: f16):
    %m = arith.maximumf %e, %zero : f16
    linalg.yield %m : f16
  }
  linalg.fill ins(%none : f32) outs(%y : memref<40x24xf32>)
  linalg.matmul ins(%h, %v : memref<40x48xf16>, memref<48x24xf16>) outs(%y : memref<40x24xf32>)
  memref.dealloc %h : memref<40x48xf16>
  return
}
