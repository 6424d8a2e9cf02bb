#!/usr/bin/env python3
"""Kernels of single PTX instructions on random operands, and what an NVIDIA GPU answers.

  record.py cases FILE [TEXT]  writes the kernels, or those with the text in their names, with their
                               inputs (no GPU needed)
  record.py check FILE         has ptxas assemble each
  record.py run FILE ANSWERS   runs them on the first GPU through libcuda.so.1 and writes
                               ANSWERS.json.gz with inputs, outputs, GPU, driver and date

tests/emulator/ptx/recorded_test.cpp runs the same texts on the simulator and compares.
A kernel `k` reads `in`, writes `out`; elementwise ones have operand i of thread t at
in + 8 * (i * threads + t), result j at out + 8 * (j * threads + t).
"""
import ctypes
import datetime
import gzip
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

THREADS = 64
HEAD = ".version 8.7\n.target sm_90a\n.address_size 64\n"
CASES = []


def bits_of(type_name):
    sizes = {"pred": 1, "8": 8, "16": 16, "32": 32, "64": 64, "x2": 32}
    if type_name in ("e4m3x2", "e5m2x2"):
        return 16
    if type_name in ("f16x2", "bf16x2"):
        return 32
    if type_name == "tf32":
        return 32
    return sizes[type_name.lstrip("bfsu")]


def register(type_name):
    return ".b%d" % max(16, bits_of(type_name))


SPECIAL = {
    "f32": [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x80000001,
            0x007fffff, 0x00800000, 0x7f7fffff, 0x4b800001, 0x3f000000, 0x3fc00000, 0x4f000000],
    "f64": [0, 1 << 63, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
            0x7ff8000000000000, 1, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
            0x43f0000000000000, 0xc3e0000000000000, 0x3fe0000000000000],
    "f16": [0, 0x8000, 0x3c00, 0x7c00, 0xfc00, 0x7e00, 1, 0x83ff, 0x0400, 0x7bff, 0x3800],
    "bf16": [0, 0x8000, 0x3f80, 0x7f80, 0xff80, 0x7fc0, 1, 0x807f, 0x0080, 0x7f7f, 0x3f00],
}


def operand(rng, type_name, index, kind):
    width = bits_of(type_name)
    if kind == "plain":
        return rng.getrandbits(64)
    if kind == "shift":
        return rng.choice([0, 1, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, rng.getrandbits(6)])
    base = type_name[:-2] if type_name.endswith("x2") else type_name
    if base in SPECIAL:
        count = 2 if type_name.endswith("x2") else 1
        one = width // count
        value = 0
        for i in range(count):
            table = SPECIAL[base]
            if index < len(table) and kind == "float":
                part = rng.choice(table)
            elif rng.random() < 0.4 and kind == "float":
                part = rng.getrandbits(one)
            else:
                x = rng.uniform(-4, 4) * 2.0 ** rng.choice([0, 0, 0, -3, 3, 8, -8])
                if kind == "unit":
                    x = rng.uniform(0.1, 8)
                part = {"f32": lambda: struct.unpack("<I", struct.pack("<f", x))[0],
                        "f64": lambda: struct.unpack("<Q", struct.pack("<d", x))[0],
                        "f16": lambda: struct.unpack("<H", struct.pack("<e", x))[0],
                        "bf16": lambda: struct.unpack("<I", struct.pack("<f", x))[0] >> 16}[base]()
            value |= part << (one * i)
        return value
    value = rng.getrandbits(width)
    choice = rng.random()
    if choice < 0.3:
        value >>= rng.randrange(width)
    elif choice < 0.4:
        value = rng.choice([0, 1, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1])
    return value


def elementwise(text, results, operands, family, ulps=0, kinds=None, declare="", compare=None):
    """`text` has %d0 … for results and %a0 … for operands."""
    rng = random.Random(text)
    name = text.split(";")[-2 if text.rstrip().endswith(";") else -1].strip()
    body = [".reg .b64 %in, %out, %t, %w;", ".reg .b32 %i;", ".reg .pred %q;"]
    for i, t in enumerate(operands):
        body.append(".reg %s %%a%d;" % (".pred" if t == "pred" else register(t), i))
    for i, t in enumerate(results):
        body.append(".reg %s %%d%d;" % (".pred" if t == "pred" else register(t), i))
    body += [declare, "ld.param.u64 %in, [in];", "ld.param.u64 %out, [out];", "mov.u32 %i, %tid.x;",
             "mul.wide.u32 %t, %i, 8;", "add.u64 %in, %in, %t;", "add.u64 %out, %out, %t;"]
    for i, t in enumerate(operands):
        place = "[%%in+%d]" % (8 * THREADS * i)
        if t == "pred":
            body += ["ld.global.u64 %%w, %s;" % place, "setp.ne.u64 %%a%d, %%w, 0;" % i]
        else:
            body.append("ld.global%s %%a%d, %s;" % (register(t), i, place))
    body.append(text if text.rstrip().endswith(";") else text + ";")
    for i, t in enumerate(results):
        place = "[%%out+%d]" % (8 * THREADS * i)
        if t == "pred":
            body += ["selp.b64 %%w, 1, 0, %%d%d;" % i, "st.global.u64 %s, %%w;" % place]
        else:
            body.append("st.global%s %s, %%d%d;" % (register(t), place, i))
    ptx = HEAD + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + "\n".join(
        "  " + line for line in body if line) + "\n  ret;\n}\n"
    data = b""
    for i, t in enumerate(operands):
        kind = (kinds or {}).get(i, "float")
        for index in range(THREADS):
            value = rng.getrandbits(1) if t == "pred" else operand(rng, t, index, kind)
            data += struct.pack("<Q", value & (1 << 64) - 1)
    CASES.append(dict(name=name.replace("%", ""), family=family, ptx=ptx, threads=THREADS,
                      input=data, out_bytes=8 * THREADS * len(results),
                      types=list(results), words=8, ulps=ulps, compare=compare or "elements"))


def integers():
    for t in ("u16", "s16", "u32", "s32", "u64", "s64"):
        for op in ("add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem"):
            if op in ("div", "rem"):
                elementwise("or.b%d %%a1, %%a1, 1; %s.%s %%d0, %%a0, %%a1" % (bits_of(t), op, t),
                            [t], [t, t], "integer")
            else:
                elementwise("%s.%s %%d0, %%a0, %%a1" % (op, t), [t], [t, t], "integer")
        for op in ("mad.lo", "mad.hi"):
            elementwise("%s.%s %%d0, %%a0, %%a1, %%a2" % (op, t), [t], [t, t, t], "integer")
        for op in ("lt", "le", "gt", "ge", "eq", "ne"):
            elementwise("setp.%s.%s %%d0, %%a0, %%a1" % (op, t), ["pred"], [t, t], "compare")
        elementwise("shr.%s %%d0, %%a0, %%a1" % t, [t], [t, "u32"], "bits", kinds={1: "shift"})
        if t[0] == "s":
            elementwise("abs.%s %%d0, %%a0" % t, [t], [t], "integer")
            elementwise("neg.%s %%d0, %%a0" % t, [t], [t], "integer")
        if bits_of(t) < 64:
            wide = "%s%d" % (t[0], 2 * bits_of(t))
            elementwise("mul.wide.%s %%d0, %%a0, %%a1" % t, [wide], [t, t], "integer")
            elementwise("mad.wide.%s %%d0, %%a0, %%a1, %%a2" % t, [wide], [t, t, wide], "integer")
        if bits_of(t) > 16:
            elementwise("bfe.%s %%d0, %%a0, %%a1, %%a2" % t, [t], [t, "u32", "u32"], "bits",
                        kinds={1: "shift", 2: "shift"})
            elementwise("bfind.%s %%d0, %%a0" % t, ["u32"], [t], "bits")
            elementwise("bfind.shiftamt.%s %%d0, %%a0" % t, ["u32"], [t], "bits")
            elementwise("sad.%s %%d0, %%a0, %%a1, %%a2" % t, [t], [t, t, t], "integer")
    for t in ("b16", "b32", "b64"):
        for op in ("and", "or", "xor"):
            elementwise("%s.%s %%d0, %%a0, %%a1" % (op, t), [t], [t, t], "bits")
        elementwise("not.%s %%d0, %%a0" % t, [t], [t], "bits")
        elementwise("cnot.%s %%d0, %%a0" % t, [t], [t], "bits")
        elementwise("shl.%s %%d0, %%a0, %%a1" % t, [t], [t, "u32"], "bits", kinds={1: "shift"})
        elementwise("selp.%s %%d0, %%a0, %%a1, %%a2" % t, [t], [t, t, "pred"], "bits")
        if t != "b16":
            for op in ("popc", "clz"):
                elementwise("%s.%s %%d0, %%a0" % (op, t), ["u32"], [t], "bits")
            elementwise("brev.%s %%d0, %%a0" % t, [t], [t], "bits")
            elementwise("bfi.%s %%d0, %%a0, %%a1, %%a2, %%a3" % t, [t], [t, t, "u32", "u32"], "bits",
                        kinds={2: "shift", 3: "shift"})
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        elementwise("prmt.b32%s %%d0, %%a0, %%a1, %%a2" % mode, ["b32"], ["b32", "b32", "b32"],
                    "bits", kinds={2: "plain"})
    for table in (0x00, 0x80, 0x96, 0xe8, 0x1b, 0xf8, 0xca):
        elementwise("lop3.b32 %%d0, %%a0, %%a1, %%a2, %d" % table, ["b32"], ["b32"] * 3, "bits")
    for side in ("l", "r"):
        for mode in ("clamp", "wrap"):
            elementwise("shf.%s.%s.b32 %%d0, %%a0, %%a1, %%a2" % (side, mode), ["b32"],
                        ["b32", "b32", "u32"], "bits", kinds={2: "shift"})
    for mode in ("clamp", "wrap"):
        elementwise("bmsk.%s.b32 %%d0, %%a0, %%a1" % mode, ["b32"], ["u32", "u32"], "bits",
                    kinds={0: "shift", 1: "shift"})
    for a in ("s32", "u32"):
        for b in ("s32", "u32"):
            elementwise("dp4a.%s.%s %%d0, %%a0, %%a1, %%a2" % (a, b), ["s32"], ["b32"] * 3, "integer")
        for half in ("hi", "lo"):
            elementwise("mul24.%s.%s %%d0, %%a0, %%a1" % (half, a), [a], [a, a], "integer")
    for op in ("add", "sub"):
        elementwise("%s.sat.s32 %%d0, %%a0, %%a1" % op, ["s32"], ["s32", "s32"], "integer")
    for op in ("add", "min", "max"):
        for t in ("u16x2", "s16x2"):
            elementwise("%s.%s %%d0, %%a0, %%a1" % (op, t), ["b32"], ["b32", "b32"], "integer")
    for op in ("and", "or", "xor"):
        elementwise("setp.lt.%s.s32 %%d0|%%d1, %%a0, %%a1, %%a2" % op, ["pred", "pred"],
                    ["s32", "s32", "pred"], "compare")
        elementwise("setp.lt.%s.s32 %%d0|%%d1, %%a0, %%a1, !%%a2" % op, ["pred", "pred"],
                    ["s32", "s32", "pred"], "compare")


def floats():
    for t in ("f32", "f64"):
        for op in ("add", "sub", "mul"):
            for rounding in ("rn", "rz", "rm", "rp"):
                elementwise("%s.%s.%s %%d0, %%a0, %%a1" % (op, rounding, t), [t], [t, t], "float")
        for rounding in ("rn", "rz", "rm", "rp"):
            elementwise("fma.%s.%s %%d0, %%a0, %%a1, %%a2" % (rounding, t), [t], [t, t, t], "float")
            elementwise("div.%s.%s %%d0, %%a0, %%a1" % (rounding, t), [t], [t, t], "float")
            elementwise("sqrt.%s.%s %%d0, %%a0" % (rounding, t), [t], [t], "float")
            elementwise("rcp.%s.%s %%d0, %%a0" % (rounding, t), [t], [t], "float")
        for op in ("min", "max"):
            elementwise("%s.%s %%d0, %%a0, %%a1" % (op, t), [t], [t, t], "float")
        for op in ("neg", "abs"):
            elementwise("%s.%s %%d0, %%a0" % (op, t), [t], [t], "float")
        elementwise("copysign.%s %%d0, %%a0, %%a1" % t, [t], [t, t], "float")
        for what in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            elementwise("testp.%s.%s %%d0, %%a0" % (what, t), ["pred"], [t], "compare")
    for t in ("f32", "f64", "f16", "bf16"):
        for op in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu",
                   "num", "nan"):
            elementwise("setp.%s.%s %%d0, %%a0, %%a1" % (op, t), ["pred"], [t, t], "compare")
    for op in ("add", "sub", "mul"):
        elementwise("%s.rn.ftz.f32 %%d0, %%a0, %%a1" % op, ["f32"], ["f32", "f32"], "float")
        elementwise("%s.rn.sat.f32 %%d0, %%a0, %%a1" % op, ["f32"], ["f32", "f32"], "float")
        for t in ("f16", "f16x2", "bf16", "bf16x2"):
            elementwise("%s.rn.%s %%d0, %%a0, %%a1" % (op, t), [t], [t, t], "float")
    for op in ("min", "max"):
        elementwise("%s.NaN.f32 %%d0, %%a0, %%a1" % op, ["f32"], ["f32", "f32"], "float")
        for t in ("f16", "f16x2", "bf16", "bf16x2"):
            elementwise("%s.%s %%d0, %%a0, %%a1" % (op, t), [t], [t, t], "float")
            elementwise("%s.NaN.%s %%d0, %%a0, %%a1" % (op, t), [t], [t, t], "float")
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        elementwise("fma.rn.%s %%d0, %%a0, %%a1, %%a2" % t, [t], [t, t, t], "float")
        elementwise("fma.rn.relu.%s %%d0, %%a0, %%a1, %%a2" % t, [t], [t, t, t], "float")
        elementwise("neg.%s %%d0, %%a0" % t, [t], [t], "float")
        elementwise("abs.%s %%d0, %%a0" % t, [t], [t], "float")
    for t in ("f16", "f16x2"):
        elementwise("add.rn.ftz.%s %%d0, %%a0, %%a1" % t, [t], [t, t], "float")
        elementwise("fma.rn.ftz.sat.%s %%d0, %%a0, %%a1, %%a2" % t, [t], [t, t, t], "float")
    for op, ulps in (("ex2.approx", 4), ("lg2.approx", 16), ("rcp.approx", 2), ("rsqrt.approx", 4),
                     ("sqrt.approx", 4), ("tanh.approx", 32768), ("ex2.approx.ftz", 4)):
        elementwise("%s.f32 %%d0, %%a0" % op, ["f32"], ["f32"], "approximate", ulps=ulps,
                    kinds={0: "unit"})
        if op == "lg2.approx":  # between 0.5 and 2 the error is absolute
            CASES[-1].update(ulps=0, bound=2.0 ** -21)
    elementwise("div.approx.f32 %d0, %a0, %a1", ["f32"], ["f32", "f32"], "approximate", ulps=4,
                kinds={0: "unit", 1: "unit"})
    elementwise("div.full.f32 %d0, %a0, %a1", ["f32"], ["f32", "f32"], "approximate", ulps=4,
                kinds={0: "unit", 1: "unit"})


def conversions():
    wholes = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
    reals = ("f16", "f32", "f64")
    for to in wholes:
        for source in wholes:
            if to == source:
                continue
            elementwise("cvt.%s.%s %%d0, %%a0" % (to, source), [to], [source], "convert")
            # Where it could not say anything, ptxas does not take it.
            fits = bits_of(to) > bits_of(source) and not (to[0] == "u" and source[0] == "s")
            if not fits:
                elementwise("cvt.sat.%s.%s %%d0, %%a0" % (to, source), [to], [source], "convert")
        for source in reals:
            for rounding in ("rni", "rzi", "rmi", "rpi"):
                elementwise("cvt.%s.%s.%s %%d0, %%a0" % (rounding, to, source), [to], [source],
                            "convert")
    for to in reals:
        for source in wholes:
            for rounding in ("rn", "rz", "rm", "rp"):
                elementwise("cvt.%s.%s.%s %%d0, %%a0" % (rounding, to, source), [to], [source],
                            "convert")
        for source in reals:
            if bits_of(to) < bits_of(source):
                for rounding in ("rn", "rz", "rm", "rp"):
                    elementwise("cvt.%s.%s.%s %%d0, %%a0" % (rounding, to, source), [to], [source],
                                "convert")
            elif to != source:
                elementwise("cvt.%s.%s %%d0, %%a0" % (to, source), [to], [source], "convert")
            else:
                for rounding in ("rni", "rzi", "rmi", "rpi"):
                    elementwise("cvt.%s.%s.%s %%d0, %%a0" % (rounding, to, source), [to], [source],
                                "convert")
    for text in ("cvt.rn.bf16.f32", "cvt.rz.bf16.f32", "cvt.rn.relu.bf16.f32"):
        elementwise(text + " %d0, %a0", ["bf16"], ["f32"], "convert")
    elementwise("cvt.f32.bf16 %d0, %a0", ["f32"], ["bf16"], "convert")
    elementwise("cvt.rna.tf32.f32 %d0, %a0", ["f32"], ["f32"], "convert")
    elementwise("cvt.rn.tf32.f32 %d0, %a0", ["f32"], ["f32"], "convert")
    elementwise("cvt.rz.tf32.f32 %d0, %a0", ["f32"], ["f32"], "convert")
    for text, to in (("cvt.rn.f16x2.f32", "f16x2"), ("cvt.rz.f16x2.f32", "f16x2"),
                     ("cvt.rn.relu.f16x2.f32", "f16x2"), ("cvt.rn.bf16x2.f32", "bf16x2"),
                     ("cvt.rz.bf16x2.f32", "bf16x2"), ("cvt.rn.satfinite.e4m3x2.f32", "e4m3x2"),
                     ("cvt.rn.satfinite.e5m2x2.f32", "e5m2x2"),
                     ("cvt.rn.satfinite.relu.e4m3x2.f32", "e4m3x2")):
        elementwise(text + " %d0, %a0, %a1", [to], ["f32", "f32"], "convert")
    for small in ("e4m3x2", "e5m2x2"):
        elementwise("cvt.rn.f16x2.%s %%d0, %%a0" % small, ["f16x2"], ["b16"], "convert")
        elementwise("cvt.rn.satfinite.%s.f16x2 %%d0, %%a0" % small, [small], ["f16x2"], "convert")
    elementwise("cvt.pack.sat.s8.s32.b32 %d0, %a0, %a1, %a2", ["b32"], ["s32", "s32", "b32"],
                "convert")
    elementwise("cvt.pack.sat.u16.s32 %d0, %a0, %a1", ["b32"], ["s32", "s32"], "convert")


def exchanges():
    for mode in ("up", "down", "bfly", "idx"):
        for c in (0x1f, 0x0, 0x1807, 0x100f, 0x1c1f):
            elementwise("shfl.sync.%s.b32 %%d0|%%d1, %%a0, %%a1, %d, -1" % (mode, c),
                        ["b32", "pred"], ["b32", "u32"], "exchange", kinds={1: "shift"})
    for mode in ("all", "any", "uni"):
        elementwise("vote.sync.%s.pred %%d0, %%a0, -1" % mode, ["pred"], ["pred"], "exchange")
    elementwise("vote.sync.ballot.b32 %d0, %a0, -1", ["b32"], ["pred"], "exchange")
    elementwise("and.b32 %a0, %a0, 3; match.any.sync.b32 %d0, %a0, -1", ["b32"], ["b32"], "exchange")
    elementwise("and.b32 %a0, %a0, 0; match.all.sync.b32 %d0|%d1, %a0, -1", ["b32", "pred"], ["b32"],
                "exchange")
    for op in ("add", "min", "max"):
        for t in ("u32", "s32"):
            elementwise("redux.sync.%s.%s %%d0, %%a0, -1" % (op, t), [t], [t], "exchange")
    for op in ("and", "or", "xor"):
        elementwise("redux.sync.%s.b32 %%d0, %%a0, -1" % op, ["b32"], ["b32"], "exchange")
    elementwise("activemask.b32 %d0", ["b32"], ["b32"], "exchange")
    elementwise("movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0", ["b32"], ["b32"], "matrix")
    elementwise("elect.sync %d0|%d1, -1", ["b32", "pred"], ["b32"], "exchange")
    # Divergence: half of the lanes go another way, and meet again.
    elementwise("setp.lt.u32 %q, %a0, %a1; @%q bra A; mul.lo.u32 %d0, %a0, 3; bra.uni B; "
                "A: add.u32 %d0, %a1, 7; B: xor.b32 %d0, %d0, 1", ["b32"], ["u32", "u32"], "control")
    elementwise("and.b32 %a0, %a0, 15; mov.u32 %d0, 0; L: add.u32 %d0, %d0, %a0; "
                "sub.s32 %a0, %a0, 1; setp.gt.s32 %q, %a0, 0; @%q bra L; shfl.sync.bfly.b32 %d1, %d0, 1, 31, -1",
                ["b32", "b32"], ["u32"], "control")
    for op in ("popc.u32", "and.pred", "or.pred"):
        result = "u32" if "popc" in op else "pred"
        elementwise("barrier.red.%s %%d0, 0, %%a0" % op if "popc" not in op else
                    "barrier.red.popc.u32 %d0, 0, %a0", [result], ["pred"], "exchange")
    for op, t in (("add", "u32"), ("min", "s32"), ("max", "u32"), ("and", "b32"), ("or", "b32"),
                  ("xor", "b32"), ("add", "u64"), ("max", "s64"), ("inc", "u32"), ("dec", "u32")):
        # One result whatever the order, but of inc and dec, which all lanes do by the same bound.
        b = "%a0" if op not in ("inc", "dec") else "40"
        elementwise(
            "bar.sync 0; atom.shared.%s.%s %%x, [cell], %s; bar.sync 0; ld.shared.%s %%d0, [cell]"
            % (op, t, b, t), [t], [t], "atomic",
            declare=".shared .align 8 .b64 cell; .reg .b%d %%x; .reg .b64 %%z; mov.u64 %%z, 5; "
            "st.shared.b64 [cell], %%z;" % bits_of(t))


def raw(name, family, ptx, threads, data, out_bytes, **more):
    case = dict(name=name, family=family, ptx=HEAD + ptx, threads=threads, input=data,
                out_bytes=out_bytes, types=["b32"], words=4, ulps=0, compare="elements")
    case.update(more)
    CASES.append(case)


PROLOGUE = """.reg .b64 %in, %out, %t, %w;
.reg .b32 %i, %lane;
.reg .pred %q;
ld.param.u64 %in, [in];
ld.param.u64 %out, [out];
mov.u32 %i, %tid.x;
mov.u32 %lane, %laneid;
"""


def small_float(kind, rng, exact):
    if kind in ("s8", "u8", "s4", "u4", "b1"):
        width = int(kind[1:])
        return rng.getrandbits(width)
    x = rng.randrange(-8, 9) / 8 if exact else rng.uniform(-1, 1)
    if kind == "f16":
        return struct.unpack("<H", struct.pack("<e", x))[0]
    if kind == "bf16":
        return struct.unpack("<I", struct.pack("<f", x))[0] >> 16
    if kind == "tf32" or kind == "f32":
        return struct.unpack("<I", struct.pack("<f", x))[0]
    if kind == "f64":
        return struct.unpack("<Q", struct.pack("<d", x))[0]
    table = {"e4m3": [0x00, 0x28, 0x30, 0x34, 0x38, 0xa8, 0xb0, 0xb8],
             "e5m2": [0x00, 0x34, 0x38, 0x3a, 0x3c, 0xb4, 0xb8, 0xbc]}[kind]
    if exact:
        return rng.choice(table)
    while True:
        byte = rng.getrandbits(8)
        if byte & 0x7f < 0x38:
            return byte


def fill(kind, count, rng, exact):
    width = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s32": 32}.get(kind)
    if width is None:
        width = int(kind[1:]) if kind[1:].isdigit() else 8
    bits = 0
    for i in range(count):
        bits |= small_float(kind, rng, exact) << (width * i)
    return bits.to_bytes(count * width // 8, "little")


def multiplies():
    """Every dense mma.sync of sm_80 to sm_90, on exact and on random operands."""
    shapes = []
    for d in ("f16", "f32"):
        for k, a, b in ((8, 2, 1), (16, 4, 2)):
            shapes.append(("m16n8k%d" % k, "%s.f16.f16.%s" % (d, d), a, b, 2 if d == "f16" else 4))
    for k, a, b in ((8, 2, 1), (16, 4, 2)):
        shapes.append(("m16n8k%d" % k, "f32.bf16.bf16.f32", a, b, 4))
    for k, a, b in ((4, 2, 1), (8, 4, 2)):
        shapes.append(("m16n8k%d" % k, "f32.tf32.tf32.f32", a, b, 4))
    for a8 in ("s8", "u8"):
        for b8 in ("s8", "u8"):
            for shape, a, b, d in (("m8n8k16", 1, 1, 2), ("m16n8k16", 2, 1, 4), ("m16n8k32", 4, 2, 4)):
                for sat in ("", ".satfinite"):
                    shapes.append((shape, "%s.s32.%s.%s.s32" % (sat, a8, b8), a, b, d))
    for shape, a, b, d in (("m8n8k32", 1, 1, 2), ("m16n8k32", 2, 1, 4), ("m16n8k64", 4, 2, 4)):
        shapes.append((shape, "s32.s4.u4.s32", a, b, d))
    for a8 in ("e4m3", "e5m2"):
        for b8 in ("e4m3", "e5m2"):
            for d, n in (("f32", 4), ("f16", 2)):
                shapes.append(("m16n8k32", "%s.%s.%s.%s" % (d, a8, b8, d), 4, 2, n))
    for shape, types, a, b, d in shapes:
        for exact in (True, False):
            types_ = types.strip(".") if not types.startswith(".satfinite") else types[1:]
            kinds = [t for t in types_.split(".") if t != "satfinite"]
            name = "mma.sync.aligned.%s.row.col.%s" % (shape, types_)
            if kinds[0] == "s32" and not exact:
                continue
            rng = random.Random(name + str(exact))
            width = {"s8": 8, "u8": 8, "s4": 4, "u4": 4, "f16": 16, "bf16": 16, "tf32": 32,
                     "e4m3": 8, "e5m2": 8}
            per = lambda kind: 32 // width[kind]
            c_kind = kinds[3]
            data = fill(kinds[1], 32 * a * per(kinds[1]), rng, exact)
            data += fill(kinds[2], 32 * b * per(kinds[2]), rng, exact)
            if c_kind == "s32":
                extremes = [0, 1, 0x7fffffff, 0x80000000, 0x7fffff00, 0xffffffff]
                data += b"".join(struct.pack("<I", rng.choice(extremes)) for _ in range(32 * d))
            else:
                data += fill("f16" if c_kind == "f16" else "f32",
                             32 * d * (2 if c_kind == "f16" else 1), rng, exact)
            lines = [".reg .b32 %%a<%d>, %%b<%d>, %%c<%d>;" % (a, b, d),
                     "mul.wide.u32 %t, %i, 4;", "add.u64 %in, %in, %t;", "add.u64 %out, %out, %t;"]
            at = 0
            for letter, count in (("a", a), ("b", b), ("c", d)):
                for i in range(count):
                    lines.append("ld.global.b32 %%%s%d, [%%in+%d];" % (letter, i, at))
                    at += 128
            vector = lambda letter, count: "{%s}" % ", ".join("%%%s%d" % (letter, i) for i in range(count))
            lines.append("%s %s, %s, %s, %s;" % (name, vector("c", d), vector("a", a), vector("b", b),
                                                 vector("c", d)))
            for i in range(d):
                lines.append("st.global.b32 [%%out+%d], %%c%d;" % (128 * i, i))
            # Registers of 32 lanes one after the other: element i of in is register i / 32.
            out_type = {"s32": "s32", "f32": "f32", "f16": "f16x2"}[c_kind]
            raw(name + (" exact" if exact else " random"), "mma",
                ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + PROLOGUE + "\n".join(lines)
                + "\nret;\n}\n", 32, data, 128 * d, types=[out_type],
                bound=0 if exact else (2.0 ** -8 if c_kind == "f16" else 2.0 ** -17))
    for shape, a, b, d in (("m8n8k4", 1, 1, 2), ("m16n8k4", 2, 1, 4), ("m16n8k8", 4, 2, 4),
                           ("m16n8k16", 8, 4, 4)):
        for exact in (True, False):
            name = "mma.sync.aligned.%s.row.col.f64.f64.f64.f64" % shape
            rng = random.Random(name + str(exact))
            data = fill("f64", 32 * (a + b + d), rng, exact)
            lines = [".reg .f64 %%a<%d>, %%b<%d>, %%c<%d>;" % (a, b, d),
                     "mul.wide.u32 %t, %i, 8;", "add.u64 %in, %in, %t;", "add.u64 %out, %out, %t;"]
            at = 0
            for letter, count in (("a", a), ("b", b), ("c", d)):
                for i in range(count):
                    lines.append("ld.global.f64 %%%s%d, [%%in+%d];" % (letter, i, at))
                    at += 256
            vector = lambda letter, count: "{%s}" % ", ".join("%%%s%d" % (letter, i) for i in range(count))
            lines.append("%s %s, %s, %s, %s;" % (name, vector("c", d), vector("a", a), vector("b", b),
                                                 vector("c", d)))
            for i in range(d):
                lines.append("st.global.f64 [%%out+%d], %%c%d;" % (256 * i, i))
            raw(name + (" exact" if exact else " random"), "mma",
                ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + PROLOGUE + "\n".join(lines)
                + "\nret;\n}\n", 32, data, 256 * d, types=["f64"], words=8,
                bound=0 if exact else 2.0 ** -48)


def matrix_moves():
    rng = random.Random("moves")
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            rows = list(range(32))
            rng.shuffle(rows)
            data = rng.randbytes(1024) + b"".join(struct.pack("<I", 16 * (2 * r % 64)) for r in rows)
            registers = "{%s}" % ", ".join("%%r%d" % i for i in range(count))
            body = PROLOGUE + """.shared .align 128 .b8 tile[1024];
.reg .b32 %%r<4>, %%s, %%o, %%v;
.reg .b64 %%g;
mov.u32 %%s, tile;
mul.wide.u32 %%t, %%i, 4;
add.u64 %%g, %%in, %%t;
""" % ()
            for i in range(8):
                body += "ld.global.b32 %%v, [%%g+%d]; mad.lo.u32 %%o, %%i, 4, %%s; st.shared.b32 [%%o+%d], %%v;\n" % (128 * i, 128 * i)
            body += "ld.global.b32 %o, [%g+1024]; add.u32 %o, %o, %s; bar.sync 0;\nadd.u64 %out, %out, %t;\n"
            load = body + "ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, [%%o];\n" % (count, trans, registers)
            for i in range(count):
                load += "st.global.b32 [%%out+%d], %%r%d;\n" % (128 * i, i)
            raw("ldmatrix.x%d%s" % (count, trans), "matrix",
                ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + load + "ret;\n}\n", 32, data,
                128 * count)
            store = body
            for i in range(count):
                store += "ld.global.b32 %%r%d, [%%g+%d];\n" % (i, 128 * i)
            store += "stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%%o], %s;\nbar.sync 0;\n" % (count, trans, registers)
            for i in range(8):
                store += "mad.lo.u32 %%o, %%i, 4, %%s; ld.shared.b32 %%v, [%%o+%d]; st.global.b32 [%%out+%d], %%v;\n" % (128 * i, 128 * i)
            raw("stmatrix.x%d%s" % (count, trans), "matrix",
                ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + store + "ret;\n}\n", 32, data, 1024)


WAIT = """LOOP%(n)s: mbarrier.try_wait.parity.shared::cta.b64 %%q, [%%bar], %(parity)s;
@!%%q bra LOOP%(n)s;
"""


def load_box(columns, rows, element_bytes, x, y):
    """A kernel that loads the box at (x, y) and stores it, rows behind each other."""
    nbytes = rows * columns * element_bytes
    body = """.reg .b64 %%in, %%out, %%t, %%g, %%map;
.reg .b32 %%i, %%s, %%bar, %%v, %%o;
.reg .pred %%q, %%first;
.shared .align 1024 .b8 tile[%(bytes)d];
.shared .align 8 .b64 full;
ld.param.u64 %%out, [out];
mov.u32 %%i, %%tid.x;
mov.u32 %%s, tile;
mov.u32 %%bar, full;
mov.u64 %%map, map;
cvta.param.u64 %%map, %%map;
setp.eq.u32 %%first, %%i, 0;
@%%first mbarrier.init.shared::cta.b64 [%%bar], 1;
fence.mbarrier_init.release.cluster;
bar.sync 0;
@!%%first bra WAIT;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%bar], %(bytes)d;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%%s], [%%map, {%(x)d, %(y)d}], [%%bar];
WAIT:
""" % dict(bytes=nbytes, x=x, y=y) + WAIT % dict(n="", parity=0)
    body += "mul.wide.u32 %t, %i, 4; add.u64 %g, %out, %t; mad.lo.u32 %o, %i, 4, %s;\n"
    for i in range(0, nbytes, 128):
        body += "ld.shared.b32 %%v, [%%o+%d]; st.global.b32 [%%g+%d], %%v;\n" % (i, i)
    return (".visible .entry k(.param .u64 in, .param .u64 out, .param .align 64 .b8 map[128])\n{\n"
            + body + "ret;\n}\n")


def boxes():
    """Boxes of two- and three-dimensional tensors, inside and across the edges, with each swizzle."""
    rng = random.Random("boxes")
    data = rng.randbytes(64 * 40 * 2)
    for swizzle in (0, 32, 64, 128):
        for columns in (16, 32, 64):
            # Of narrower rows an H200 leaves room behind each; they are not simulated.
            if swizzle and columns * 2 != swizzle:
                continue
            for x, y in ((0, 0), (16, 5), (-8, -3), (40, 36), (8, 8)):
                rows = 16
                nbytes = rows * columns * 2
                raw("load box %dx%d at %d, %d swizzle %d" % (columns, rows, x, y, swizzle), "bulk",
                    load_box(columns, rows, 2, x, y), 32, data, nbytes,
                    map=dict(buffer="in", type="f16", sizes=[64, 40], strides=[128],
                             box=[columns, rows], swizzle=swizzle))
                # An H200 stops at a store with negative coordinates: an illegal instruction.
                if (x, y) in ((16, 5), (40, 36), (8, 8)):
                    body = """.reg .b64 %%in, %%out, %%t, %%g, %%map;
.reg .b32 %%i, %%s, %%v, %%o;
.reg .pred %%first;
.shared .align 1024 .b8 tile[%(bytes)d];
ld.param.u64 %%in, [in];
mov.u32 %%i, %%tid.x;
mov.u32 %%s, tile;
mov.u64 %%map, map;
cvta.param.u64 %%map, %%map;
setp.eq.u32 %%first, %%i, 0;
mul.wide.u32 %%t, %%i, 4; add.u64 %%g, %%in, %%t; mad.lo.u32 %%o, %%i, 4, %%s;
""" % dict(bytes=nbytes)
                    for i in range(0, nbytes, 128):
                        body += "ld.global.b32 %%v, [%%g+%d]; st.shared.b32 [%%o+%d], %%v;\n" % (i, i)
                    body += """fence.proxy.async.shared::cta;
bar.sync 0;
@!%%first bra DONE;
cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%%map, {%(x)d, %(y)d}], [%%s];
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
DONE:
""" % dict(x=x, y=y)
                    raw("store box %dx%d at %d, %d swizzle %d" % (columns, rows, x, y, swizzle), "bulk",
                        ".visible .entry k(.param .u64 in, .param .u64 out, .param .align 64 .b8 map[128])\n{\n"
                        + body + "ret;\n}\n", 32, data, 64 * 40 * 2,
                        map=dict(buffer="out", type="f16", sizes=[64, 40], strides=[128],
                                 box=[columns, rows], swizzle=swizzle))


def rounded_boxes():
    """What a map of tf32 makes of f32: every exponent beside numbers between two neighbours, ties among
    them, and what is no number. A map of f32 leaves them alone."""
    rng = random.Random("rounded boxes")
    bits = [0x7f800000, 0x7f800001, 0x7f80ffff, 0x7fc00000, 0x7fffffff, 0x7f7fffff, 0x7f7ff000, 0x7f7fefff]
    bits += [exponent << 23 | step << 13 | low for exponent in (0, 1, 100, 127, 128, 254)
             for step in (0, 1, 2, 3, 1023) for low in (0, 1, 0xfff, 0x1000, 0x1001, 0x1fff)]
    bits += [word | 1 << 31 for word in bits]
    bits += [rng.getrandbits(32) for _ in range(32 * 16 - len(bits))]
    data = struct.pack("<%dI" % len(bits), *bits)
    for kind in ("f32", "tf32"):
        for y in (0, 4):
            raw("load box of %s at 0, %d" % (kind, y), "bulk", load_box(32, 16, 4, 0, y), 32, data,
                len(data), map=dict(buffer="in", type=kind, sizes=[32, 16], strides=[128], box=[32, 16],
                                    swizzle=128))


def copies():
    """cp.async with its sizes, and bytes in bulk."""
    rng = random.Random("copies")
    for cache, size in (("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)):
        for read in (size, size // 2, 0):
            body = PROLOGUE + """.shared .align 128 .b8 tile[512];
.reg .b32 %%s, %%v<4>;
.reg .b64 %%g;
mul.wide.u32 %%t, %%i, 16;
add.u64 %%g, %%in, %%t;
add.u64 %%out, %%out, %%t;
mov.u32 %%s, tile;
mad.lo.u32 %%s, %%i, 16, %%s;
mov.u32 %%v0, 0;
st.shared.v4.b32 [%%s], {%%v0, %%v0, %%v0, %%v0};
cp.async.%s.shared.global [%%s], [%%g], %d, %d;
cp.async.commit_group;
cp.async.wait_group 0;
bar.sync 0;
ld.shared.v4.b32 {%%v0, %%v1, %%v2, %%v3}, [%%s];
st.global.v4.b32 [%%out], {%%v0, %%v1, %%v2, %%v3};
""" % (cache, size, read)
            raw("cp.async.%s %d of %d bytes" % (cache, read, size), "copy",
                ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + body + "ret;\n}\n", 32,
                rng.randbytes(512), 512)


def descriptor(leading, stride, swizzle):
    code = {0: 0, 128: 1, 64: 2, 32: 3}[swizzle]
    return (leading >> 4) << 16 | (stride >> 4) << 32 | code << 62


def warpgroups():
    """wgmma with B, and A, in shared memory in every layout: the tiles are copied there as they are
    in `in`, so that the answer says which element was read."""
    cases = []
    for n in (8, 64, 256):
        for swizzle in (0, 32, 64, 128) if n < 256 else (128,):
            cases.append(("f32.f16.f16", 16, n, swizzle, 0, 0, False))
    for swizzle in (0, 32, 64, 128):
        cases.append(("f32.f16.f16", 16, 64, swizzle, 1, 0, False))
        cases.append(("f32.f16.f16", 16, 64, swizzle, 0, 1, False))
        cases.append(("f32.bf16.bf16", 16, 128, swizzle, 1, 1, False))
        cases.append(("f32.f16.f16", 16, 64, swizzle, 0, 1, True))
    for types, k in (("f32.bf16.bf16", 16), ("f16.f16.f16", 16), ("f32.tf32.tf32", 8),
                     ("f32.e4m3.e4m3", 32), ("f32.e5m2.e4m3", 32), ("f16.e4m3.e5m2", 32),
                     ("s32.s8.s8", 32), ("s32.u8.s8", 32)):
        for swizzle in (0, 128) if types != "s32.u8.s8" else (128,):
            cases.append((types, k, 96, swizzle, 0, 0, False))
            cases.append((types, k, 24, swizzle, 0, 0, True))
    for types, k, n, swizzle, ta, tb, a_registers in cases:
        d_kind, a_kind, b_kind = types.split(".")
        element = {16: 2, 8: 4, 32: 1}[k]
        random_too = n == 64 and swizzle == 128 and not (ta or tb)
        for exact in ((True, False) if random_too else (True,)):
            name = "wgmma m64n%dk%d.%s swizzle %d%s%s%s" % (
                n, k, types, swizzle, " A mn-major" if ta else "", " B mn-major" if tb else "",
                " A in registers" if a_registers else "")
            # One input for all layouts of a type.
            rng = random.Random(types + str(a_registers) + str(exact))
            a_bytes = 16384 if not a_registers else 0
            b_bytes = 32768
            a_values = (16384 if not a_registers else 64 * k * element) // element
            data = fill(a_kind, a_values, rng, exact) + fill(b_kind, b_bytes // element, rng, exact)
            a_size = a_values * element
            # What no case reads is left empty.
            read = 32768 if types == "f32.f16.f16" and exact and not a_registers else 16384
            data = data[:a_size][:8192].ljust(a_size, b"\0") + data[a_size:][:read].ljust(b_bytes, b"\0")

            def offsets(major):
                if swizzle == 0:
                    # k-major: 8 rows follow 8 rows after 256 bytes, k after 128.
                    return (128, 256)
                if major == 0:
                    return (16, 8 * swizzle)
                # mn-major: swizzle / 2 rows, eight k behind another.
                return (1024 * 2, 8 * swizzle)
            da = descriptor(*offsets(ta), swizzle)
            db = descriptor(*offsets(tb), swizzle)
            registers = n // 2 if d_kind != "f16" else n // 4
            d_list = ", ".join("%%d%d" % i for i in range(registers))
            body = PROLOGUE + """.reg .b32 %%s, %%v<4>, %%o, %%a<4>, %%d<%(registers)d>;
.reg .b64 %%g, %%da, %%db, %%base;
.reg .pred %%p, %%more;
mov.u32 %%s, memory;
mov.u32 %%o, %%i;
COPY: mul.wide.u32 %%t, %%o, 16;
add.u64 %%g, %%in, %%t;
ld.global.v4.b32 {%%v0, %%v1, %%v2, %%v3}, [%%g+%(skip)d];
mad.lo.u32 %%lane, %%o, 16, %%s;
st.shared.v4.b32 [%%lane], {%%v0, %%v1, %%v2, %%v3};
add.u32 %%o, %%o, 128;
setp.lt.u32 %%more, %%o, %(units)d;
@%%more bra COPY;
fence.proxy.async.shared::cta;
bar.sync 0;
shr.u32 %%o, %%s, 4;
cvt.u64.u32 %%base, %%o;
mov.u64 %%da, %(da)d;
add.u64 %%da, %%da, %%base;
add.u32 %%o, %%s, %(a_bytes)d;
shr.u32 %%o, %%o, 4;
cvt.u64.u32 %%base, %%o;
mov.u64 %%db, %(db)d;
add.u64 %%db, %%db, %%base;
""" % dict(registers=registers, skip=a_size if a_registers else 0,
           units=(a_bytes + b_bytes) // 16, da=da, db=db, a_bytes=a_bytes)
            if a_registers:
                # Register r of thread i is word r * 128 + i.
                body += "mul.wide.u32 %t, %i, 4; add.u64 %g, %in, %t;\n"
                for i in range(4):
                    body += "ld.global.b32 %%a%d, [%%g+%d];\n" % (i, 512 * i)
            for i in range(registers):
                body += "mov.b32 %%d%d, %s;\n" % (i, "0x3f800000" if d_kind == "f32" else "0x3c003c00" if d_kind == "f16" else "5")
            flags = "p, 1, 1" if d_kind != "s32" else "p"
            if a_kind in ("f16", "bf16"):
                flags += ", %d" % tb if a_registers else ", %d, %d" % (ta, tb)
            a_text = "{%a0, %a1, %a2, %a3}" if a_registers else "%da"
            body += """setp.eq.u32 %%p, 0, 0;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n%dk%d.%s {%s}, %s, %%db, %%%s;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
mul.wide.u32 %%t, %%i, 4;
add.u64 %%g, %%out, %%t;
""" % (n, k, types, d_list, a_text, flags)
            for i in range(registers):
                body += "st.global.b32 [%%g+%d], %%d%d;\n" % (512 * i, i)
            raw(name + (" exact" if exact else " random"), "wgmma",
                ".extern .shared .align 1024 .b8 memory[];\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + body + "ret;\n}\n", 128, data,
                512 * registers, dynamic=a_bytes + b_bytes,
                types=[{"f32": "f32", "f16": "f16x2", "s32": "s32"}[d_kind]],
                bound=0 if exact else (2.0 ** -7 if d_kind == "f16" else 2.0 ** -15 if element > 1 else 2.0 ** -8))


def all_cases():
    integers()
    floats()
    conversions()
    exchanges()
    multiplies()
    matrix_moves()
    copies()
    boxes()
    rounded_boxes()
    warpgroups()
    return CASES


def written(cases):
    """With each input once: cases name it."""
    inputs, done = {}, []
    for case in cases:
        case = dict(case)
        text = case["input"].hex()
        case["input"] = inputs.setdefault(text, len(inputs))
        if "output" in case:
            case["output"] = case["output"].hex()
        done.append(case)
    return dict(inputs=list(inputs), cases=done)


def load(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
        read = json.load(file)
    cases = read["cases"]
    for case in cases:
        case["input"] = bytes.fromhex(read["inputs"][case["input"]])
    return cases


def check(cases):
    """One text a call would take minutes: many kernels go into one."""
    bad = 0
    for begin in range(0, len(cases), 100):
        text = HEAD
        for i, case in enumerate(cases[begin:begin + 100]):
            text += case["ptx"][len(HEAD):].replace("entry k(", "entry k%d(" % i)
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(text)
            file.flush()
            done = subprocess.run(["ptxas", "-arch=sm_90a", file.name, "-o", "/dev/null"],
                                  capture_output=True, text=True)
        if done.returncode != 0:
            bad += 1
            print(done.stderr[:3000])
            lines = text.split("\n")
            for message in done.stderr.split("\n")[:4]:
                if "line " in message:
                    print(lines[int(message.split("line ")[1].split(";")[0]) - 1])
    print(len(cases), "texts,", "refused" if bad else "all taken by ptxas")
    return bad


class Gpu:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        self.device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, 256, self.device)
        self.name = name.value.decode()
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.version = "CUDA %d.%d" % (version.value // 1000, version.value % 1000 // 10)

    def call(self, name, *arguments):
        result = getattr(self.cuda, name)(*arguments)
        if result != 0:
            raise RuntimeError("%s: error %d" % (name, result))

    def driver(self):
        path = "/proc/driver/nvidia/version"
        return open(path).readline().strip() if os.path.exists(path) else self.version

    def described(self, by):
        """What a record says of where it comes from."""
        return dict(gpu=self.name, driver=self.driver(), cuda=self.version,
                    date=datetime.date.today().isoformat(), by=by)

    def run(self, case):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), case["ptx"].encode() + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"k")
        data, out_bytes = case["input"], case["out_bytes"]
        source, out = ctypes.c_uint64(), ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(source), ctypes.c_size_t(len(data)))
        self.call("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(out_bytes))
        self.call("cuMemcpyHtoD_v2", source, data, ctypes.c_size_t(len(data)))
        self.call("cuMemsetD8_v2", out, ctypes.c_ubyte(0xff), ctypes.c_size_t(out_bytes))
        arguments = [source, out]
        if "map" in case:
            arguments.append(self.tensor_map(case["map"], source if case["map"]["buffer"] == "in" else out))
        pointers = (ctypes.c_void_p * len(arguments))(
            *[ctypes.cast(ctypes.byref(a) if not isinstance(a, ctypes.Array) else a, ctypes.c_void_p)
              for a in arguments])
        dynamic = case.get("dynamic", 0)
        if dynamic > 48 << 10:
            self.call("cuFuncSetAttribute", function, 8, dynamic)
        self.call("cuLaunchKernel", function, 1, 1, 1, case["threads"], 1, 1, dynamic, None, pointers, None)
        self.call("cuCtxSynchronize")
        result = ctypes.create_string_buffer(out_bytes)
        self.call("cuMemcpyDtoH_v2", result, out, ctypes.c_size_t(out_bytes))
        self.call("cuMemFree_v2", source)
        self.call("cuMemFree_v2", out)
        self.call("cuModuleUnload", module)
        return result.raw

    def tensor_map(self, wanted, address):
        memory = ctypes.create_string_buffer(192)
        begin = (ctypes.addressof(memory) + 63) // 64 * 64
        encoded_map = (ctypes.c_byte * 128).from_address(begin)
        encoded_map.memory = memory
        rank = len(wanted["sizes"])
        sizes = (ctypes.c_uint64 * rank)(*wanted["sizes"])
        strides = (ctypes.c_uint64 * rank)(*wanted["strides"])
        box = (ctypes.c_uint32 * rank)(*wanted["box"])
        steps = (ctypes.c_uint32 * rank)(*[1] * rank)
        swizzle = {0: 0, 32: 1, 64: 2, 128: 3}[wanted["swizzle"]]
        kind = {"f16": 6, "f32": 7, "tf32": 11}[wanted["type"]]  # CU_TENSOR_MAP_DATA_TYPE_*
        self.call("cuTensorMapEncodeTiled", encoded_map, kind, rank, ctypes.c_void_p(address.value), sizes, strides,
                  box, steps, 0, swizzle, 0, 0)
        return encoded_map


def write(path, done):
    with open(path, "wb") as file:
        file.write(gzip.compress(json.dumps(done).encode(), 9, mtime=0))


def record(cases, path):
    gpu = Gpu()
    failures = 0
    for case in cases:
        try:
            case["output"] = gpu.run(case)
        except RuntimeError as error:
            failures += 1
            print(case["name"], error, flush=True)
            if failures > 20:  # a kernel that was stopped leaves a context that refuses the rest
                break
    write(path, dict(gpu.described("tests/emulator/ptx/record.py"),
                     **written([case for case in cases if "output" in case])))
    print(len(cases) - failures, "recorded,", failures, "failed, on", gpu.name, gpu.driver())


def main():
    what, path = sys.argv[1:3]
    if what == "cases":
        with open(path, "w") as file:
            wanted = sys.argv[3] if len(sys.argv) > 3 else ""
            cases = [case for case in all_cases() if wanted in case["name"]]
            json.dump(written(cases), file)
        print(len(cases), "cases")
    elif what == "check":
        sys.exit(check(load(path)))
    elif what == "run":
        record(load(path), sys.argv[3])


if __name__ == "__main__":
    main()
