"""Prints a function of OPERATIONS elementwise operations, PRODUCTS among them.

Each reads the one before it and the one BACK operations before that.
"""

import sys

operations, products, back = (int(word) for word in sys.argv[1:])
TYPE = "tensor<64x64xf32>"
NAMES = ["arith.addf", "arith.mulf", "arith.subf", "arith.maximumf"]
print(f"func.func @f(%x0: {TYPE}, %w: {TYPE}) -> {TYPE} {{")
print(f"  %c = arith.constant dense<0.0> : {TYPE}")
values = ["%x0"]
for i in range(operations):
    x, y = values[-1], values[max(0, len(values) - 1 - back)]
    values.append(f"%v{i}")
    if i % (operations // products) == 0 and i // (operations // products) < products:
        print(f"  %v{i} = linalg.matmul ins({x}, %w : {TYPE}, {TYPE}) outs(%c : {TYPE}) -> {TYPE}")
    else:
        print(f"  %v{i} = {NAMES[i % 4]} {x}, {y} : {TYPE}")
print(f"  return {values[-1]} : {TYPE}\n}}")
