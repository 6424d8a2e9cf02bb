"""The layouts and conversions that record_triton.py asks Triton about, drawn from a fixed seed.

A layout is a dictionary: its kind, the fields of Gluon's class, and `cga`, how CTAs share a tensor
in the spelling of older releases (None: one CTA).
"""
import itertools
import math
import random

SEED = 20261121


def powers(rng, total, rank):
    """`rank` random powers of two whose product is `total`."""
    sizes = [1] * rank
    while total > 1:
        sizes[rng.randrange(rank)] *= 2
        total //= 2
    return sizes


def order_of(rng, rank):
    order = list(range(rank))
    rng.shuffle(order)
    return order


def draw_shape(rng, rank, least=1, most=128):
    low, high = int(math.log2(least)), int(math.log2(most))
    return [1 << rng.randint(low, high) for _ in range(rank)]


def draw_cga(rng, rank):
    """None, or how 2 or 4 CTAs share a tensor, in the old spelling; `bases_of` gives the new."""
    if rng.random() < 0.75:
        return None
    split = powers(rng, rng.choice([1, 2, 4]), rank)
    copies = powers(rng, rng.choice([1, 1, 2]), rank)
    return {"ctas_per_cga": [s * c for s, c in zip(split, copies)], "cta_split_num": split,
            "cta_order": order_of(rng, rank)}


def bases_of(cga, rank):
    """The block bases of the old spelling, lowest bit first."""
    bases, moved = [], [0] * rank
    if cga is None:
        return bases
    for dim in cga["cta_order"]:
        for _ in range(int(math.log2(cga["cta_split_num"][dim]))):
            bases.append([(1 << moved[d]) if d == dim else 0 for d in range(rank)])
            moved[dim] += 1
        for _ in range(int(math.log2(cga["ctas_per_cga"][dim] // cga["cta_split_num"][dim]))):
            bases.append([0] * rank)
    return bases


def draw_blocked(rng, rank, lanes=32, warps=None, cga=True):
    warps = warps or rng.choice([1, 2, 4, 8])
    return {"kind": "blocked", "size_per_thread": powers(rng, rng.choice([1, 2, 4, 8]), rank),
            "threads_per_warp": powers(rng, lanes, rank), "warps_per_cta": powers(rng, warps, rank),
            "order": order_of(rng, rank), "cga": draw_cga(rng, rank) if cga else None}


def draw_mma(rng, version=None, warps=None, cga=True):
    warps = warps or rng.choice([1, 2, 4, 8])
    if warps < 4 and version is None:
        version = 2
    version = version or rng.choice([2, 3])
    if version == 2:
        return {"kind": "nvidia_mma", "version": [2, 0], "warps_per_cta": powers(rng, warps, 2),
                "instr_shape": [16, 8], "cga": draw_cga(rng, 2) if cga else None}
    rest = warps // 4
    split = powers(rng, rest, 2)
    return {"kind": "nvidia_mma", "version": [3, 0], "warps_per_cta": [4 * split[0], split[1]],
            "instr_shape": [16, rng.choice([8, 16, 32, 64, 128]), 16],
            "cga": draw_cga(rng, 2) if cga else None}


def draw_mfma(rng, warps=None, cga=True):
    warps = warps or rng.choice([1, 2, 4, 8])
    version = rng.choice([2, 3, 4])
    instr = rng.choice([[32, 32, 8], [16, 16, 16], [32, 32, 16], [16, 16, 32], [4, 64, 4], [64, 4, 4]])
    tiles = rng.choice([[1, 1], [1, 1], [1, 1], [2, 2], [1, 2], [2, 1]])
    return {"kind": "amd_mfma", "version": version, "instr_shape": instr,
            "transposed": True if instr[0] == 64 else rng.random() < 0.5,
            "warps_per_cta": powers(rng, warps, 2), "tiles_per_warp": tiles,
            "element_bitwidth": rng.choice([32, 32, 32, 64]) if instr[:2] == [16, 16] else 32,
            "cga": draw_cga(rng, 2) if cga else None}


def draw_wmma(rng, version=None, warps=None, cga=True):
    warps = warps or rng.choice([1, 2, 4, 8])
    version = version or rng.choice([1, 2, 3])
    instr = [16, 16, 16] if version < 3 else [16, 16, rng.choice([32, 64, 128])]
    return {"kind": "amd_wmma", "version": version, "transposed": rng.random() < 0.5,
            "warps_per_cta": powers(rng, warps, 2), "instr_shape": instr,
            "tiles_per_warp": rng.choice([[1, 1], [1, 1], [1, 1], [2, 1], [2, 2]]),
            "cga": draw_cga(rng, 2) if cga else None}


def draw_dot(rng, parent, bits=16):
    index = 0 if parent["kind"] == "nvidia_mma" and parent["version"][0] == 3 else rng.randint(0, 1)
    width = {"blocked": 0, "nvidia_mma": max(32 // bits, 1)}.get(parent["kind"], 8)
    if parent["kind"] == "nvidia_mma":
        width *= rng.choice([1, 1, 2])
    if parent["kind"] == "amd_mfma":
        width = rng.choice([4, 8, 16])
    if parent["kind"] == "amd_wmma":
        width = {1: 16, 2: 8}.get(parent["version"], 8)
    return {"kind": "dot_op", "operand_index": index, "parent": parent, "k_width": width}


def draw_linear(rng, shape, lanes=32, warps=None):
    """Every bit of the shape on a random place of register, lane and warp; the rest are copies."""
    rank = len(shape)
    bits = [[(1 << b) if d == dim else 0 for d in range(rank)]
            for dim in range(rank) for b in range(int(math.log2(shape[dim])))]
    rng.shuffle(bits)
    lane_bits = int(math.log2(lanes))
    warp_bits = int(math.log2(warps)) if warps else rng.randint(0, 3)
    places = ["lane"] * lane_bits + ["warp"] * warp_bits
    rng.shuffle(places)
    bases = {"register": [], "lane": [], "warp": []}
    for place in places:
        copy = not bits or rng.random() < 0.1
        bases[place].append([0] * rank if copy else bits.pop())
    bases["register"] = bits
    return {"kind": "linear", "reg_bases": bases["register"], "lane_bases": bases["lane"],
            "warp_bases": bases["warp"], "block_bases": [], "shape": list(shape)}


def draw_shared(rng, kind, rank):
    if kind in ("swizzled_shared", "amd_rotating_shared"):
        return {"kind": kind, "vec": rng.choice([1, 2, 4, 8, 16]), "per_phase": rng.choice([1, 2, 4]),
                "max_phase": rng.choice([1, 2, 4, 8, 16]), "order": order_of(rng, rank),
                "cga": draw_cga(rng, rank)}
    if kind == "nvmma_shared":
        width = rng.choice([0, 32, 64, 128])
        fp4 = width == 128 and rng.random() < 0.15
        return {"kind": kind, "swizzle_byte_width": width,
                "element_bitwidth": 8 if fp4 else rng.choice([8, 16, 32]), "rank": rank,
                "transposed": rng.random() < 0.3, "fp4_padded": fp4, "cga": draw_cga(rng, rank)}
    raise ValueError(kind)


def draw_shared_linear(rng, shape):
    bits = [[(1 << b) if d == dim else 0 for d in range(len(shape))]
            for dim in range(len(shape)) for b in range(int(math.log2(shape[dim])))]
    rng.shuffle(bits)
    for i in range(1, len(bits)):  # now and then an xor, which is a swizzle
        if rng.random() < 0.3:
            other = bits[rng.randrange(i)]
            bits[i] = [a ^ b for a, b in zip(bits[i], other)]
    blocks = rng.randint(0, min(2, len(bits) - 1)) if rng.random() < 0.3 and len(bits) > 1 else 0
    return {"kind": "shared_linear", "offset_bases": bits[:len(bits) - blocks],
            "block_bases": bits[len(bits) - blocks:], "alignment": rng.choice([4, 16, 128])}


def draw_padded(rng, rank):
    count = rng.randint(1, 3)
    intervals = rng.sample([2, 4, 8, 16, 32, 64, 128, 256], count)
    return {"kind": "padded_shared", "shape": draw_shape(rng, rank, 2, 32),
            "interval_padding_pairs": [[i, rng.choice([1, 2, 4, 8, 16])] for i in intervals],
            "order": order_of(rng, rank), "cga": None}


def layout_cases():
    rng = random.Random(SEED)
    cases = []

    def add(spec, shape):
        cases.append({"spec": spec, "shape": shape})

    for i in range(700):
        rank = rng.choice([1, 2, 2, 2, 3])
        add(draw_blocked(rng, rank), draw_shape(rng, rank, 1, 16 if i % 2 else 128))
    for i in range(400):
        parent = draw_blocked(rng, rng.choice([2, 2, 3])) if i % 2 else draw_mma(rng)
        rank = len(parent.get("order", [0, 0]))
        add({"kind": "slice", "dim": rng.randrange(rank), "parent": parent},
            draw_shape(rng, rank - 1, 1, 128))
    for i in range(300):
        add(draw_mma(rng), draw_shape(rng, 2, 1 if i % 3 == 0 else 16, 128))
    for _ in range(200):
        add(draw_mfma(rng), draw_shape(rng, 2, 16, 256))
    for _ in range(200):
        add(draw_wmma(rng), draw_shape(rng, 2, 16, 256))
    for i in range(500):
        bits = rng.choice([8, 16, 32])
        parent = [lambda: draw_blocked(rng, 2), lambda: draw_mma(rng), lambda: draw_mma(rng),
                  lambda: draw_mfma(rng), lambda: draw_wmma(rng)][i % 5]()
        add(draw_dot(rng, parent, bits), draw_shape(rng, 2, 16, 128))
    for _ in range(100):
        parent = draw_dot(rng, draw_mma(rng, 2))
        add({"kind": "slice", "dim": rng.randint(0, 1), "parent": parent}, draw_shape(rng, 1, 8, 128))
    for _ in range(250):
        rank = rng.choice([1, 2, 3])
        shape = draw_shape(rng, rank, 1, 16)
        spec = draw_linear(rng, shape)
        other = list(shape)
        if rng.random() < 0.4:
            other = [max(1, s * rng.choice([1, 2, 4]) // rng.choice([1, 1, 2])) for s in shape]
        add(spec, other)
    for i in range(400):
        rank = rng.choice([1, 2, 2, 2, 3])
        add(draw_shared(rng, "swizzled_shared", rank), draw_shape(rng, rank, 1, 16 if i % 2 else 128))
    for i in range(350):
        rank = rng.choice([2, 2, 2, 3])
        spec = draw_shared(rng, "nvmma_shared", rank)
        inner = 0 if spec["transposed"] else rank - 1
        least = [8 if rank == 2 else 4] * rank
        if i >= 12:  # else mostly too small for the swizzle, which ends the process
            least[inner] = max(8, 8 * spec["swizzle_byte_width"] // spec["element_bitwidth"])
        shape = [draw_shape(rng, 1, size, max(size, 128 if rank == 2 else 16))[0] for size in least]
        add(spec, shape)
    for i in range(120):
        rank = rng.choice([2, 2, 3])
        add(dict(draw_shared(rng, "amd_rotating_shared", rank), cga=None), draw_shape(rng, rank, 1, 64))
    for _ in range(200):
        shape = draw_shape(rng, rng.choice([1, 2, 3]), 2, 16)
        add(draw_shared_linear(rng, shape), shape)
    for _ in range(150):
        spec = draw_padded(rng, rng.choice([1, 2, 3]))
        add(spec, spec["shape"])
    return cases


def raw_view_cases():
    """Views of random maps, built directly: copies, several blocks, any rank."""
    rng = random.Random(SEED + 1)
    cases = []
    for i in range(240):
        rank = rng.choice([1, 2, 2, 3])
        shape = draw_shape(rng, rank, 1, 8)
        bits = [[(1 << b) if d == dim else 0 for d in range(rank)]
                for dim in range(rank) for b in range(int(math.log2(shape[dim])))]
        rng.shuffle(bits)
        names = ["register", "lane", "warp", "block"] if i % 2 else ["offset", "block"]
        bases = {name: [] for name in names}
        for basis in bits:
            low = names[rng.randrange(len(names))] if rng.random() < 0.5 else names[0]
            bases[low].append(basis)
        if i % 2:  # copies; a shared layout has none
            for name in names[:3]:
                if rng.random() < 0.3:
                    bases[name].insert(rng.randint(0, len(bases[name])), [0] * rank)
        cases.append({"raw": bases, "shape": shape})
    return cases


def wrong_cases():
    """What no layout is; the answer of interest is the error."""
    blocked = {"kind": "blocked", "size_per_thread": [1, 4], "threads_per_warp": [4, 8],
               "warps_per_cta": [4, 1], "order": [1, 0], "cga": None}
    mma = {"kind": "nvidia_mma", "version": [2, 0], "warps_per_cta": [2, 2], "instr_shape": [16, 8],
           "cga": None}
    mma3 = dict(mma, version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, 64, 16])
    mfma = {"kind": "amd_mfma", "version": 3, "instr_shape": [32, 32, 8], "transposed": False,
            "warps_per_cta": [2, 2], "tiles_per_warp": [1, 1], "element_bitwidth": 32, "cga": None}
    wmma = {"kind": "amd_wmma", "version": 1, "transposed": False, "warps_per_cta": [2, 2],
            "instr_shape": [16, 16, 16], "tiles_per_warp": [1, 1], "cga": None}
    padded = {"kind": "padded_shared", "shape": [8, 4], "interval_padding_pairs": [[4, 2]],
              "order": [1, 0], "cga": None}
    nvmma = {"kind": "nvmma_shared", "swizzle_byte_width": 128, "element_bitwidth": 16, "rank": 2,
             "transposed": False, "fp4_padded": False, "cga": None}
    swizzled = {"kind": "swizzled_shared", "vec": 8, "per_phase": 1, "max_phase": 8,
                "order": [1, 0], "cga": None}
    linear = {"kind": "linear", "reg_bases": [[0, 1]], "lane_bases": [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
              "warp_bases": [], "block_bases": [], "shape": [8, 8]}
    shared_linear = {"kind": "shared_linear", "offset_bases": [[0, 1], [1, 0]], "block_bases": [],
                     "alignment": 16}
    changes = [
        (blocked, {"order": [0, 0]}), (blocked, {"order": [0]}), (blocked, {"order": [1, 2]}),
        (blocked, {"threads_per_warp": [4]}), (blocked, {"warps_per_cta": [4, 1, 1]}),
        (blocked, {"size_per_thread": [3, 4]}), (blocked, {"threads_per_warp": [3, 8]}),
        (blocked, {"size_per_thread": [0, 4]}), (blocked, {"size_per_thread": []}),
        (mma, {"version": [4, 0]}), (mma, {"version": [1, 0]}), (mma, {"instr_shape": [16, 16]}),
        (mma, {"warps_per_cta": [3, 1]}), (mma3, {"warps_per_cta": [2, 2]}),
        (mma3, {"instr_shape": [16, 64]}),
        (mfma, {"version": 0}), (mfma, {"version": 5}), (mfma, {"instr_shape": [8, 8, 8]}),
        (mfma, {"element_bitwidth": 16}), (mfma, {"instr_shape": [32, 32]}),
        (wmma, {"version": 0}), (wmma, {"version": 4}), (wmma, {"instr_shape": [16, 16, 32]}),
        (wmma, {"version": 2, "instr_shape": [32, 16, 16]}),
        (padded, {"interval_padding_pairs": []}), (padded, {"interval_padding_pairs": [[3, 1]]}),
        (padded, {"interval_padding_pairs": [[4, 3]]}), (padded, {"interval_padding_pairs": [[4]]}),
        (padded, {"interval_padding_pairs": [[4, 1], [4, 2]]}), (padded, {"order": [0]}),
        (padded, {"shape": [], "order": []}), (padded, {"shape": [6, 4]}),
        (nvmma, {"swizzle_byte_width": 16}), (nvmma, {"element_bitwidth": 4}),
        (nvmma, {"fp4_padded": True}), (nvmma, {"swizzle_byte_width": 64, "fp4_padded": True, "element_bitwidth": 8}),
        (swizzled, {"order": [1, 1]}), (swizzled, {"order": []}), (swizzled, {"vec": 3}),
        (swizzled, {"max_phase": 0}),
        (linear, {"lane_bases": [[0, 2], [0, 4], [1, 0], [2, 0]]}), (linear, {"reg_bases": [[0, 3]]}),
        (linear, {"reg_bases": [[1, 1]]}), (linear, {"reg_bases": [[0, 1, 0]]}),
        (linear, {"reg_bases": [[0, 2]]}), (linear, {"shape": [8, 4]}),
        (shared_linear, {"offset_bases": []}), (shared_linear, {"alignment": 3}),
        (shared_linear, {"offset_bases": [[0, 1], [0, 1]]}), (shared_linear, {"offset_bases": [[0, 1], [0]]}),
        (shared_linear, {"offset_bases": [[0, 2]]}),
    ]
    specs = [dict(base, **change) for base, change in changes]
    specs += [{"kind": "slice", "dim": 2, "parent": blocked},
              {"kind": "dot_op", "operand_index": 2, "parent": mma, "k_width": 2},
              {"kind": "dot_op", "operand_index": 0, "parent": mma, "k_width": 0},
              {"kind": "dot_op", "operand_index": 1, "parent": mma3, "k_width": 2},
              {"kind": "dot_op", "operand_index": 0, "parent": blocked, "k_width": 2},
              {"kind": "dot_op", "operand_index": 0, "parent": wmma, "k_width": 4},
              {"kind": "dot_op", "operand_index": 0, "parent": mfma, "k_width": 0},
              {"kind": "auto"}]
    return [{"spec": spec, "shape": spec.get("shape", [64, 64]), "wrong": True} for spec in specs]


TARGETS = {"sm_90": ("cuda", 90, 32), "gfx942": ("hip", "gfx942", 64),
           "gfx1100": ("hip", "gfx1100", 32), "gfx1201": ("hip", "gfx1201", 32)}
TYPES = {"f16": 16, "f32": 32, "f8E5M2": 8}


def conversion_cases():
    rng = random.Random(SEED + 2)
    cases = []

    def draw(target, kind, warps, shape, bits):
        lanes = TARGETS[target][2]
        if kind == "blocked":
            return draw_blocked(rng, len(shape), lanes, warps, cga=False)
        if kind == "linear":
            return draw_linear(rng, shape, lanes, warps)
        if kind == "slice":
            dim = rng.randint(0, 1)
            parent = draw_blocked(rng, 2, lanes, warps, cga=False) if rng.random() < 0.5 else draw(
                target, "mma", warps, [16, 16], bits)
            return {"kind": "slice", "dim": dim, "parent": parent}
        if target == "sm_90":
            parent = draw_mma(rng, None, warps, cga=False)
        elif target == "gfx942":
            parent = dict(draw_mfma(rng, warps, cga=False), version=3, tiles_per_warp=[1, 1],
                          element_bitwidth=32)
            parent["instr_shape"] = rng.choice([[32, 32, 8], [16, 16, 16]])
        else:
            parent = draw_wmma(rng, 1 if target == "gfx1100" else 2, warps, cga=False)
            parent["tiles_per_warp"] = [1, 1]
        if kind == "mma":
            return parent
        return draw_dot(rng, parent, bits)

    pairs = list(itertools.product(["blocked", "mma", "dot_op", "linear"], repeat=2))
    counts = {"sm_90": 1500, "gfx942": 260, "gfx1100": 260, "gfx1201": 200}
    for target, count in counts.items():
        for i in range(count):
            warps = rng.choice([1, 2, 4, 8])
            name = rng.choice(list(TYPES))
            bits = TYPES[name]
            if i % 10 == 9:  # one axis: what is left of a tile after a reduction
                shape = [rng.choice([16, 32, 64, 128, 256, 512])]
                kinds = rng.choice([("slice", "slice"), ("slice", "blocked"), ("blocked", "slice"),
                                    ("blocked", "blocked")])
            else:
                shape = [rng.choice([16, 32, 64, 128]), rng.choice([16, 32, 64, 128])]
                kinds = pairs[i % len(pairs)]
            while math.prod(shape) // (warps * TARGETS[target][2]) > 64:
                shape[rng.randrange(len(shape))] //= 2
            shape = [max(s, 16) for s in shape]
            source = draw(target, kinds[0], warps, shape, bits)
            destination = draw(target, kinds[1], warps, shape, bits)
            if i % 25 == 24:
                destination = source  # what a kernel without a conversion costs
            cases.append({"target": target, "warps": warps, "type": name, "shape": shape,
                          "source": source, "destination": destination})
    rng.shuffle(cases)
    return cases
