#!/usr/bin/env python3
"""Records what CuTe answers to random layouts: tests/data/pycute.json.gz by pycute, and
tests/data/cute.json.gz by CuTe itself, whose templates a host compiler evaluates.

    record.py CUTLASS CUDA_INCLUDE OUTPUT_FOLDER

CUTLASS is a checkout of NVIDIA/cutlass (python/pycute, include), CUDA_INCLUDE the include folder of
a CUDA toolkit. A case is [operation, arguments, answer]; layouts are text, a tiler by mode is a
list with null for `_`, and the answer is null where the witness refuses.
"""

import contextlib
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile

COMMIT = "7107b05535f8977f5ecb9d01ee203205b1fd9bc4"
PYCUTE_CASES = 700  # of each operation
CUTE_CASES = 24
SIZES = [1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 8, 8, 12, 16]


def text(nested):
    if isinstance(nested, tuple):
        return "(" + ",".join(text(part) for part in nested) + ")"
    return str(nested)


def layout_text(layout):
    return text(layout.shape) + ":" + text(layout.stride)


def static(nested, name):
    if isinstance(nested, tuple):
        return name + "<" + ",".join(static(part, name) for part in nested) + ">"
    return f"Int<{nested}>"


def static_layout(layout):
    return f"Layout<{static(layout.shape, 'Shape')},{static(layout.stride, 'Stride')}>{{}}"


class Drawer:
    """Random layouts: compact ones in any order of leaves, broken ones, and any numbers."""

    def __init__(self, cute, seed):
        self.cute = cute
        self.random = random.Random(seed)

    def shape(self, leaves, depth=0):
        draw = self.random
        if leaves == 1 and (depth > 0 or draw.random() < 0.6):
            return draw.choice(SIZES)
        parts = []
        while leaves > 0:
            take = draw.randint(1, leaves)
            if take == leaves and not parts and depth < 2 and leaves > 1:
                take -= 1
            parts.append(self.shape(take, depth + 1) if take < 3 and depth < 2 else
                         tuple(draw.choice(SIZES) for _ in range(take)))
            leaves -= take
        return tuple(parts)

    def layout(self, most=400):
        cute, draw = self.cute, self.random
        while True:
            shape = self.shape(draw.choice([1, 1, 2, 2, 3, 3, 4]))
            if cute.product(shape) <= most:
                break
        leaves = [size for size in cute.flatten(shape)]
        kind = draw.random()
        if kind < 0.75:  # compact in a random order, perhaps with gaps or a broadcast
            order = list(range(len(leaves)))
            draw.shuffle(order)
            strides, following = [0] * len(leaves), draw.choice([1, 1, 1, 2, 3])
            for place in order:
                strides[place] = following
                following *= leaves[place] * draw.choice([1, 1, 1, 1, 2, 3])
                if draw.random() < 0.08:
                    strides[place] = 0
        else:
            strides = [draw.choice([0, 1, 1, 2, 3, 4, 6, 8, 12, 16]) for _ in leaves]
        numbers = iter(strides)

        def nest(part):
            return tuple(nest(p) for p in part) if isinstance(part, tuple) else next(numbers)

        return cute.Layout(shape, nest(shape))

    def tile(self, size):
        """A layout that may tile `size` elements."""
        draw = self.random
        divisors = [d for d in range(1, size + 1) if size % d == 0]
        count = draw.choice(divisors)
        step = draw.choice([d for d in divisors if count * d <= size] or [1])
        if draw.random() < 0.2:
            return self.layout(most=max(size, 1))
        return self.cute.Layout(count, step)

    def modes(self, layout):
        """A tiler by mode of some of the layout's modes."""
        count = self.random.randint(1, len(layout))
        return tuple(None if self.random.random() < 0.1 else self.tile(self.cute.size(layout[i]))
                     for i in range(count))


def answer(function, *arguments):
    with contextlib.suppress(AssertionError, ZeroDivisionError, ValueError, IndexError, TypeError):
        return function(*arguments)
    return None


def argument_text(argument):
    if isinstance(argument, tuple):
        return [None if part is None else layout_text(part) for part in argument]
    return argument if isinstance(argument, int) else layout_text(argument)


def cases_of(cute, draw, operation):
    """One random call: the arguments."""
    layout = draw.layout()
    if operation == "composition":
        return layout, draw.tile(cute.size(layout)) if draw.random.random() < 0.7 else draw.layout()
    if operation == "complement":
        return layout, draw.random.choice([1, 24, 36, 64, 100, cute.cosize(layout)])
    if operation.endswith("divide"):
        if not isinstance(layout.shape, tuple) or draw.random.random() < 0.4:
            return layout, draw.tile(cute.size(layout))
        return layout, draw.modes(layout)
    if operation in ("blocked_product", "raked_product"):
        return draw.layout(40), draw.layout(40)
    if operation.endswith("product"):
        if not isinstance(layout.shape, tuple) or draw.random.random() < 0.5:
            return draw.layout(60), draw.layout(30)
        return layout, draw.modes(layout)
    return (layout,)


PYCUTE_OPERATIONS = ["coalesce", "filter", "composition", "complement", "right_inverse",
                     "left_inverse", "logical_divide", "zipped_divide", "tiled_divide",
                     "logical_product", "zipped_product", "tiled_product"]
CUTE_OPERATIONS = ["coalesce", "filter", "composition", "complement", "right_inverse",
                   "left_inverse", "logical_divide", "zipped_divide", "tiled_divide", "flat_divide",
                   "logical_product", "zipped_product", "tiled_product", "flat_product",
                   "blocked_product", "raked_product"]


def record_pycute(cute):
    draw = Drawer(cute, 1)
    cases = []
    for operation in PYCUTE_OPERATIONS:
        for _ in range(PYCUTE_CASES):
            arguments = cases_of(cute, draw, operation)
            result = answer(getattr(cute, operation), *arguments)
            if result is not None:  # a layout whose shape and stride differ in form is no answer
                result = answer(lambda: (cute.cosize(result), layout_text(result))[1])
            cases.append([operation, [argument_text(a) for a in arguments], result])
    for _ in range(PYCUTE_CASES):
        layout = draw.layout(200)
        points = [layout(i) for i in range(cute.size(layout))]
        cases.append(["evaluate", [layout_text(layout)], points])
        shape = layout.shape
        index = draw.random.randrange(cute.product(shape))
        coordinate = cute.idx2crd(index, shape)
        cases.append(["idx2crd", [index, text(shape)], text(coordinate)])
        cases.append(["crd2idx", [text(coordinate), layout_text(layout)],
                      cute.crd2idx(coordinate, layout.shape, layout.stride)])
    for _ in range(200):
        bits, base = draw.random.randint(0, 4), draw.random.randint(0, 5)
        shift = draw.random.choice([-1, 1, 1]) * draw.random.randint(max(bits, 1), 5)
        swizzle = cute.Swizzle(bits, base, shift)
        inputs = [draw.random.randrange(1 << 14) for _ in range(16)]
        cases.append(["swizzle", [bits, base, shift, inputs], [swizzle(i) for i in inputs]])
    return cases


def argument_code(argument):
    if isinstance(argument, tuple):
        return "make_tile(" + ",".join(
            "Underscore{}" if part is None else static_layout(part) for part in argument) + ")"
    return f"Int<{argument}>{{}}" if isinstance(argument, int) else static_layout(argument)


def run_cute(cutlass, cuda, lines, folder):
    """What the statements print, or None when they do not compile."""
    source, program = os.path.join(folder, "cases.cpp"), os.path.join(folder, "cases")
    with open(source, "w", encoding="utf-8") as file:
        file.write("#include <cute/layout.hpp>\n#include <cute/swizzle_layout.hpp>\n"
                   "#include <iostream>\nusing namespace cute;\n")
        for number, line in enumerate(lines):
            file.write(f"void case_{number}() {{ {line} std::cout << std::endl; }}\n")
        file.write("int main() {\n" + "".join(f"case_{n}();\n" for n in range(len(lines))) + "}\n")
    command = ["g++", "-std=c++17", "-O0", "-w", "-I" + os.path.join(cutlass, "include"),
               "-I" + cuda, "-I" + os.path.join(cuda, "cccl"), source, "-o", program]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        return None
    result = subprocess.run([program], capture_output=True, check=True, text=True)
    return result.stdout.splitlines()


def answers_of_cute(cutlass, cuda, lines, folder):
    """The printed lines; None for a statement that does not compile, found by halving."""
    printed = run_cute(cutlass, cuda, lines, folder)
    if printed is not None:
        return printed
    if len(lines) == 1:
        return [None]
    middle = len(lines) // 2
    return (answers_of_cute(cutlass, cuda, lines[:middle], folder) +
            answers_of_cute(cutlass, cuda, lines[middle:], folder))


def record_cute(cute, cutlass, cuda):
    draw = Drawer(cute, 2)
    cases, lines = [], []
    for operation in CUTE_OPERATIONS:
        count = 0
        while count < CUTE_CASES:
            arguments = cases_of(cute, draw, operation)
            if any(part is None for a in arguments if isinstance(a, tuple) for part in a):
                continue  # CuTe's zip2_by takes no `_`
            # Most of what pycute refuses does not compile: a few of those are enough.
            known = getattr(cute, operation, None)
            if known is not None and answer(known, *arguments) is None and count % 6 != 0:
                continue
            cases.append([operation, [argument_text(a) for a in arguments], None])
            lines.append(f"print({operation}(" + ",".join(argument_code(a) for a in arguments) +
                         "));")
            count += 1
    for _ in range(CUTE_CASES):
        bits, base = draw.random.randint(0, 3), draw.random.randint(0, 4)
        shift = draw.random.choice([-1, 1]) * draw.random.randint(max(bits, 1), 4)
        layout = draw.layout(256)
        name = f"Swizzle<{bits},{base},{shift}>{{}}"
        call = f"auto l = composition({name}, {static_layout(layout)});"
        cases.append(["swizzle", [f"Sw<{bits},{base},{shift}>", layout_text(layout)], None])
        lines.append(call + " print(l);"
                     " for (int i = 0; i < size(l); ++i) std::cout << ' ' << l(i);")
    with tempfile.TemporaryDirectory() as folder:
        printed = []
        for first in range(0, len(lines), 8):
            printed += answers_of_cute(cutlass, cuda, lines[first:first + 8], folder)
    for case, line in zip(cases, printed):
        case[2] = line
    return cases


def write(folder, name, witness, cases):
    with open(os.path.join(folder, name), "wb") as raw:
        with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as file:
            value = {"source": f"NVIDIA/cutlass commit {COMMIT}, {witness}", "cases": cases}
            file.write(json.dumps(value, separators=(",", ":")).encode())
    refused = sum(case[2] is None for case in cases)
    print(f"{name}: {len(cases)} cases, {refused} of them refused by the witness")


def main():
    cutlass, cuda, output = sys.argv[1:]
    sys.path.insert(0, os.path.join(cutlass, "python"))
    import pycute  # pylint: disable=import-error,import-outside-toplevel
    write(output, "pycute.json.gz", "python/pycute", record_pycute(pycute))
    write(output, "cute.json.gz", "include/cute, evaluated by g++",
          record_cute(pycute, cutlass, cuda))


if __name__ == "__main__":
    main()
