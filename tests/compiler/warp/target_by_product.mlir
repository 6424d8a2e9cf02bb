// Names of products, as everywhere in heddle.
// RUN: %heddle-opt %s --heddle-matrix=target=MI300X | FileCheck %s
// RUN: %heddle-opt %s --heddle-matrix=target=A100 | FileCheck %s
// CHECK: func.func @nothing
func.func @nothing() {
  return
}
