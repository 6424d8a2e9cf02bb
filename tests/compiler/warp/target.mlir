// RUN: not %heddle-opt %s --heddle-matrix=target=gfx908 2>&1 | FileCheck %s
// RUN: not %heddle-opt %s --heddle-matrix=target=foo 2>&1 | FileCheck %s
// A product or an architecture is the processor that it has.
// RUN: %heddle-opt %S/amd.mlir --heddle-matrix=target=gfx1201 -split-input-file -o %t.name
// RUN: %heddle-opt %S/amd.mlir --heddle-matrix=target=RDNA4 -split-input-file -o %t.product
// RUN: diff %t.name %t.product
// RUN: %heddle-opt %s --heddle-matrix=target=MI300X

// No operation is at fault, so the place is the file's first, and no operation is shown.
// CHECK: target.mlir:1:1: error: target {{gfx908|foo}}; accepted: gfx1100, {{.*}}gfx90a, gfx942, gfx950, gfx1250, {{.*}}sm_80, {{.*}}sm_90{{.*}}, and products of these, as MI300X or H100
// CHECK-NOT: note:
func.func @nothing() {
  return
}
