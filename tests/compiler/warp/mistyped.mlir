// RUN: not %heddle-opt %s --heddle-matrx=target=sm_80 2>&1 | FileCheck %s
// RUN: %heddle-opt -h | FileCheck --check-prefix=HELP %s

// LLVM would take this for -h.
// CHECK: --heddle-matrx=target=sm_80: no such option; did you mean --heddle-matrix?
// HELP: Heddle's passes over MLIR
func.func @nothing() {
  return
}
