"""Cases of asynchronous copies to shared memory: cp.async, and boxes of tensor maps."""
import random
import struct

from kernel_text import PROLOGUE, raw


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
