// RUN: python3 -c "print('module {' * 50000 + '}' * 50000)" > %t.modules
// RUN: not %heddle-opt %t.modules --heddle-matrix 2>&1 | FileCheck %s
// RUN: not %heddle-opt --heddle-matrix < %t.modules 2>&1 | FileCheck %s
// RUN: python3 -c "print('#m = affine_map<(i) -> (i' + ' + i' * 50000 + ')>')" > %t.sum
// RUN: not %heddle-opt %t.sum --heddle-matrix 2>&1 | FileCheck --check-prefix=SUM %s
// RUN: python3 -c "print('!t0 = tuple<f16>'); [print(f'!t{i} = tuple<!t{i - 1}, !t{i - 1}>') for i in range(1, 40)]; print('func.func private @f(!t39)')" > %t.aliases
// RUN: not %heddle-opt %t.aliases --heddle-matrix 2>&1 | FileCheck --check-prefix=ALIASES %s
// RUN: %heddle-opt %s --emit-bytecode -o %t.bytecode
// RUN: %heddle-opt %t.bytecode | FileCheck --check-prefix=BYTECODE %s

// What would exhaust the stack of MLIR's parser, or the patience of its printer, is refused before.
// CHECK: {{modules|<stdin>}}:1:520: error: brackets nested too deeply; accepted: at most 64 open brackets
// SUM: sum:1:{{[0-9]+}}: error: an expression of too many operators; accepted: at most 256 operators in one expression
// ALIASES: aliases:{{[0-9]+}}:1: error: an alias that is too long with those in it written out; accepted: at most 65536 characters
// BYTECODE: func.func @nothing()
func.func @nothing() {
  return
}
