"""The kernels whose sums record_sums.py records: a warp, or a warpgroup, that multiplies operands from
memory in several steps, which add to one sum."""
from drawn_sums import width
from kernel_text import HEAD


PARAMETERS = """.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u32 steps)
{
.reg .b64 %pa, %pb, %pc, %pd, %t, %case, %many, %at;
.reg .b32 %i, %steps, %c, %w, %o, %count, %base;
.reg .pred %more, %yes;
ld.param.u64 %pa, [a]; ld.param.u64 %pb, [b]; ld.param.u64 %pc, [c]; ld.param.u64 %pd, [d];
ld.param.u32 %steps, [steps];
mov.u32 %i, %tid.x;
mov.u32 %c, %ctaid.x;
cvt.u64.u32 %case, %c;
cvt.u64.u32 %many, %steps;
mul.lo.u64 %many, %many, %case;
"""


def registers(letter, count):
    return "{%s}" % ", ".join("%%%s%d" % (letter, i) for i in range(count))


def advance(pointer, by, size):
    """pointer += by * size, by the case or by all steps of the cases before."""
    return "mul.lo.u64 %%t, %s, %d; add.u64 %s, %s, %%t;\n" % (by, size, pointer, pointer)


def accumulators(i, p, what):
    """Loads or stores of C or D."""
    b = 8 * i.word_bytes
    lines = ""
    for r in range(p.c_registers):
        at = r * i.threads * i.word_bytes
        lines += ("ld.global.b%d %%d%d, [%%pc+%d];\n" % (b, r, at) if what == "load" else
                  "st.global.b%d [%%pd+%d], %%d%d;\n" % (b, at, r))
    return lines


def warp_kernel(i, p):
    """A warp does a case. Words are [case][step][register][lane]."""
    b, size = 8 * i.word_bytes, i.word_bytes
    text = HEAD + PARAMETERS
    for letter, count in (("a", p.a_registers + i.is_sparse), ("b", p.b_registers), ("d", p.c_registers)):
        text += ".reg .%s%d %%%s<%d>;\n" % ("f" if b == 64 else "b", b, letter, count)
    a_words, b_words, c_words = p.words
    text += advance("%pa", "%many", a_words * size) + advance("%pb", "%many", b_words * size)
    text += advance("%pc", "%case", c_words * size) + advance("%pd", "%case", c_words * size)
    text += "mul.wide.u32 %%t, %%i, %d;\n" % size
    text += "".join("add.u64 %%p%s, %%p%s, %%t;\n" % (x, x) for x in "abcd")
    text += accumulators(i, p, "load") + "STEP:\n"
    for letter, count in (("a", p.a_registers + i.is_sparse), ("b", p.b_registers)):
        for r in range(count):
            text += "ld.global.b%d %%%s%d, [%%p%s+%d];\n" % (b, letter, r, letter, r * 32 * size)
    d = registers("d", p.c_registers)
    metadata = ", %%a%d, 0x0" % p.a_registers if i.is_sparse else ""
    text += "%s %s, %s, %s, %s%s;\n" % (i.mnemonic, d, registers("a", p.a_registers),
                                        registers("b", p.b_registers), d, metadata)
    text += "add.u64 %%pa, %%pa, %d; add.u64 %%pb, %%pb, %d;\n" % (a_words * size, b_words * size)
    text += "sub.u32 %steps, %steps, 1; setp.ne.u32 %more, %steps, 0; @%more bra STEP;\n"
    return text + accumulators(i, p, "store") + "ret;\n}\n"


COPY = """mov.u32 %%o, %%i;
COPY_%(x)s: setp.ge.u32 %%more, %%o, %%count; @%%more bra COPIED_%(x)s;
mul.wide.u32 %%t, %%o, 4; add.u64 %%at, %%p%(x)s, %%t; ld.global.b32 %%w, [%%at];
mad.lo.u32 %%c, %%o, 4, %%base; st.shared.b32 [%%c], %%w;
add.u32 %%o, %%o, 128; bra COPY_%(x)s;
COPIED_%(x)s:
"""


def warpgroup_kernel(i, p):
    """A warpgroup does a case. All steps lie in shared memory, and with A there, too, none of them waits
    for the one before."""
    a_bytes, b_bytes = p.words[0] * 4, p.words[1] * 4
    # The next core matrix of a row, and that of the next 8 rows.
    descriptor = (128 >> 4) << 16 | (i.depth_of_b * width(i.b) >> 4) << 32
    text = HEAD + ".extern .shared .align 1024 .b8 memory[];\n" + PARAMETERS
    text += ".reg .b64 %%da, %%db;\n.reg .b32 %%a<5>, %%d<%d>;\n" % p.c_registers
    text += advance("%pa", "%many", a_bytes) + advance("%pb", "%many", b_bytes)
    text += advance("%pc", "%case", len(p.c) * 4) + advance("%pd", "%case", len(p.c) * 4)
    text += "mul.wide.u32 %t, %i, 4; add.u64 %pc, %pc, %t; add.u64 %pd, %pd, %t;\n"
    text += "mov.u32 %base, memory;\n"
    make = "shr.u32 %%o, %%base, 4; cvt.u64.u32 %%d%s, %%o; or.b64 %%d%s, %%d%s, " + "%d;\n" % descriptor
    text += make % ("b", "b", "b") + "mul.lo.u32 %%count, %%steps, %d;\n" % len(p.b) + COPY % dict(x="b")
    if i.a_in_registers:
        text += "mul.wide.u32 %t, %i, 4; add.u64 %pa, %pa, %t;\n"
    else:
        text += "mad.lo.u32 %%base, %%steps, %d, %%base;\n" % b_bytes
        text += make % ("a", "a", "a") + "mul.lo.u32 %%count, %%steps, %d;\n" % len(p.a) + COPY % dict(x="a")
    text += "fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.eq.u32 %yes, 0, 0;\n" + accumulators(i, p, "load")
    flags = "%yes" if i.is_integer else "%yes, 1, 1"
    if i.a in ("f16", "bf16"):
        flags += ", 0" if i.a_in_registers else ", 0, 0"
    metadata = ", %a4, 0" if i.is_sparse else ""
    multiply = "%s %s, %s, %%db%s, %s;\nwgmma.commit_group.sync.aligned;\n" % (
        i.mnemonic, registers("d", p.c_registers), registers("a", 4) if i.a_in_registers else "%da", metadata, flags)
    wait = "wgmma.wait_group.sync.aligned 0;\n"
    if i.a_in_registers:
        text += "STEP:\n" + "".join("ld.global.b32 %%a%d, [%%pa+%d];\n" % (r, r * 512)
                                  for r in range(4 + i.is_sparse))
        text += "wgmma.fence.sync.aligned;\n" + multiply + wait + "add.u64 %%pa, %%pa, %d;\n" % a_bytes
    else:
        text += "STEP:\nwgmma.fence.sync.aligned;\n" + multiply + "add.u64 %%da, %%da, %d;\n" % (a_bytes >> 4)
    text += "add.u64 %%db, %%db, %d;\n" % (b_bytes >> 4)
    text += "sub.u32 %steps, %steps, 1; setp.ne.u32 %more, %steps, 0; @%more bra STEP;\n"
    if not i.a_in_registers:
        text += wait
    return text + accumulators(i, p, "store") + "ret;\n}\n"


def kernel(i, p):
    return warpgroup_kernel(i, p) if i.is_warpgroup else warp_kernel(i, p)
