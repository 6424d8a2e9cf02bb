#!/usr/bin/env python3
"""ptx_grammar.py FOLDER: the asm statements of the calls that write_calls wrote, against what the
PTX ISA 9.0 says of each instruction's operands, where no assembler of NVIDIA's is at hand.

From the mnemonic alone, which has shape and types, it works out how many registers every operand has
and which constants follow, and compares these and the constraints of C++ with the statement.
Sources: "Syntax" and "Register Fragments" of wgmma.mma_async, wgmma.mma_async.sp, mma, mma.sp,
ldmatrix, stmatrix, movmatrix, tcgen05.ld, .st and .mma. Exit status 1 where one differs.
"""
import pathlib
import re
import sys

BITS = {"f64": 64, "f32": 32, "s32": 32, "tf32": 32, "f16": 16, "bf16": 16, "s8": 8, "u8": 8,
        "e4m3": 8, "e5m2": 8, "e3m2": 6, "e2m3": 6, "e2m1": 4, "s4": 4, "u4": 4, "b1": 1}
STATEMENT = re.compile(r"asm volatile\(\n(.*?)\n      :(.*?)\n      :(.*?)(?:\n      : \"memory\")?\);\n",
                       re.S)


def joined(text):
    return re.sub(r'"\s*\n\s*"', "", text).strip().strip('"')


def registers(elements, bits, lanes):
    """'r', 'f' or 'd' times what holds a lane's share."""
    each = max(bits, 32)
    return max(1, elements * bits // lanes // each)


def letter(kind, is_sum):
    return "d" if kind == "f64" else "f" if is_sum and kind == "f32" else "r"


def wgmma(name):
    """[written], [read], and the constants, 'p' for the predicate of the accumulation."""
    m, n, k = (int(x) for x in re.search(r"\.m(\d+)n(\d+)k(\d+)\.", name).groups())
    d, a, _ = re.search(r"k\d+\.(\w+)\.(\w+)\.(\w+)", name).groups()
    sparse = ".sp." in name
    if m != 64 or k * BITS[a] != (512 if sparse else 256) or n % 8 or not 8 <= n <= 256:
        return []
    sums = [letter(d, True)] * registers(m * n, BITS[d], 128)
    forms = []
    for shared in (False, True):
        in_a = ["l"] if shared else [["r"] * 4]
        tail = ["p"] + (["1", "1"] if d != "s32" else [])
        if BITS[a] == 16:
            tail += ["0", "0"] if shared else ["0"]
        forms.append([sums, *in_a, "l", *(["r", "0"] if sparse else []), *tail])
    return forms


def mma(name):
    m, n, k = (int(x) for x in re.search(r"\.m(\d+)n(\d+)k(\d+)\.", name).groups())
    d, a, b, c = re.search(r"\.(\w+)\.(\w+)\.(\w+)\.(\w+)(?:\.\w+\.popc|\.ue\w+)?$", name).groups()
    sparse = name.startswith("mma.sp")
    # Elements of other than 8 bits fill a byte each in these kinds.
    wide = "kind::f8f6f4" in name or "kind::mxf8f6f4" in name
    bits_a, bits_b = (8, 8) if wide else (BITS[a], BITS[b])
    lanes = 8 if (m, n, k) == (8, 8, 4) and a == "f16" else 32  # four at once, of 8 lanes each
    of_a = ["d" if a == "f64" else "r"] * registers(m * k // (2 if sparse else 1), bits_a, lanes)
    of_b = ["d" if b == "f64" else "r"] * registers(k * n, bits_b, lanes)
    of_d = [letter(d, True)] * registers(m * n, BITS[d], lanes)
    of_c = [letter(c, True)] * registers(m * n, BITS[c], lanes)
    tail = ["r", "0"] if sparse else []
    if "block_scale" in name:
        tail += ["r", ["0", "0"], "r", ["0", "0"]]
    return [[of_d, of_a, of_b, of_c, *tail]]


def matrix_move(name):
    times = int(re.search(r"\.x(\d)\.", name)[1]) if ".x" in name else 1
    if name.startswith("movmatrix"):
        return [["r", "r"]]
    each = 2 if "m16n16" in name else 1
    held = ["r"] * (times * each)
    return [["[r]", held]] if name.startswith("st") else [[held, "[r]"]]


def tensor_move(name):
    shape, times = re.search(r"\.(\d+x\d+b(?:x2)?)\.x(\d+)", name).groups()
    each = {"16x64b": 1, "16x128b": 2, "16x256b": 4, "32x32b": 1, "16x32bx2": 1}[shape]
    held = ["r"] * (each * int(times))
    address = ["[r]"] + (["16"] if shape.endswith("x2") else [])
    return [[*address, held]] if ".st" in name else [[held, *address]]


def tensor_multiply(name):
    sparse, scaled = ".sp" in name, "block_scale" in name
    return [["[r]", "l", "l", *(["[r]"] if sparse else []), "r",
             *(["[r]", "[r]"] if scaled else []), "p"]]


FORMS = [("wgmma.", wgmma), ("mma.", mma), ("ldmatrix", matrix_move), ("stmatrix", matrix_move),
         ("movmatrix", matrix_move), ("tcgen05.ld", tensor_move), ("tcgen05.st", tensor_move),
         ("tcgen05.mma", tensor_multiply)]


def operands(text, constraints, flag):
    """The operands as FORMS write them: constraints for %i, constants as they are."""
    def one(word):
        word = word.strip()
        if word.startswith("["):
            return "[" + one(word[1:-1]) + "]"
        if word.startswith("{"):
            return [one(part) for part in word[1:-1].split(",")]
        if word == "add":
            return "p" if flag else "add without a predicate"
        return constraints[int(word[1:])] if word.startswith("%") else word
    parts = re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s][^,]*", text)
    return [one(part) for part in parts]


def wrong(statement):
    text = joined(statement[1])
    constraints = re.findall(r'"\W?(\w)"\(', statement[2]) + re.findall(r'"\W?(\w)"\(', statement[3])
    used = re.findall(r"%(\d+)", text)
    flag = None
    block = re.match(r"\{\.reg \.pred add; setp\.ne\.b32 add, %(\d+), 0; (.*); \}$", text)
    if block:
        flag, text = int(block[1]), block[2]
        if flag >= len(constraints) or constraints[flag] != "r":
            return "the flag is no integer"
    if sorted(int(number) for number in used) != list(range(len(constraints))):
        return "operands are not each used once"
    name, rest = text.rstrip(";").split(" ", 1)
    for prefix, form in FORMS:
        if name.startswith(prefix):
            found = operands(rest, constraints, block)
            if found in form(name):
                return ""
            return f"{name} has operands {found}, and takes {form(name)}"
    return f"{name} is not known here"


count, mistakes = 0, 0
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.cu")):
    for statement in STATEMENT.finditer(file.read_text()):
        count += 1
        reason = wrong(statement)
        if reason:
            mistakes += 1
            print(f"{file.name}: {reason[:600]}")
print(f"{count} statements, {mistakes} wrong")
sys.exit(mistakes != 0 or count == 0)
