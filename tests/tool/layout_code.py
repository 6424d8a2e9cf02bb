"""Whether the code that `heddle translate --to c|python|mlir` writes computes the layout.

    layout_code.py HEDDLE CLANG FOLDER

What the functions give is compared, at every point, with the layout's bases as `heddle layout` prints
them, added here; of functions of CuTe's with shape and stride, evaluated here. C is compiled and
called, Python executed, and MLIR interpreted by the few lines below.
"""

import ctypes
import itertools
import json
import re
import subprocess
import sys

HEDDLE, CLANG, FOLDER = sys.argv[1:]

LAYOUTS = [
    "v_wmma_f32_16x16x16_f16.A",
    "v_wmma_f32_16x16x16_f16.D",
    "v_mfma_f32_32x32x8_f16.D",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.A",
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.padded_shared<[4:+2, 64:+8] {order = [1, 0], shape = [16, 16]}>",
    "Sw<3,3,3> o 0 o (8,64):(64,1)",
    "(9,(4,8)):(59,(13,1))",
    "Sw<1,0,1> o 0 o (6,3):(3,1)",
    "(5,(2,3)):(7,(40,80))",
    "offset: (0,1) (0,2) (1,1) (2,0) (4,3) -> row: 8, if: 4",
]


def ask(*words):
    run = subprocess.run([HEDDLE, *words], capture_output=True, text=True, check=True)
    return run.stdout


def xor(bases, index, width):
    point = [0] * width
    for bit, basis in enumerate(bases):
        if index >> bit & 1:
            point = [a ^ b for a, b in zip(point, basis)]
    return point


def cute_index(text, point):
    """Shape and stride, and perhaps a swizzle before them, at a coordinate of each mode."""
    swizzle = re.match(r"Sw<(\d),(\d),(\d)> o 0 o ", text)
    shape, stride = (eval(part) for part in text[swizzle.end() if swizzle else 0 :].split(":"))

    def index(sizes, steps, at):
        if isinstance(sizes, int):
            return at * steps
        total = 0
        for i, (size, step) in enumerate(zip(sizes, steps)):
            all_of = size if isinstance(size, int) else eval("*".join(map(str, size)))
            inner = at if i + 1 == len(sizes) else at % all_of
            total += index(size, step, inner)
            at //= all_of
        return total

    result = sum(index(s, d, at) for s, d, at in zip(shape, stride, point))
    if swizzle:
        bits, base, shift = map(int, swizzle.groups())
        result ^= (result & ((1 << bits) - 1) << (base + shift)) >> shift
    return result


def points_of(layout):
    """Every input of the function, and what it is to give: a list of numbers."""
    bases, width = layout.get("bases"), len(layout["axes"])
    if layout["kind"] == "function":
        for point in itertools.product(*map(range, layout["sizes"])):
            yield point, [cute_index(layout["text"], point)]
    elif layout["kind"] == "held":
        axes = [axis for axis in bases if bases[axis]]
        for point in itertools.product(*(range(1 << len(bases[axis])) for axis in axes)):
            parts = [xor(bases[axis], at, width) for axis, at in zip(axes, point)]
            yield point, [xor([list(p) for p in parts], (1 << len(parts)) - 1, width)[i] for i in range(width)]
    else:
        for offset in range(1 << len(bases["offset"])):
            padding = sum(offset // interval * amount for interval, amount in layout["padding"])
            yield tuple(xor(bases["offset"], offset, width)), [offset + padding]


def python_function(code, name):
    space = {}
    exec(code, space)

    def call(point):
        value = space[name](*point)
        return list(value) if isinstance(value, tuple) else [value]

    return call


def c_function(code, name, number):
    source, library = f"{FOLDER}/{number}.c", f"{FOLDER}/{number}.so"
    with open(source, "w", encoding="utf-8") as file:
        file.write(code.replace("static inline", "extern"))
    subprocess.run([CLANG, "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source], check=True)
    loaded = ctypes.CDLL(library)
    names = re.findall(rf"({name}\w*)\(", code)
    return lambda point: [getattr(loaded, each)(*point) for each in names]


def mlir_function(code):
    operations = {
        "andi": lambda a, b: a & b, "ori": lambda a, b: a | b, "xori": lambda a, b: a ^ b,
        "shli": lambda a, b: a << b, "shrui": lambda a, b: a >> b, "addi": lambda a, b: a + b,
        "muli": lambda a, b: a * b, "divui": lambda a, b: a // b, "remui": lambda a, b: a % b,
    }
    inputs = re.findall(r"(%\w+): i", code)

    def call(point):
        values = dict(zip(inputs, point))
        for name, operation, rest in re.findall(r"(%\d+) = arith\.(\w+) (.*) : i", code):
            words = [values[word] if word.startswith("%") else int(word) for word in rest.split(", ")]
            values[name] = words[0] if operation == "constant" else operations[operation](*words)
        returned = re.search(r"return (.*) : i", code).group(1)
        return [values[word] for word in returned.split(", ")]

    return call


compared = 0
for number, text in enumerate(LAYOUTS):
    layout = json.loads(ask("layout", text, "--format", "json"))
    name = "element" if layout["kind"] == "held" else "offset"
    functions = {
        "python": python_function(ask("translate", text, "--to", "python"), name),
        "c": c_function(ask("translate", text, "--to", "c"), name, number),
        "mlir": mlir_function(ask("translate", text, "--to", "mlir")),
    }
    assert ask("translate", text, "--to", "hip") == ask("translate", text, "--to", "cuda")
    for point, wanted in points_of(layout):
        for language, function in functions.items():
            assert function(point) == wanted, (text, language, point, function(point), wanted)
        compared += 1
print(f"{len(LAYOUTS)} layouts in 3 languages: {compared} points agree")
