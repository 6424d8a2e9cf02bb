"""Kernels of single PTX instructions as text, with their inputs: what the lists of cases are made with.

A kernel `k` reads `in`, writes `out`; elementwise ones have operand i of thread t at
in + 8 * (i * threads + t), result j at out + 8 * (j * threads + t).
"""
import random
import struct

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
