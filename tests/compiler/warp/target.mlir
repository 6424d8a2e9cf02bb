// RUN: not %heddle-opt %s --heddle-matrix=target=gfx908 2>&1 | FileCheck %s
// RUN: not %heddle-opt %s --heddle-matrix=target=foo 2>&1 | FileCheck %s

// No operation is at fault, so the place is the file's first, and no operation is shown.
// CHECK: target.mlir:1:1: error: target {{gfx908|foo}}; accepted: gfx1100, {{.*}}gfx90a, gfx942, gfx950, gfx1250, sm_80, {{.*}}sm_90
// CHECK-NOT: note:
func.func @nothing() {
  return
}
