#!/usr/bin/env python3
"""Records how many v_nop LLVM puts between a WMMA of gfx1250 and what follows, for coexecution_test.cpp.

    # into tests/data/coexecution.json.gz
    python3 tests/emulator/check/record_coexecution.py [LLC [LLVM-MC]]

The assembler says of each instruction's text which operands LLVM's machine code has; llc then inserts the
v_nop. Nothing is said of dual-issue pairs, in which LLVM 22 sees reads only.
"""
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[2] / "data" / "coexecution.json.gz"
TARGET = "gfx1250"
D, A, B, C, INDEX, FREE, SCALES = 0, 32, 64, 96, 128, 200, 140


def block(first, count):
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


def product(name, d, a, b, c, modifiers=""):
    """The text of a WMMA by its registers: (first, count) each."""
    def text(first_d, first_a, first_b, first_c):
        operands = [block(first_d, d), block(first_a, a), block(first_b, b), block(first_c, c)]
        if "scale" in name:
            wide = 2 if "scale16" in name else 1
            operands += [block(SCALES, wide), block(SCALES + 4, wide)]
        return f"{name} {', '.join(operands)}{modifiers}"
    return text


def products():
    bytes_of = {"f32": 32, "f16": 16, "bf16": 16, "fp8": 8, "bf8": 8, "iu8": 8}
    result = {"f32": 8, "f16": 4, "bf16": 4, "i32": 8, "bf16f32": 4}
    for kind, out, k, operands in (
            ("wmma", "f32", 4, "f32"), ("wmma", "f32", 32, "f16"), ("wmma", "f32", 32, "bf16"),
            ("wmma", "f16", 32, "f16"), ("wmma", "bf16", 32, "bf16"), ("wmma", "bf16f32", 32, "bf16"),
            ("wmma", "f32", 64, "fp8_bf8"), ("wmma", "f16", 64, "fp8_fp8"),
            ("wmma", "f32", 128, "bf8_fp8"), ("wmma", "f16", 128, "bf8_bf8"),
            ("wmma", "i32", 64, "iu8"), ("swmmac", "f32", 64, "f16"), ("swmmac", "f16", 64, "f16"),
            ("swmmac", "f32", 64, "bf16"), ("swmmac", "bf16", 64, "bf16"),
            ("swmmac", "bf16f32", 64, "bf16"), ("swmmac", "f32", 128, "fp8_fp8"),
            ("swmmac", "f16", 128, "bf8_fp8"), ("swmmac", "i32", 128, "iu8")):
        registers = 16 * k * bytes_of[operands.split("_")[0]] // 1024
        sparse = kind == "swmmac"
        d = 8 if sparse and out == "bf16f32" else result[out]
        c = 8 if out == "bf16f32" else d
        width = 2 if sparse and k == 128 else 1
        yield product(f"v_{kind}_{out}_16x16x{k}_{operands}", d,
                      registers // 2 if sparse else registers, registers, width if sparse else c)
    formats = {"FP8": 16, "BF8": 16, "FP6": 12, "BF6": 12, "FP4": 8}
    for a, b in (("FP8", "FP8"), ("FP8", "FP4"), ("FP6", "BF8"), ("FP6", "BF6"), ("FP4", "FP4")):
        modifiers = f" matrix_a_fmt:MATRIX_FMT_{a} matrix_b_fmt:MATRIX_FMT_{b}"
        for name in ("v_wmma_f32_16x16x128_f8f6f4", "v_wmma_scale_f32_16x16x128_f8f6f4",
                     "v_wmma_scale16_f32_16x16x128_f8f6f4"):
            yield product(name, 8, formats[a], formats[b], 8, modifiers)


def others(register):
    """Instructions that read or write a register."""
    yield f"v_mov_b32_e32 v{FREE}, v{register}"
    yield f"v_mov_b32_e32 v{register}, v{FREE}"
    yield f"v_add_f32_e64 v{FREE}, v{FREE + 1}, v{register}"
    yield f"v_cmp_eq_u32_e64 s4, v{FREE}, v{register}"
    yield f"v_readfirstlane_b32 s4, v{register}"
    yield f"v_exp_f32_e32 v{register}, v{FREE}"
    yield f"v_exp_f32_e32 v{FREE}, v{register}"
    yield f"v_pk_add_f16 v{FREE}, v{FREE + 1}, v{register}"
    even = register & ~1
    yield f"v_fma_f64 v[{FREE}:{FREE + 1}], v[{even}:{even + 1}], v[210:211], v[212:213]"
    yield f"global_store_b32 v[230:231], v{register}, off"
    yield f"ds_store_b32 v230, v{register}"


def pairs():
    firsts = [(text, text(D, A, B, INDEX if "swmmac" in text(0, 0, 0, 0) else C))
              for text in products()]
    for _, first in firsts:
        d, a, b = (int(re.findall(r" v\[?(\d+)", first)[0]), A, B)
        sparse = "swmmac" in first
        for register in (d, d + 3, a, a + 1, b) + ((INDEX,) if sparse else (C,)):
            for second in others(register):
                yield first, second
        for second, whole in firsts[1:16:3]:
            c = INDEX if "swmmac" in whole else C
            yield first, second(FREE, D, B, c)
            yield first, second(FREE, A, D, c)
            yield first, second(FREE, A, B, D)
            yield first, second(D, A, B, c)
            yield first, second(A, 160, 180, c)


def machine_code(assembler, lines):
    """By line: the opcode of LLVM's machine code, its result and what else it has."""
    shown = subprocess.run([assembler, "-triple=amdgcn-amd-amdhsa", f"-mcpu={TARGET}", "-show-inst"],
                           input="\n".join(lines), capture_output=True, text=True, check=False)
    pattern = r"^\t([vdgs]\w+ [^;\n]*?)\s*;\s*<MCInst #\d+ (\w+)>?\n((?:\s*;\s*<MCOperand.*\n)*)"
    found = {}
    matches = re.findall(pattern, shown.stdout, re.M)
    if len(matches) != len(lines):
        sys.exit(f"{len(matches)} of {len(lines)} instructions: {shown.stderr[:2000]}")
    # In their order: the assembler leaves out of a text what is the default.
    for text, (_, opcode, operands) in zip(lines, matches):
        names = ["$" + value.lower() if kind == "Reg" else value
                 for kind, value in re.findall(r"<MCOperand (Reg|Imm):([^>]*)>", operands)]
        count = 0 if re.match(r"global_store|ds_store", text) else 1
        general = re.sub(r"_gfx\w+$", "", opcode)
        if general == "DS_WRITE_B32":  # the one that does not read M0
            general += "_gfx9"
        if text.startswith("v_wmma"):  # whose C need not be D
            general = re.sub("(_twoaddr)?$", "_threeaddr", general, count=1)
        found[text] = (general, ", ".join(names[:count]), ", ".join(names[count:]))
    return found


def run(llc, functions):
    text = "".join(
        f"---\nname: f{number}\ntracksRegLiveness: false\nmachineFunctionInfo:\n"
        "  isEntryFunction: true\nbody: |\n  bb.0:\n" +
        "".join(f"    {line}\n" for line in [*function, "S_ENDPGM 0"]) + "...\n"
        for number, function in enumerate(functions))
    with tempfile.NamedTemporaryFile("w", suffix=".mir") as file:
        file.write(text)
        file.flush()
        return subprocess.run([llc, "-march=amdgcn", f"-mcpu={TARGET}",
                               "-start-before=post-RA-hazard-rec", file.name, "-o", "-"],
                              capture_output=True, text=True, check=False)


def main(llc="llc-22", assembler="llvm-mc-22"):
    version = re.search(r"LLVM version (\d+\.\d+)", subprocess.run(
        [llc, "--version"], capture_output=True, text=True, check=True).stdout)[1]
    asked = list(dict.fromkeys(pairs()))
    lines = list(dict.fromkeys(line for pair in asked for line in pair))
    found = machine_code(assembler, lines)

    def code(line):
        opcode, result, uses = found[line]
        return (result + " = " if result else "") + f"{opcode} {uses}, implicit $mode, implicit $exec"

    done = run(llc, [[code(first), code(second)] for first, second in asked])
    if done.returncode != 0:
        sys.exit(done.stderr[:3000])
    cases = []
    for body in re.split(r"^f\d+:", done.stdout, flags=re.M)[1:]:
        first, second = asked[len(cases)]
        cases.append({"first": first, "second": second,
                      "nops": len(re.findall(r"^\tv_nop", body, re.M))})
    text = json.dumps({"llvm": version, "cases": cases}, indent=0)
    DATA.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(cases)} cases")


if __name__ == "__main__":
    main(*sys.argv[1:])
