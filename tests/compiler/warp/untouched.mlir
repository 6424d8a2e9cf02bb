// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 | FileCheck %s

// Functions without vectors of a warp stay as they are.
// CHECK: arith.addf %arg0, %arg0 : vector<4xf32>
func.func @own_vectors(%x: vector<4xf32>) -> vector<4xf32> {
  %y = arith.addf %x, %x : vector<4xf32>
  return %y : vector<4xf32>
}
