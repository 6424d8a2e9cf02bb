// RUN: not %heddle-opt %s --heddle-matrix=target=gfx90a 2>&1 | FileCheck %s
// RUN: not %heddle-opt %s --heddle-matrix=target=foo 2>&1 | FileCheck %s

// CHECK: error: target {{gfx90a|foo}}; accepted: gfx1100, {{.*}}sm_80, {{.*}}sm_90
func.func @nothing() {
  return
}
