#!/usr/bin/env python3
"""Records how many wait states LLVM puts between two instructions, for hazards_test.cpp.

    # into tests/data/wait_states.json.gz
    python3 tests/emulator/check/record_wait_states.py [LLC [LLVM-MC]]

Each case is written as LLVM's machine code before the pass that inserts s_nop; the assembly that comes
out has the text of the instructions and the s_nop between them.
"""
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from vector_instructions import vector_cases

DATA = pathlib.Path(__file__).resolve().parents[2] / "data" / "wait_states.json.gz"
TARGETS = ("gfx90a", "gfx942", "gfx950")
SINCE_CDNA3 = TARGETS[1:]

# Opcode, targets, registers of D, of A, of B; a sparse product has an index instead of C.
MATRIX = [
    ("V_MFMA_F32_4X4X4F16", TARGETS, 4, 2, 2), ("V_MFMA_F32_16X16X16F16", TARGETS, 4, 2, 2),
    ("V_MFMA_F32_32X32X8F16", TARGETS, 16, 2, 2), ("V_MFMA_F32_16X16X4F16", TARGETS, 16, 2, 2),
    ("V_MFMA_F32_32X32X4F16", TARGETS, 32, 2, 2), ("V_MFMA_F32_4X4X1F32", TARGETS, 4, 1, 1),
    ("V_MFMA_F32_16X16X4F32", TARGETS, 4, 1, 1), ("V_MFMA_F32_32X32X2F32", TARGETS, 16, 1, 1),
    ("V_MFMA_F32_16X16X1F32", TARGETS, 16, 1, 1), ("V_MFMA_F32_32X32X1F32", TARGETS, 32, 1, 1),
    ("V_MFMA_F64_4X4X4F64", TARGETS, 2, 2, 2), ("V_MFMA_F64_16X16X4F64", TARGETS, 8, 2, 2),
    ("V_MFMA_I32_4X4X4I8", TARGETS, 4, 1, 1), ("V_MFMA_I32_16X16X4I8", TARGETS, 16, 1, 1),
    ("V_MFMA_F32_16X16X8XF32", ("gfx942",), 4, 2, 2),
    ("V_MFMA_F32_32X32X4XF32", ("gfx942",), 16, 2, 2),
    ("V_MFMA_I32_32X32X16I8", SINCE_CDNA3, 16, 2, 2),
    ("V_MFMA_F32_16X16X32_FP8_FP8", SINCE_CDNA3, 4, 2, 2),
    ("V_MFMA_F32_32X32X16_BF8_BF8", SINCE_CDNA3, 16, 2, 2),
    ("V_MFMA_F32_16X16X32_F16", ("gfx950",), 4, 4, 4),
    ("V_MFMA_F32_32X32X16_F16", ("gfx950",), 16, 4, 4),
    ("V_MFMA_I32_16X16X64_I8", ("gfx950",), 4, 4, 4),
    ("V_MFMA_I32_32X32X32_I8", ("gfx950",), 16, 4, 4),
    ("V_SMFMAC_F32_16X16X32_F16", SINCE_CDNA3, 4, 2, 4),
    ("V_SMFMAC_F32_32X32X16_F16", SINCE_CDNA3, 16, 2, 4),
]
SECOND = ("V_MFMA_F32_16X16X16F16", "V_MFMA_F32_16X16X4F32", "V_MFMA_F64_4X4X4F64",
          "V_MFMA_F64_16X16X4F64", "V_SMFMAC_F32_16X16X32_F16")
D, C, A, B, INDEX, FREE = 32, 80, 0, 8, 16, 200


def registers(first, count):
    return "$" + "_".join(f"vgpr{first + i}" for i in range(count))


def matrix(row, d, a, b, c):
    opcode, _, d_count, a_count, b_count = row
    out, left, right = registers(d, d_count), registers(a, a_count), registers(b, b_count)
    if "SMFMAC" in opcode:
        return (f"{out} = {opcode}_e64 {left}, {right}, $vgpr{c}, 0, 0, {out}, "
                "implicit $mode, implicit $exec")
    return (f"{out} = {opcode}_vgprcd_e64 {left}, {right}, {registers(c, d_count)}, 0, 0, 0, "
            "implicit $mode, implicit $exec")


def move(to, source):
    return f"$vgpr{to} = V_MOV_B32_e32 $vgpr{source}, implicit $exec"


def uses(register):
    """Instructions that read or write a register."""
    yield move(FREE, register)
    yield move(register, FREE)
    yield f"GLOBAL_STORE_DWORD $vgpr4_vgpr5, $vgpr{register}, 0, 0, implicit $exec"
    yield f"$vgpr{register} = GLOBAL_LOAD_DWORD $vgpr4_vgpr5, 0, 0, implicit $exec"
    yield f"DS_WRITE_B32_gfx9 $vgpr4, $vgpr{register}, 0, 0, implicit $exec"
    yield f"$vgpr{register} = DS_READ_B32_gfx9 $vgpr4, 0, 0, implicit $exec"


def matrix_cases():
    rows = {row[0]: row for row in MATRIX}
    for row in MATRIX:
        sparse = "SMFMAC" in row[0]
        first = matrix(row, D, A, B, INDEX if sparse else C)
        for register in (D, D + row[2] - 1) + (() if sparse else (C,)):
            for second in uses(register):
                yield row[1], [first], second
        for name in SECOND:
            second = rows[name]
            targets = [target for target in row[1] if target in second[1]]
            if "SMFMAC" in name:
                yield targets, [first], matrix(second, FREE, A, B, D)
                if second[2] == row[2]:
                    yield targets, [first], matrix(second, D, A, B, INDEX)
                yield targets, [first], matrix(second, D + row[2] - 2, A, B, INDEX)
                continue
            yield targets, [first], matrix(second, FREE, D, B, C)
            yield targets, [first], matrix(second, FREE, A, D, C)
            yield targets, [first], matrix(second, FREE, A, B, D)
            yield targets, [first], matrix(second, FREE, A, B, D + row[2] - 2)
    # The latest of two that write the same register counts.
    small, large = rows["V_MFMA_F32_4X4X4F16"], rows["V_MFMA_F32_32X32X8F16"]
    yield TARGETS, [matrix(large, D, A, B, C), matrix(small, D, A, B, C)], move(FREE, D)
    for name in SECOND[:4]:
        for register in (A, B, C):
            yield rows[name][1], [move(register, FREE)], matrix(rows[name], D, A, B, C)
        yield rows[name][1], [CMPX], matrix(rows[name], D, A, B, C)


CMPX = ("V_CMPX_EQ_U32_e32 $vgpr1, $vgpr2, implicit-def $exec, implicit-def $vcc, implicit $exec")
READ_FIRST = "$sgpr4 = V_READFIRSTLANE_B32 $vgpr20, implicit $exec"
COMPARE = ("$vcc = V_CMP_EQ_U32_e64 $vgpr1, $vgpr2, implicit $exec")
M0 = "$m0 = S_MOV_B32 0"
DPP = "$vgpr6 = V_MOV_B32_dpp $vgpr6, $vgpr1, 0, 15, 15, 0, implicit $exec"


def dot(opcode, d, a, b, c):
    return (f"$vgpr{d} = {opcode} 8, $vgpr{a}, 8, $vgpr{b}, 8, $vgpr{c}, 0, 0, 0, "
            "implicit $exec")


def other_cases():
    yield TARGETS, [READ_FIRST], ("$vgpr3 = GLOBAL_LOAD_DWORD_SADDR $sgpr4_sgpr5, $vgpr1, 0, 0, "
                                  "implicit $exec")
    yield TARGETS, [READ_FIRST], ("$vgpr3 = BUFFER_LOAD_DWORD_OFFSET $sgpr4_sgpr5_sgpr6_sgpr7, 0, "
                                  "0, 0, 0, implicit $exec")
    yield TARGETS, [READ_FIRST], "$sgpr6 = V_READLANE_B32 $vgpr1, $sgpr4"
    yield TARGETS, [READ_FIRST], "$vgpr1 = V_WRITELANE_B32 1, $sgpr4, $vgpr1"
    yield TARGETS, [READ_FIRST], "$vgpr1 = V_MOV_B32_e32 $sgpr4, implicit $exec"
    yield TARGETS, [READ_FIRST], "$sgpr6 = S_MOV_B32 $sgpr4"
    yield TARGETS, [READ_FIRST], ("V_CMPX_EQ_U32_e32 $sgpr4, $vgpr2, implicit-def $exec, "
                                  "implicit-def $vcc, implicit $exec")
    yield TARGETS, [COMPARE], ("$vgpr3 = V_CNDMASK_B32_e32 $vgpr1, $vgpr2, implicit $vcc, "
                               "implicit $exec")
    yield TARGETS, [COMPARE], ("$vgpr3 = V_DIV_FMAS_F32_e64 0, $vgpr1, 0, $vgpr2, 0, $vgpr4, 0, 0, "
                               "implicit $vcc, implicit $mode, implicit $exec")
    yield TARGETS, [move(1, 2)], DPP
    yield TARGETS, [move(6, 2)], DPP
    yield TARGETS, [move(4, 2)], DPP
    yield TARGETS, [CMPX], DPP
    yield TARGETS, [CMPX], move(6, 3)
    for what in ("V_READFIRSTLANE_B32 $vgpr1, implicit $exec", "V_READLANE_B32 $vgpr1, 3"):
        yield TARGETS, [CMPX], "$sgpr6 = " + what
        yield TARGETS, [move(1, 2)], "$sgpr6 = " + what
    yield TARGETS, [CMPX], "$vgpr6 = V_WRITELANE_B32 1, 3, $vgpr6"
    yield TARGETS, ["S_SETREG_B32 $sgpr0, 1, implicit-def $mode, implicit $mode"], \
        "$sgpr1 = S_GETREG_B32 1, implicit $mode"
    yield TARGETS, ["S_SETREG_B32 $sgpr0, 1, implicit-def $mode, implicit $mode"], \
        "S_SETREG_B32 $sgpr1, 1, implicit-def $mode, implicit $mode"
    yield TARGETS, ["S_SETREG_B32 $sgpr0, 1, implicit-def $mode, implicit $mode"], \
        "$sgpr1 = S_GETREG_B32 4, implicit $mode"
    yield TARGETS, [M0], "S_SENDMSG 1, implicit $exec, implicit $m0"
    yield TARGETS, [M0], "$sgpr4 = S_MOVRELS_B32 $sgpr6, implicit $m0"
    yield TARGETS, [M0], "$vgpr3 = DS_READ_ADDTID_B32 0, 0, implicit $m0, implicit $exec"
    yield TARGETS, [M0], ("BUFFER_LOAD_DWORD_LDS_OFFSET $sgpr4_sgpr5_sgpr6_sgpr7, 0, 0, 0, 0, "
                          "implicit $exec, implicit $m0")
    yield TARGETS, ["S_BITCMP1_B32 $m0, 3, implicit-def $scc"], \
        "S_SENDMSG 1, implicit $exec, implicit $m0"
    yield TARGETS, [M0], "$vgpr3 = DS_READ_B32_gfx9 $vgpr4, 0, 0, implicit $exec"
    for count in (2, 3, 4):
        name = {2: "DWORDX2", 3: "DWORDX3", 4: "DWORDX4"}[count]
        yield TARGETS, [f"GLOBAL_STORE_{name} $vgpr4_vgpr5, {registers(8, count)}, 0, 0, "
                        "implicit $exec"], move(8, 1)
        yield TARGETS, [f"BUFFER_STORE_{name}_OFFSET {registers(8, count)}, "
                        "$sgpr4_sgpr5_sgpr6_sgpr7, 0, 0, 0, 0, implicit $exec"], move(9, 1)
        yield TARGETS, [f"BUFFER_STORE_{name}_OFFSET {registers(8, count)}, "
                        "$sgpr4_sgpr5_sgpr6_sgpr7, $sgpr8, 0, 0, 0, implicit $exec"], move(9, 1)
    yield TARGETS, ["GLOBAL_STORE_DWORDX4 $vgpr4_vgpr5, $vgpr8_vgpr9_vgpr10_vgpr11, 0, 0, "
                    "implicit $exec"], matrix(MATRIX[1], 8, 0, 2, 12)
    exponent = "$vgpr1 = V_EXP_F32_e32 $vgpr2, implicit $mode, implicit $exec"
    yield TARGETS, [exponent], move(3, 1)
    yield TARGETS, [exponent], "$vgpr3 = V_LOG_F32_e32 $vgpr1, implicit $mode, implicit $exec"
    yield TARGETS, [exponent], matrix(MATRIX[6], D, 1, B, C)
    half = ("$vgpr1 = V_ADD_U16_sdwa 0, $vgpr2, 0, $vgpr3, 0, {}, 0, 6, 6, implicit $exec")
    for place in (4, 5, 6):  # WORD_0, WORD_1, DWORD
        yield TARGETS, [half.format(place)], move(3, 1)
    yield TARGETS, [half.format(5)], move(1, 3)
    yield TARGETS, [half.format(5)], matrix(MATRIX[6], D, 1, B, C)
    yield TARGETS, [half.format(5)], matrix(MATRIX[6], 0, A + 8, B, C)
    yield ("gfx950",), [move(1, 2)], \
        "$vgpr1, $vgpr3 = V_PERMLANE16_SWAP_B32_e32 $vgpr1, $vgpr3, implicit $exec"
    yield ("gfx950",), [CMPX], \
        "$vgpr1, $vgpr3 = V_PERMLANE32_SWAP_B32_e32 $vgpr1, $vgpr3, implicit $exec"
    four, eight = "V_DOT4_I32_I8", "V_DOT8_I32_I4"
    yield TARGETS, [dot(four, 3, 1, 2, 4)], dot(four, 6, 3, 2, 4)
    yield TARGETS, [dot(four, 3, 1, 2, 4)], dot(four, 6, 1, 2, 3)
    yield TARGETS, [dot(four, 3, 1, 2, 4)], dot(eight, 6, 1, 2, 3)
    yield TARGETS, [dot(four, 3, 1, 2, 4)], dot(eight, 3, 1, 2, 4)
    yield TARGETS, [dot(four, 3, 1, 2, 4)], move(6, 3)
    yield TARGETS, [dot(four, 3, 1, 2, 4)], move(3, 6)
    yield TARGETS, [dot(four, 3, 1, 2, 4)], \
        "GLOBAL_STORE_DWORD $vgpr8_vgpr9, $vgpr3, 0, 0, implicit $exec"
    double = matrix(MATRIX[10], D, A, B, C)
    yield TARGETS, [double], ("$vgpr20_vgpr21 = V_FMA_F64_e64 0, $vgpr22_vgpr23, 0, "
                              "$vgpr24_vgpr25, 0, $vgpr26_vgpr27, 0, 0, implicit $mode, "
                              "implicit $exec")
    yield TARGETS, [move(FREE, 20), double], \
        f"GLOBAL_STORE_DWORD $vgpr4_vgpr5, $vgpr{FREE}, 0, 0, implicit $exec"


def compiled(llc, target, functions):
    """The lines of assembly of each function, and what llc says when it does not take them."""
    text = "".join(
        f"---\nname: f{number}\ntracksRegLiveness: false\nmachineFunctionInfo:\n"
        "  isEntryFunction: true\nbody: |\n  bb.0:\n" +
        "".join(f"    {line}\n" for line in [*function, "S_ENDPGM 0"]) + "...\n"
        for number, function in enumerate(functions))
    with tempfile.NamedTemporaryFile("w", suffix=".mir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([llc, "-march=amdgcn", f"-mcpu={target}",
                               "-start-before=post-RA-hazard-rec", file.name, "-o", "-"],
                              capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [], done.stderr
    codes = []
    for line in done.stdout.splitlines():
        line = line.split("//")[0].split(";")[0].strip()
        if re.fullmatch(r"f\d+:", line):
            codes.append([])
        elif codes and re.match(r"[sv]_|global_|buffer_|ds_", line):
            codes[-1].append(line)
    return [code[:code.index("s_endpgm")] for code in codes], ""


def cases_of(llc, assembler, target):
    functions = [[*first, second] for generator in (matrix_cases, other_cases)
                 for targets, first, second in generator() if target in targets]
    functions += vector_cases(assembler, lambda *asked: compiled(llc, *asked), target)
    codes, errors = compiled(llc, target, functions)
    if errors:
        sys.exit(f"{target}:\n{errors[:2000]}")
    for code in codes:
        states = sum(int(line.split()[1]) + 1 for line in code if line.startswith("s_nop "))
        code = [line for line in code if not line.startswith("s_nop ")]
        yield {"target": target, "first": code[:-1], "second": code[-1], "states": states}


def main(llc="llc-22", assembler="llvm-mc-22"):
    version = re.search(r"LLVM version (\d+\.\d+)", subprocess.run(
        [llc, "--version"], capture_output=True, text=True, check=True).stdout)[1]
    cases = [case for target in TARGETS for case in cases_of(llc, assembler, target)]
    text = json.dumps({"llvm": version, "cases": cases}, indent=0)
    DATA.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(cases)} cases")


if __name__ == "__main__":
    main(*sys.argv[1:])
