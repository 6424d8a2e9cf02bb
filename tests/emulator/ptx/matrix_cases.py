"""Cases of matrix instructions, and of the moves of their operands: mma, ldmatrix, wgmma."""
import random
import struct

from kernel_text import PROLOGUE, fill, raw, register


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
