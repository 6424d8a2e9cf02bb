// A diagnostic quotes the line of the input, without what would steer the terminal.
// RUN: sh -c "printf 'func.func @f() { \033]0;title\007\033[2J }\n' > %t.input"
// RUN: not %heddle-opt %t.input 2>&1 | FileCheck %s
// CHECK: error: unexpected character
// CHECK: func.func @f() { \u001b]0;title\u0007\u001b[2J }
