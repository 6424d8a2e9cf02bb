// RUN: python3 -c "print('module {' * 50000 + '}' * 50000)" > %t.modules
// RUN: not %heddle-opt %t.modules --heddle-matrix 2>&1 | FileCheck %s
// RUN: not %heddle-opt --heddle-matrix < %t.modules 2>&1 | FileCheck %s
// RUN: python3 -c "print('#m = affine_map<(i) -> (i' + ' + i' * 50000 + ')>')" > %t.sum
// RUN: not %heddle-opt %t.sum --heddle-matrix 2>&1 | FileCheck --check-prefix=SUM %s
// RUN: %heddle-opt %s --emit-bytecode -o %t.bytecode
// RUN: %heddle-opt %t.bytecode | FileCheck --check-prefix=BYTECODE %s

// What would exhaust the stack of MLIR's parser is refused before it.
// CHECK: {{modules|<stdin>}}:1:520: error: brackets nested too deeply; accepted: at most 64 open brackets
// SUM: sum:1:{{[0-9]+}}: error: an expression of too many operators; accepted: at most 256 operators in one expression
// BYTECODE: func.func @nothing()
func.func @nothing() {
  return
}
