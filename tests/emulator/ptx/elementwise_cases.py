"""Cases of instructions that a thread, or a warp of threads, executes on registers."""
from kernel_text import CASES, bits_of, elementwise


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
