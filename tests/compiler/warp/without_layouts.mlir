// RUN: not %heddle-opt %s --heddle-distribute=target=sm_80 2>&1 | FileCheck %s

func.func @alone(%x: memref<16x16xf16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  // CHECK: without_layouts.mlir:[[# @LINE + 1]]:8: error: vector<16x16xf16> without a layout; accepted: the passes heddle-assign-layouts and heddle-minimise-conversions before this
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  vector.transfer_write %A, %x[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16>
  return
}
