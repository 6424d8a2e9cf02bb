"""What record.py compiles, and the launch of each: sizes that leave edges, what must come out."""
TARGETS = {"gfx1100": ("hip", "gfx1100", 32), "gfx1201": ("hip", "gfx1201", 32),
           "sm_80": ("cuda", 80, 32), "sm_90": ("cuda", 90, 32)}
TYPES = {"fp16": "f16", "fp32": "f32", "bf16": "bf16", "i32": "i32", "i8": "i8", "fp8e5": "bf8"}


class Case:
    """A kernel with its arguments: a type such as "*fp16" or "i32", or the value of a constant.

    numbers: of the arguments that are numbers. arrays: of the launch file, NAME: "SIZES VALUES",
    whose type is the argument's. extra: more lines of it. expect: a formula, or nothing. finding:
    the kind that --check must find; without it there must be none.
    """

    def __init__(self, name, kernel, arguments, numbers, grid, arrays, expect=None, extra=(),
                 warps=4, stages=2, finding=None):
        self.name, self.kernel, self.arguments = name, kernel, arguments
        self.numbers, self.grid, self.arrays = numbers, grid, arrays
        self.expect, self.extra, self.warps, self.stages = expect, extra, warps, stages
        self.finding = finding

    def launch(self, warps, shared):
        """The launch file; Triton's kernels take two more pointers, which these ones do not use."""
        names = [name for name, kind in self.arguments.items() if isinstance(kind, str)]
        lines = [f"kernel {self.kernel}", f"grid {self.grid}", f"block {32 * warps}",
                 f"lds {shared}"]
        for name, what in self.arrays.items():
            sizes, _, values = what.partition(" ")
            kind = TYPES[self.arguments[name][1:]]
            lines.append(f"{name} = {kind}[{sizes}] {values}".rstrip())
        lines += list(self.extra) + ["scratch = i32[64] zero"]
        given = [name if name in self.arrays else repr(self.numbers[name]) for name in names]
        lines.append("arguments " + " ".join(given) + " scratch scratch")
        if self.expect:
            lines.append(f"expect {self.expect}")
        return "\n".join(lines) + "\n"


PRODUCT = dict(M="i32", N="i32", K="i32", sam="i32", sbk="i32", scm="i32")
TILE = dict(BM=64, BN=64, BK=32)


def product(name, kind, block, warps, stages):
    """A product of 208 x 80 by 80 x 144 that no tile divides."""
    bm, bn, bk = block
    sizes = dict(M="i32", N="i32", K="i32", sam="i32", sak=1, sbk="i32", sbn=1, scm="i32", scn=1)
    result = "*fp32" if kind == "fp8e5" else "*" + kind
    blocks = -(-208 // bm) * -(-144 // bn)
    return Case(name, "matmul_kernel",
                dict(a="*" + kind, b="*" + kind, c=result, **sizes, BM=bm, BN=bn, BK=bk, GROUP=4,
                     RELU=False),
                dict(M=208, N=144, K=80, sam=80, sbk=144, scm=144), blocks,
                dict(a="208x80 exact", b="80x144 exact", c="208x144"), "c = a @ b", (), warps,
                stages)


def attention(name, depth, causal, warps, stages):
    return Case(name, "attention_kernel",
                dict(q="*fp16", k="*fp16", v="*fp16", o="*fp16", scale="fp32", length="i32",
                     sh="i32", BM=64, BN=32, D=depth, CAUSAL=causal),
                dict(scale=0.125, length=256, sh=256 * depth), "4 2",
                dict(q=f"512x{depth} random", k=f"512x{depth} random", v=f"512x{depth} random",
                     o=f"512x{depth}"), warps=warps, stages=stages)


CASES = [
    Case("add_f32", "add_kernel", dict(x="*fp32", y="*fp32", z="*fp32", n="i32", BLOCK=1024),
         dict(n=5008), 5, dict(x="5008 random", y="5008 random", z="5008"), "z = x + y"),
    Case("softmax_f32_w4", "softmax_kernel", dict(x="*fp32", z="*fp32", cols="i32", BLOCK=1024),
         dict(cols=784), 12, dict(x="12x784 random", z="12x784"),
         "z = softmax(x) tolerance 1e-3"),
    Case("layer_norm_f16_w4", "layer_norm_kernel",
         dict(x="*fp16", z="*fp16", w="*fp32", b="*fp32", mean="*fp32", rstd="*fp32", cols="i32",
              eps="fp32", BLOCK=256),
         dict(cols=784, eps=1e-5), 8,
         dict(x="8x784 random", z="8x784", w="784 random", b="784 random", mean="8", rstd="8")),
    # All warps of a block read `count`, and one of them sets it, with no barrier between.
    Case("layer_norm_backward", "layer_norm_backward_lock",
         dict(dx="*fp32", dy="*fp32", dw="*fp32", db="*fp32", x="*fp32", w="*fp32", mean="*fp32",
              rstd="*fp32", locks="*i32", cols="i32", GROUPS=2, BLOCK=256),
         dict(cols=240), 8,
         dict(dx="8x240", dy="8x240 random", dw="2x240", db="2x240", x="8x240 random",
              w="240 random", mean="8 random", rstd="8 random", locks="4 zero"),
         finding="global-race"),
    product("matmul_fp16_64x64x32_w4_s2", "fp16", (64, 64, 32), 4, 2),
    product("matmul_bf16_128x64x32_w4_s3", "bf16", (128, 64, 32), 4, 3),
    product("matmul_fp8", "fp8e5", (64, 64, 64), 4, 2),
    Case("matmul_int8", "matmul_int8_kernel",
         dict(a="*i8", b="*i8", c="*i32", **PRODUCT, BM=64, BN=64, BK=64),
         dict(M=128, N=192, K=128, sam=128, sbk=192, scm=192), "2 3",
         dict(a="128x128 random", b="128x192 random", c="128x192"), "c = a @ b"),
    Case("matmul_persistent", "matmul_persistent_kernel",
         dict(a="*fp16", b="*fp16", c="*fp16", **PRODUCT, programs="i32", **TILE),
         dict(M=192, N=256, K=96, sam=96, sbk=256, scm=256, programs=5), 5,
         dict(a="192x96 exact", b="96x256 exact", c="192x256"), "c = a @ b", stages=3),
    Case("matmul_split_k", "matmul_split_k_kernel",
         dict(a="*fp16", b="*fp16", c="*fp32", **PRODUCT, **TILE, SPLIT=4),
         dict(M=128, N=128, K=256, sam=256, sbk=128, scm=128), "2 2 4",
         dict(a="128x256 exact", b="256x128 exact", c="128x128 zero"), "c = a @ b"),
    Case("matmul_split_k_ticket", "matmul_split_k_ticket_kernel",
         dict(a="*fp16", b="*fp16", c="*fp32", partial="*fp32", tickets="*i32", **PRODUCT, **TILE,
              SPLIT=4),
         dict(M=128, N=128, K=256, sam=256, sbk=128, scm=128), "2 2 4",
         dict(a="128x256 exact", b="256x128 exact", c="128x128", partial="4x128x128",
              tickets="4 zero"), "c = a @ b"),
    attention("attention_d64_causal_w4_s3", 64, True, 4, 3),
    attention("attention_d128_full_w8_s2", 128, False, 8, 2),
    Case("column_sum", "column_sum_kernel",
         dict(x="*fp32", z="*fp32", rows="i32", cols="i32", BR=32, BC=32),
         dict(rows=80, cols=112), 4, dict(x="80x112 exact", z="1x112"), "z = ones @ x",
         ("ones = f32[1x80] 1",)),
    Case("argmax", "argmax_kernel", dict(x="*fp32", z="*i32", cols="i32", BLOCK=1024),
         dict(cols=784), 6, dict(x="6x784 random", z="6")),
    Case("sum_atomic_f32", "sum_atomic_kernel", dict(x="*fp32", z="*fp32", n="i32", BLOCK=1024),
         dict(n=5008), 5, dict(x="5008x1 exact", z="1x1 zero"), "z = ones @ x",
         ("ones = f32[1x5008] 1",)),
    Case("max_atomic", "max_atomic_kernel", dict(x="*i32", z="*i32", n="i32", BLOCK=1024),
         dict(n=5008), 5, dict(x="5008 random", z="1 zero")),
    Case("cumsum_w4", "cumsum_kernel", dict(x="*i32", z="*i32", cols="i32", BLOCK=512),
         dict(cols=400), 5, dict(x="5x400 random", z="5x400")),
    Case("linear_scan_w4", "linear_scan_kernel",
         dict(a="*fp32", b="*fp32", z="*fp32", cols="i32", BLOCK=512), dict(cols=400), 5,
         dict(a="5x400 random", b="5x400 random", z="5x400")),
    Case("look_back_scan", "look_back_scan_kernel",
         dict(x="*i32", z="*i32", sums="*i32", flags="*i32", n="i32", BLOCK=512), dict(n=5008), 10,
         dict(x="5008 random", z="5008", sums="10", flags="10 zero")),
    Case("histogram_w4", "histogram_kernel",
         dict(x="*i32", z="*i32", n="i32", BLOCK=512, BINS=128), dict(n=5120), 10,
         dict(x="5120 7", z="128 zero")),
    Case("scatter_add_f32", "scatter_add_kernel",
         dict(x="*fp32", index="*i32", z="*fp32", n="i32", BLOCK=512), dict(n=1024), 2,
         dict(x="1024 exact", index="1024 5", z="256 zero")),
    Case("sort", "sort_kernel", dict(x="*fp32", z="*fp32", cols="i32", BLOCK=256), dict(cols=256),
         4, dict(x="4x256 random", z="4x256")),
    Case("cross_entropy", "cross_entropy_kernel",
         dict(x="*fp16", labels="*i32", loss="*fp32", cols="i32", BLOCK=1024), dict(cols=784), 16,
         dict(x="16x784 random", labels="16 iota", loss="16")),
]
