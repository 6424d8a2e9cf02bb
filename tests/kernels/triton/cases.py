"""What record.py compiles, and the launch of each: sizes that leave edges, what must come out."""
TARGETS = {"gfx1100": ("hip", "gfx1100", 32), "gfx1201": ("hip", "gfx1201", 32),
           "sm_80": ("cuda", 80, 32), "sm_90": ("cuda", 90, 32)}
CDNA = {"gfx90a": ("hip", "gfx90a", 64), "gfx942": ("hip", "gfx942", 64),
        "gfx950": ("hip", "gfx950", 64)}
# Recorded as files of their own; gfx1250 is CDNA5 by its name, and has waves of 32.
FILES = {"triton_kernels": TARGETS, "triton_kernels_cdna": CDNA,
         "triton_kernels_gfx1250": {"gfx1250": ("hip", "gfx1250", 32)},
         "triton_products_cdna": {target: CDNA[target] for target in ("gfx942", "gfx950")},
         "triton_products_rdna": {"gfx1151": ("hip", "gfx1151", 32),
                                  "gfx1201": ("hip", "gfx1201", 32)}}
TYPES = {"fp16": "f16", "fp32": "f32", "bf16": "bf16", "i32": "i32", "i8": "i8", "u8": "u8",
         "fp8e5": "bf8", "fp8e4nv": "fp8", "fp8e4b8": "fp8_fnuz"}


class Case:
    """A kernel with its arguments: a type such as "*fp16" or "i32", or the value of a constant.

    numbers: of the arguments that are numbers. arrays: of the launch file, NAME: "SIZES VALUES",
    whose type is the argument's. extra: more lines of it. expect: a formula, or nothing. finding:
    the kind that --check must find, on each target or by target; without it there must be none.
    targets: those it is for, or nothing: all that the first file has, and more. gluon: it is a
    kernel in Gluon. multiples: the numbers among the arguments are multiples of 16. environment: of
    the compiler.
    """

    def __init__(self, name, kernel, arguments, numbers, grid, arrays, expect=None, extra=(),
                 warps=4, stages=2, finding=None, targets=None, gluon=False, multiples=True,
                 environment=None):
        self.name, self.kernel, self.arguments = name, kernel, arguments
        self.numbers, self.grid, self.arrays = numbers, grid, arrays
        self.expect, self.extra, self.warps, self.stages = expect, extra, warps, stages
        self.finding, self.targets, self.gluon = finding, targets, gluon
        self.multiples, self.environment = multiples, environment or {}

    def finding_on(self, target):
        return self.finding.get(target) if isinstance(self.finding, dict) else self.finding

    def launch(self, warps, lanes, shared):
        """The launch file; Triton's kernels take two more pointers, which these ones do not use."""
        names = [name for name, kind in self.arguments.items() if isinstance(kind, str)]
        lines = [f"kernel {self.kernel}", f"grid {self.grid}", f"block {lanes * warps}",
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


def product(name, kind, block, warps, stages, targets=None, transposed=False):
    """A product of 208 x 80 by 80 x 144 that no tile divides; of B, or of what is n x k."""
    bm, bn, bk = block
    sizes = dict(M="i32", N="i32", K="i32", sam="i32", sak=1, sbk="i32", sbn=1, scm="i32", scn=1)
    if transposed:
        sizes.update(sbk=1, sbn="i32")
    result = "*fp32" if kind.startswith("fp8") else "*" + kind
    blocks = -(-208 // bm) * -(-144 // bn)
    return Case(name, "matmul_kernel",
                dict(a="*" + kind, b="*" + kind, c=result, **sizes, BM=bm, BN=bn, BK=bk, GROUP=4,
                     RELU=False),
                dict(M=208, N=144, K=80, sam=80, sbk=144, sbn=80, scm=144), blocks,
                dict(a="208x80 exact", b=("144x80" if transposed else "80x144") + " exact",
                     c="208x144"), "c = a @ b'" if transposed else "c = a @ b", (),
                warps, stages, targets=targets)


def scaled(name, kind, packed, targets, warps=4):
    """Of a packed format all elements are 1, as two of them are in 0x22; scales are 2 and 1."""
    sizes, values = (128, 128, 256), "34" if packed == 2 else "exact"
    m, n, k = sizes
    arguments = dict(a="*" + kind, sa="*u8", b="*" + kind, sb="*u8", c="*fp32", M="i32", N="i32",
                     K="i32", BM=64, BN=64, BK=128, PACK=packed)
    arrays = dict(a=f"{m}x{k // packed} {values}", sa=f"{m}x{k // 32} 128",
                  b=f"{n}x{k // packed} {values}", sb=f"{n}x{k // 32} 127", c=f"{m}x{n}")
    extra = (f"twos = f16[{m}x{k}] 2", f"ones = f16[{k}x{n}] 1") if packed == 2 else ()
    return Case(name, "matmul_scaled_kernel", arguments, dict(M=m, N=n, K=k), f"{m // 64} {n // 64}",
                arrays, "c = twos @ ones" if packed == 2 else "c = 2 * (a @ b')", extra,
                warps, targets=targets,
                # What dual-issue pairs write behind a WMMA: docs/checker.md, "Wait states".
                finding={"gfx1250": "wait-state-hazard"})


def attention(name, depth, causal, warps, stages):
    return Case(name, "attention_kernel",
                dict(q="*fp16", k="*fp16", v="*fp16", o="*fp16", scale="fp32", length="i32",
                     sh="i32", BM=64, BN=32, D=depth, CAUSAL=causal),
                dict(scale=0.125, length=256, sh=256 * depth), "4 2",
                dict(q=f"512x{depth} random", k=f"512x{depth} random", v=f"512x{depth} random",
                     o=f"512x{depth}"), warps=warps, stages=stages)


SERVERS = tuple(CDNA) + ("gfx1250",)
CASES = [
    Case("add_f32", "add_kernel", dict(x="*fp32", y="*fp32", z="*fp32", n="i32", BLOCK=1024),
         dict(n=5008), 5, dict(x="5008 random", y="5008 random", z="5008"), "z = x + y"),
    Case("softmax_f32_w4", "softmax_kernel", dict(x="*fp32", z="*fp32", cols="i32", BLOCK=1024),
         dict(cols=784), 12, dict(x="12x784 random", z="12x784"),
         "z = softmax(x) tolerance 1e-6"),
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
    # CDNA: no wave waits for its stores before the barrier, and the atomic of one tells of all
    # (bench/records/notes/2026-11-27-kernels-of-others.md).
    Case("matmul_split_k_ticket", "matmul_split_k_ticket_kernel",
         dict(a="*fp16", b="*fp16", c="*fp32", partial="*fp32", tickets="*i32", **PRODUCT, **TILE,
              SPLIT=4),
         dict(M=128, N=128, K=256, sam=256, sbk=128, scm=128), "2 2 4",
         dict(a="128x256 exact", b="256x128 exact", c="128x128", partial="4x128x128",
              tickets="4 zero"), "c = a @ b", finding=dict.fromkeys(CDNA, "global-race")),
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
    # For AMD's processors of servers: more waves and stages, orders, formats of 8 bits and fewer.
    product("matmul_fp16_128x128x64_w8_s2", "fp16", (128, 128, 64), 8, 2, SERVERS),
    product("matmul_fp16_64x64x64_w4_s1", "fp16", (64, 64, 64), 4, 1, SERVERS),
    product("matmul_fp16_64x128x32_w2_s3", "fp16", (64, 128, 32), 2, 3, SERVERS),
    product("matmul_fp16_transposed_w4_s2", "fp16", (64, 64, 64), 4, 2, SERVERS, True),
    product("matmul_bf16_transposed_w4_s3", "bf16", (128, 64, 32), 4, 3, SERVERS, True),
    product("matmul_f32_w4_s2", "fp32", (64, 64, 32), 4, 2, SERVERS),
    product("matmul_e4m3_w4_s2", "fp8e4nv", (64, 64, 64), 4, 2, ("gfx950", "gfx1250")),
    product("matmul_e4m3_transposed_w8_s2", "fp8e4nv", (128, 128, 128), 8, 2,
            ("gfx950", "gfx1250"), True),
    scaled("matmul_mxfp8", "fp8e4nv", 1, ("gfx950", "gfx1250")),
    scaled("matmul_mxfp4_w8", "u8", 2, ("gfx950", "gfx1250"), 8),
    *[Case(f"gluon_padded_{padding}", "gluon_matmul_kernel",
           dict(a="*fp16", b="*fp16", c="*fp32", K="i32", sam="i32", sbk="i32", scm="i32", BM=128,
                BN=128, BK=64, PADDING=padding),
           dict(K=192, sam=192, sbk=256, scm=256), "2 2",
           dict(a="256x192 exact", b="192x256 exact", c="256x256"), "c = a @ b",
           targets=("gfx950",), gluon=True) for padding in (8, 16, 32)],
    Case("gluon_tensor", "gluon_tensor_matmul_kernel",
         dict(a="*fp16", b="*fp16", c="*fp32", M="i32", N="i32", K="i32", BM=64, BN=64, BK=64),
         dict(M=128, N=128, K=192), "2 2",
         dict(a="128x192 exact", b="192x128 exact", c="128x128"), "c = a @ b",
         targets=("gfx1250",), gluon=True),
]


def plain(contract, kind, block, warps, whole, shape=None, targets=None,
          environment=None, finding=None):
    """D = A B in the type of the sums, of the products that bench/kernels compares; `whole`: tiles
    divide all sizes. contract: A and B as they are (n) or transposed (t). shape: m, n and k."""
    bm, bn, bk = block
    m, n, k = shape or ((256, 256, 256) if whole else (131, 133, 135))
    rows = dict(a=(k, m) if contract[0] == "t" else (m, k),
                b=(n, k) if contract[1] == "t" else (k, n))
    sizes = dict(M="i32", N="i32", K="i32", sam="i32", sak=1, sbk="i32", sbn=1, scm="i32")
    if contract[0] == "t":
        sizes.update(sam=1, sak="i32")
    if contract[1] == "t":
        sizes.update(sbk=1, sbn="i32")
    is_integer = kind == "i8"
    left = "a'" if contract[0] == "t" else "a"
    right = "b'" if contract[1] == "t" else "b"
    return Case(f"{TYPES[kind]}_{contract}_{bm}x{bn}x{bk}_w{warps}" + ("" if whole else "_any") +
                ("_straight" if environment else ""),
                "plain_product_kernel",
                dict(a="*" + kind, b="*" + kind, c="*i32" if is_integer else "*fp32", **sizes,
                     BM=bm, BN=bn, BK=bk, GROUP=4, WHOLE=whole, INTEGER=is_integer),
                dict(M=m, N=n, K=k, sam=rows["a"][1], sak=rows["a"][1], sbk=rows["b"][1],
                     sbn=rows["b"][1], scm=n), -(-m // bm) * -(-n // bn),
                dict(a="x".join(map(str, rows["a"])) + " exact",
                     b="x".join(map(str, rows["b"])) + " exact", c=f"{m}x{n}"),
                f"c = {left} @ {right}", (), warps, 2, targets=targets, multiples=whole,
                environment=environment, finding=finding)


# Of 64x64x32, 128x64x32, 128x128x32 and 128x128x64 with 4 or 8 warps, those that execute least.
PRODUCTS = [plain(contract, kind, (128, 128, 64 if kind == "i8" else 32), warps, whole)
            for kind, contracts in (("fp16", ("nn", "nt", "tn", "tt")), ("bf16", ("nn", "nt")),
                                    ("i8", ("nn", "nt")))
            for contract in contracts
            for whole, warps in ((True, 4), (False, 4), *([(True, 8)] if kind == "i8" else []))]

# Large tiles of eight waves, whose halves change places where Triton's pass BlockPingpong does that:
# on gfx950 in loops that copy straight to LDS alone, which version 3.6 does only if asked. What is
# found in them is said in bench/records/notes/2026-11-27-kernels-of-others.md.
STRAIGHT = {"TRITON_HIP_USE_ASYNC_COPY": "1"}
LARGE_PRODUCTS = [plain(contract, kind, (*block, 128 if size == 1 else 64), warps, True,
                        (512, 768, 640), (target,), environment,
                        None if kind != "fp8e4nv" else
                        "wait-state-hazard" if warps == 4 and contract == "nn" else
                        "lds-race-write-after-read" if warps == 8 and environment else None)
                  for kind, size in (("fp16", 2), ("bf16", 2), ("i8", 1), ("fp8e4b8", 1),
                                     ("fp8e4nv", 1))
                  for contract in ("nn", "nt")
                  for block, warps in (((256, 256), 8), ((128, 128), 4))
                  for target, environment in (("gfx942", {}), ("gfx950", {}), ("gfx950", STRAIGHT))
                  if kind not in ("fp8e4b8", "fp8e4nv") or
                  (kind == "fp8e4b8") == (target == "gfx942")]
# Of the kind that was wrong on an MI300X: Triton's issue 11696.
LARGE_PRODUCTS += [plain("nn", "fp32", (128, 128, 64), 8, True, (512, 768, 640), ("gfx942",),
                         finding="lds-race-write-after-read")]


def cases_of(file):
    """Each case and target of a file."""
    lists = {"triton_products_rdna": PRODUCTS, "triton_products_cdna": LARGE_PRODUCTS}
    for case in lists.get(file, CASES):
        for target in FILES[file]:
            if case.targets is None or target in case.targets:
                yield case, target
