#!/usr/bin/env python3
"""Records what Triton answers about layouts and conversions, for tests/interop and tests/plan.

    python3 tests/interop/record_triton.py OUT [--jobs 16] [--seconds 150] [--only layouts|conversions]

writes OUT/triton_layouts.json.gz and OUT/triton_conversions.json.gz, from a fixed seed:

layouts      random layouts of every kind, each with a shape: what Gluon's class mangles to, how
             Triton prints the attribute, the bases of its linear layout, and its two views where
             the shape is small and this Triton has them; and what it says of wrong ones.
conversions  kernels that load a tile in one layout, convert it and store it, compiled to PTX or
             AMD assembly: bytes of shared memory and how often each instruction that moves data
             between lanes occurs.

Triton asserts on some inputs, which ends the process. So every case runs in a child: what a child
did not finish is recorded as a crash, and another child goes on behind it.
"""
import argparse
import collections
import datetime
import gzip
import inspect
import itertools
import json
import math
import os
import platform
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

SEED = 20261121


# ------------------------------------------------------------------------------ drawing cases
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
    if kind == "swizzled_shared":
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
        add(draw_shared(rng, "nvmma_shared", rank), draw_shape(rng, rank, 8, 256 if rank == 2 else 64))
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


# ------------------------------------------------------------------------------ asking Triton
class Triton:
    """Triton's modules, and its layouts from specs whatever this release calls the fields."""

    def __init__(self):
        import triton
        import triton.experimental.gluon.language as language
        from triton._C import libtriton
        self.version = triton.__version__
        self.libtriton = libtriton
        self.ir = libtriton.ir
        self.language = language
        self.layouts = __import__("triton.experimental.gluon.language._layouts", fromlist=["x"])
        try:
            self.amd = __import__("triton.experimental.gluon.language.amd._layouts", fromlist=["x"])
        except ImportError:
            self.amd = language.amd
        self.linear_layout = None
        for name in dir(libtriton):
            module = getattr(libtriton, name)
            if hasattr(module, "LinearLayout"):
                self.linear_layout = module.LinearLayout
        self.classes = {}
        for kind, name in {"blocked": "BlockedLayout", "slice": "SliceLayout", "dot_op": "DotOperandLayout",
                           "nvidia_mma": "NVMMADistributedLayout", "amd_mfma": "AMDMFMALayout",
                           "amd_wmma": "AMDWMMALayout", "linear": "DistributedLinearLayout",
                           "swizzled_shared": "SwizzledSharedLayout", "nvmma_shared": "NVMMASharedLayout",
                           "shared_linear": "SharedLinearLayout", "padded_shared": "PaddedSharedLayout",
                           "auto": "AutoLayout"}.items():
            self.classes[kind] = getattr(self.layouts, name, None) or getattr(self.amd, name, None)

    def builder(self):
        context = self.ir.context()
        self.ir.load_dialects(context)
        builder = self.libtriton.gluon_ir.GluonOpBuilder(context)
        self.keep = (context, builder)
        try:
            builder.set_loc(builder.create_loc("layout", 0, 0)) if hasattr(builder, "create_loc") else None
        except Exception:
            pass
        return builder

    def fields(self, kind):
        return list(inspect.signature(self.classes[kind]).parameters)

    def make(self, spec):
        kind = spec["kind"]
        fields = self.fields(kind)
        given = {k: v for k, v in spec.items() if k in fields}
        if "parent" in spec:
            given["parent"] = self.make(spec["parent"])
        cga = spec.get("cga")
        rank = spec.get("rank") or len(spec.get("order") or spec.get("warps_per_cta") or [])
        if cga is not None:
            if "cga_layout" in fields:
                given["cga_layout"] = bases_of(cga, rank)
            else:
                given.update({k: v for k, v in cga.items() if k in fields})
        if kind == "padded_shared":
            return self.classes[kind].with_identity_for(spec["interval_padding_pairs"], spec["shape"],
                                                        spec["order"])
        if kind == "amd_wmma" and "warp_bases" in fields:
            given.update(wmma_bases(spec))
        if kind == "amd_mfma" and "tiles_per_warp" not in fields:
            given.pop("tiles_per_warp", None)
        try:
            return self.classes[kind](**given)
        except AssertionError:
            if kind == "amd_mfma" and len(given.get("instr_shape", [])) == 3 and not spec.get("strict"):
                return self.classes[kind](**dict(given, instr_shape=given["instr_shape"][:2]))
            raise


def wmma_bases(spec):
    """warps_per_cta and tiles_per_warp as the bases of newer releases: tiles first, n before m."""
    tiles, warps = spec["tiles_per_warp"], spec["warps_per_cta"]
    moved = [1, 1]
    registers, warp_bases = [], []
    for dim in (1, 0):
        for _ in range(int(math.log2(tiles[dim]))):
            registers.append([moved[0] if dim == 0 else 0, moved[1] if dim == 1 else 0])
            moved[dim] *= 2
    for dim in (1, 0):
        for _ in range(int(math.log2(warps[dim]))):
            warp_bases.append([moved[0] if dim == 0 else 0, moved[1] if dim == 1 else 0])
            moved[dim] *= 2
    return {"warp_bases": warp_bases, "reg_bases": registers}


def plain(value):
    """A layout's fields as JSON."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if value is None or isinstance(value, (int, str, bool, float)):
        return value
    if hasattr(value, "__dataclass_fields__"):
        return {"class": type(value).__name__,
                **{k: plain(getattr(value, k)) for k in value.__dataclass_fields__}}
    return str(value)


def said(error):
    return f"{type(error).__name__}: {error}"[:400]


SHARED = {"swizzled_shared", "nvmma_shared", "shared_linear", "padded_shared"}


def answer_layout(triton, case):
    spec, shape = case["spec"], case["shape"]
    result = {}
    try:
        layout = triton.make(spec)
    except BaseException as error:
        return {"make_error": said(error)}
    result["fields"] = plain(layout)
    try:
        result["mangle"] = layout.mangle()
    except BaseException as error:
        result["mangle_error"] = said(error)
    builder = triton.builder()
    try:
        attribute = layout._to_ir(builder)
    except BaseException as error:
        result["ir_error"] = said(error)
        return result
    try:
        half = builder.get_half_ty()
        if spec["kind"] in SHARED:
            kind = builder.get_shared_mem_desc_ty(half, shape, attribute, shape)
        else:
            kind = builder.get_distributed_ty(half, shape, attribute)
        result["text"] = str(kind)
    except BaseException as error:
        result["type_error"] = said(error)
    if spec["kind"] == "padded_shared":
        return result  # a map and padding: no linear layout
    try:
        linear = builder.to_linear_layout(attribute, shape)
        result["linear"] = {k: v for k, v in plain(linear).items() if k != "class"}
    except BaseException as error:
        result["linear_error"] = said(error)
        return result
    if triton.linear_layout is not None and math.prod(shape) <= 128 and not case.get("wrong"):
        names = {"reg_bases": "register", "lane_bases": "lane", "warp_bases": "warp",
                 "block_bases": "block", "offset_bases": "offset"}
        order = ["offset", "register", "lane", "warp", "block"]
        bases = sorted(((names[k], v) for k, v in result["linear"].items() if k in names),
                       key=lambda pair: order.index(pair[0]))
        if sum(len(v) for _, v in bases) <= 9:
            result.update(views(triton, bases, shape))
    return result


def views(triton, bases, shape):
    try:
        names = [f"dim{i}" for i in range(len(shape))]
        layout = triton.linear_layout.from_bases(bases, names, shape, True)
        shared = bases[0][0] == "offset"
        view = layout.get_shared_view if shared else layout.get_distributed_view
        return {"tensor_view": view(False), "hardware_view": view(True)}
    except BaseException as error:
        return {"view_error": said(error)}


def answer_raw_view(triton, case):
    return views(triton, list(case["raw"].items()), case["shape"])


# ------------------------------------------------------------------------------ conversions
def layout_text(type_text):
    """The encoding of `tensor<16x16xf16, #ttg.…>`."""
    return type_text[type_text.index(",") + 1:-1].strip()


def pointers(name, pointer, layout, shape, element):
    """Lines that make the tile's pointers in a layout; the last value is %{name}p."""
    def tensor(sizes, kind, encoding=layout):
        return f"tensor<{'x'.join(map(str, sizes))}x{kind}, {encoding}>"
    lines = []
    if len(shape) == 1:
        lines.append(f"%{name}o = tt.make_range {{start = 0 : i32, end = {shape[0]} : i32}} : {tensor(shape, 'i32')}")
    else:
        parts = []
        for dim in (0, 1):
            other = 1 - dim
            part = f"#ttg.slice<{{dim = {other}, parent = {layout}}}>"
            column = [shape[0], 1] if dim == 0 else [1, shape[1]]
            vector = tensor([shape[dim]], "i32", part)
            value = f"%{name}{dim}"
            lines.append(f"{value}r = tt.make_range {{start = 0 : i32, end = {shape[dim]} : i32}} : {vector}")
            lines.append(f"{value}e = tt.expand_dims {value}r {{axis = {other} : i32}} : {vector} -> {tensor(column, 'i32')}")
            if dim == 0:
                lines.append(f"{value}c = arith.constant dense<{shape[1]}> : {tensor(column, 'i32')}")
                lines.append(f"{value}m = arith.muli {value}e, {value}c : {tensor(column, 'i32')}")
                value += "m"
            else:
                value += "e"
            lines.append(f"%{name}{dim}b = tt.broadcast {value} : {tensor(column, 'i32')} -> {tensor(shape, 'i32')}")
            parts.append(f"%{name}{dim}b")
        lines.append(f"%{name}o = arith.addi {parts[0]}, {parts[1]} : {tensor(shape, 'i32')}")
    pointer_type = f"!tt.ptr<{element}>"
    lines.append(f"%{name}s = tt.splat {pointer} : {pointer_type} -> {tensor(shape, pointer_type)}")
    lines.append(f"%{name}p = tt.addptr %{name}s, %{name}o : {tensor(shape, pointer_type)}, {tensor(shape, 'i32')}")
    return lines


def kernel_text(case, source, destination):
    target, arch, lanes = TARGETS[case["target"]]
    element, shape = case["type"], case["shape"]
    sizes = "x".join(map(str, shape))
    body = pointers("a", "%source", source, shape, element)
    body += [f"%v = tt.load %ap : tensor<{sizes}x!tt.ptr<{element}>, {source}>",
             f"%w = ttg.convert_layout %v : tensor<{sizes}x{element}, {source}> -> tensor<{sizes}x{element}, {destination}>"]
    body += pointers("b", "%destination", destination, shape, element)
    body += [f"tt.store %bp, %w : tensor<{sizes}x!tt.ptr<{element}>, {destination}>", "tt.return"]
    lines = "\n    ".join(body)
    argument = f"!tt.ptr<{element}> {{tt.divisibility = 16 : i32}}"
    return f"""module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {case['warps']} : i32, ttg.target = "{target}:{arch}", "ttg.threads-per-warp" = {lanes} : i32}} {{
  tt.func public @convert(%source: {argument}, %destination: {argument}) attributes {{noinline = false}} {{
    {lines}
  }}
}}
"""


def compile_text(triton_module, text, target, warps):
    """The assembly and Triton's metadata; stage by stage, so that no assembler runs."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend
    ir = triton_module.ir
    with tempfile.NamedTemporaryFile("w", suffix=".ttgir", delete=False) as file:
        file.write(text)
    try:
        backend = make_backend(GPUTarget(*target))
        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        module = ir.parse_mlir_module(file.name, context)
        module.context = context
        options = backend.parse_options({"num_warps": warps})
        metadata = {"target": GPUTarget(*target), **options.__dict__}
        stages = {}
        try:
            from triton.backends.compiler import Language
            backend.add_stages(stages, options, Language.TRITON)
        except (ImportError, TypeError):
            backend.add_stages(stages, options)
        names = list(stages)
        for name in names[names.index("ttgir") + 1:]:
            module = stages[name](module, metadata)
            if name in ("ptx", "amdgcn"):
                break
        return str(module), metadata
    finally:
        os.unlink(file.name)


PTX = re.compile(r"^\s*(?:@!?%p\d+\s+)?((?:shfl|prmt|ld\.shared|st\.shared|ldmatrix|stmatrix|movmatrix|bar|barrier"
                 r"|selp|shf|ld\.global|st\.global)[\w.:]*)", re.M)
GCN = re.compile(r"^\s*((?:ds_|v_permlane|v_perm_|v_mov_b32_dpp|v_cndmask|v_alignb|s_barrier|v_swap|buffer_|global_)"
                 r"\w*)(.*)$", re.M)


def counts(text, target):
    found = collections.Counter()
    if target[0] == "cuda":
        for match in PTX.finditer(text):
            found[match.group(1)] += 1
    else:
        for match in GCN.finditer(text):
            found[match.group(1)] += 1
        found["dpp"] += len(re.findall(r"(?:quad_perm|row_\w+):", text))
    return dict(sorted(found.items()))


def answer_conversion(triton, case):
    result = {}
    builder = triton.builder()
    texts = []
    for side in ("source", "destination"):
        try:
            layout = triton.make(case[side])
            attribute = layout._to_ir(builder)
            kind = builder.get_distributed_ty(builder.get_half_ty(), case["shape"], attribute)
            texts.append(layout_text(str(kind)))
            result[side + "_text"] = texts[-1]
        except BaseException as error:
            return {**result, "error": side + ": " + said(error)}
        try:
            linear = plain(builder.to_linear_layout(attribute, case["shape"]))
            result[side + "_linear"] = {k: v for k, v in linear.items() if k.endswith("bases") or k == "shape"}
        except BaseException as error:
            result[side + "_linear_error"] = said(error)
    try:
        text = kernel_text(case, *texts)
        assembly, metadata = compile_text(triton, text, TARGETS[case["target"]], case["warps"])
        result["shared"] = metadata.get("shared")
        result["instructions"] = counts(assembly, TARGETS[case["target"]])
    except BaseException as error:
        result["error"] = said(error)
    return result


# ------------------------------------------------------------------------------ children
def run_cases(triton, cases, answer, jobs, deadline, folder, case_seconds):
    """The answers by case number; a case that ends its child is answered {"crash": …}."""
    answers = {}
    state = {}

    def spawn(child, begin):
        path = os.path.join(folder, f"{answer.__name__}_{child}_{begin}")
        pid = os.fork()
        if pid:
            state[pid] = (child, begin, path)
            return
        log = os.open(path + ".log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 2)
        os.dup2(log, 1)
        with open(path, "w") as out:
            for number in range(begin, len(cases), jobs):
                if time.time() > deadline:
                    break
                signal.alarm(case_seconds)
                out.write(f"start {number}\n")
                out.flush()
                result = answer(triton, cases[number])
                out.write(f"done {number} {json.dumps(result)}\n")
                out.flush()
        os._exit(0)

    for child in range(jobs):
        spawn(child, child)
    while state:
        pid, status = os.wait()
        if pid not in state:
            continue
        child, begin, path = state.pop(pid)
        started = None
        with open(path) as lines:
            for line in lines:
                word, number, *rest = line.rstrip("\n").split(" ", 2)
                if word == "start":
                    started = int(number)
                else:
                    answers[int(number)] = json.loads(rest[0])
                    started = None
        if status != 0 and started is not None:
            with open(path + ".log", errors="replace") as log:
                tail = [line for line in log.read().splitlines() if re.search("ssert|rror|nreachable|LLVM", line)]
            answers[started] = {"crash": status & 127, "log": " | ".join(tail[-2:])[-300:]}
            if time.time() < deadline:
                spawn(child, started + jobs)
    return answers


def save(path, header, cases, answers):
    rows = [{**cases[i], **answers[i]} for i in sorted(answers)]
    with gzip.open(path, "wt", compresslevel=9) as file:
        json.dump({**header, "seed": SEED, "cases": rows}, file, separators=(",", ":"))
    summary = collections.Counter()
    for row in rows:
        kind = row.get("target") or row.get("spec", {}).get("kind", "raw")
        state = next((k for k in ("crash", "error", "make_error", "ir_error", "type_error", "linear_error",
                                  "view_error") if k in row), "ok")
        summary[f"{kind} {state}"] += 1
    print(path, os.path.getsize(path), "bytes,", len(rows), "of", len(cases), "cases", flush=True)
    for key in sorted(summary):
        print("   ", key, summary[key])
    examples = {}
    for row in rows:
        for key in ("crash", "error", "make_error", "ir_error", "type_error", "linear_error", "view_error"):
            if key in row:
                text = str(row.get("log") or row[key])
                examples.setdefault(re.sub(r"\d+", "N", text)[:90], text)
    for text in list(examples.values())[:40]:
        print("    !", text[:300])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--only", choices=["layouts", "conversions"])
    arguments = parser.parse_args()
    begin = time.time()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["LLVM_DISABLE_SYMBOLIZATION"] = "1"
    triton = Triton()
    driver = subprocess.run("nvidia-smi --query-gpu=name,driver_version --format=csv,noheader", shell=True,
                            capture_output=True, text=True).stdout.strip()
    header = {"date": datetime.date.today().isoformat(), "triton": triton.version, "driver": driver,
              "python": platform.python_version()}
    print(header)
    print("linear layout:", triton.linear_layout, [n for n in dir(triton.linear_layout) if n[0] != "_"])
    print("builder:", [n for n in dir(triton.libtriton.gluon_ir.GluonOpBuilder) if "layout" in n or "_ty" in n])
    for kind, cls in triton.classes.items():
        print("class", kind, triton.fields(kind) if cls else "missing")
    print("imported after", round(time.time() - begin, 1), "s", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        end = begin + arguments.seconds
        if arguments.only != "conversions":
            cases = wrong_cases() + layout_cases()
            answers = run_cases(triton, cases, answer_layout, arguments.jobs,
                                begin + arguments.seconds * 0.4, folder, 10)
            raw = raw_view_cases()
            more = run_cases(triton, raw, answer_raw_view, arguments.jobs,
                             begin + arguments.seconds * 0.45, folder, 10)
            answers.update({len(cases) + i: a for i, a in more.items()})
            save(os.path.join(arguments.out, "triton_layouts.json.gz"), header, cases + raw, answers)
            print("layouts after", round(time.time() - begin, 1), "s", flush=True)
        if arguments.only != "layouts":
            cases = conversion_cases()
            answers = run_cases(triton, cases, answer_conversion, arguments.jobs, end, folder, 30)
            save(os.path.join(arguments.out, "triton_conversions.json.gz"), header, cases, answers)
            print("conversions after", round(time.time() - begin, 1), "s", flush=True)


if __name__ == "__main__":
    main()
