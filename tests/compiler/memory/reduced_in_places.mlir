// Two results of one reduction, each added to what its argument held.
func.func @reduced_in_places(%a: memref<6x16x10xf32>, %c: memref<6x10xf32>, %b: memref<6x16x10xi64>, %d: memref<6x10xi64>) {
  linalg.reduce ins(%a, %b : memref<6x16x10xf32>, memref<6x16x10xi64>) outs(%c, %d : memref<6x10xf32>, memref<6x10xi64>) dimensions = [1]
    (%x: f32, %y: i64, %s: f32, %t: i64) {
      %p = arith.addf %x, %s : f32
      %q = arith.addi %y, %t : i64
      linalg.yield %p, %q : f32, i64
    }
  return
}
