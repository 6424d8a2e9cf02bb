// RUN: not %heddle-opt %s --heddle-matrix=target=gfx90a 2>&1 | FileCheck %s
// RUN: not %heddle-opt %s --heddle-matrix=target=foo 2>&1 | FileCheck %s

// No operation is at fault, so the place is the file's first, and no operation is shown.
// CHECK: target.mlir:1:1: error: target {{gfx90a|foo}}; accepted: gfx1100, {{.*}}sm_80, {{.*}}sm_90
// CHECK-NOT: note:
func.func @nothing() {
  return
}
