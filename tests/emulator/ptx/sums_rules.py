#!/usr/bin/env python3
"""The rules by which Hopper's matrix instructions sum, in integers, against what was recorded.

  sums_rules.py RECORD [TEXT [EXAMPLES]]   each block of a record of record_sums.py; TEXT selects
                                           instructions; of each kind that differs EXAMPLES sums are
                                           shown, with their operands
  sums_rules.py RECORD --table             the same as a table of Markdown, one row for each rule
  sums_rules.py RECORD --others            a table of how much differs by rules that are not the right
                                           ones: it tells what the record determines
  sums_rules.py kernels RECORD             the products by mma.sync of tests/data/nvidia_ptx.json.gz,
                                           which record.py wrote

It draws the operands of a record again, computes D by the rule of each instruction, and compares the
hashes. Behind a kind that differs stands how many sums of the sample do. GROUPS names the rules.

Where one sum alone of a block differs, the hashes tell which, and what was recorded: they are sums of
mix(value + place), mix can be inverted, and only the right place gives a value of so few bits.
"""
import base64
import collections
import ctypes
import dataclasses
import functools
import gzip
import json
import multiprocessing
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import record_sums
from drawn_sums import FORMATS, INTEGERS, STEP, Sums, hash_of, mix, width


@dataclasses.dataclass
class Numbers:
    """Floats as (-1)^negative * significand * 2^(exponent - fraction)."""
    negative: np.ndarray
    exponent: np.ndarray
    significand: np.ndarray
    infinite: np.ndarray
    nan: np.ndarray
    fraction: int  # bits of the significand after the point

    @property
    def zero(self):
        return self.significand == 0


def decoded(f, bits):
    bits = bits.astype(np.uint64)
    negative = (bits >> np.uint64(f.bits - 1) & np.uint64(1)).astype(bool)
    field = (bits >> np.uint64(f.fraction)).astype(np.int64) & f.ones
    fraction = (bits & np.uint64((1 << f.fraction) - 1)).astype(np.int64) >> f.fraction - f.counted
    ones = (1 << f.counted) - 1
    special = field == f.ones
    nan = special & ((fraction != 0) if f.infinity else (fraction == ones))
    infinite = special & (fraction == 0) if f.infinity else np.zeros_like(nan)
    unusable = nan | infinite
    significand = np.where(unusable, 0, np.where(field > 0, fraction | 1 << f.counted, fraction))
    return Numbers(negative, np.where(unusable, -10000, np.maximum(field, 1) - f.bias), significand, infinite, nan,
                   f.counted)


def encoded(f, total, quantum, nearest, kept_fraction=None):
    """Bits of total * 2^quantum: cut off or to the nearest even. `kept_fraction` cuts off more. What
    becomes zero is +0."""
    negative = total < 0
    size = np.abs(total)
    top = np.frexp(size.astype(np.float64))[1].astype(np.int64) - 1 + quantum  # sizes are below 2^53
    if kept_fraction is not None:
        cut = np.clip(top - kept_fraction - quantum, 0, 62)
        size = size >> cut << cut
    lowest = 1 - f.bias - f.fraction
    unit = np.maximum(top - f.fraction, lowest)
    shift = unit - quantum
    right, left = np.clip(shift, 0, 62), np.clip(-shift, 0, 62)
    kept = size >> right << left
    if nearest:
        rest, half = size - (size >> right << right), np.int64(1) << np.maximum(right - 1, 0)
        up = (right > 0) & ((rest > half) | (rest == half) & (kept & 1 == 1))
        kept = kept + up
    bits = np.minimum((unit - lowest << f.fraction) + kept, f.ones << f.fraction)
    bits = np.where(size == 0, 0, bits)
    return bits.astype(np.uint64) | (negative & (bits != 0)).astype(np.uint64) << np.uint64(f.bits - 1)


NOWHERE = -10000  # an exponent that aligns nothing


def normalised(x):
    """The same numbers, with a one before the point of all that are not zero."""
    missing = np.where(x.zero, 0, x.fraction + 1 - np.frexp(x.significand.astype(np.float64))[1])
    return dataclasses.replace(x, significand=x.significand << missing, exponent=x.exponent - missing)


@dataclasses.dataclass
class Fused:
    """All products of an instruction and C in one sum of integers.

    - Products are exact. The exponent of a product is the sum of its operands' exponents as they are
      encoded: it is not normalised, and a subnormal operand has the exponent of the least normal number.
    - All are aligned to the largest exponent of those that are not zero, and at least to `floor`: zeros,
      of products and of C, align nothing.
    - Each is cut off towards zero to `bits` fraction bits below that exponent.
    - The sum is cut off towards zero to the format of D, or rounded to `nearest`, even of ties;
      subnormal results stay, too large ones become infinity, and zero is always +0.
    - A NaN operand, 0 * infinity and infinities of both signs give the NaN of ones after the sign.

    The fields from `zeros_align` on are rules that Hopper does not have, for `--others`."""
    bits: int = 25
    floor: int = -133
    kept_fraction: int = None  # of the result
    nearest: bool = False
    zeros_align: bool = False
    zero_c_aligns: bool = False
    normalises: bool = False  # subnormal operands
    cuts_down: bool = False  # each term towards minus infinity
    signed_zeros: bool = False  # -0 if everything is, or if a negative sum becomes zero
    flushes: bool = False  # subnormal results

    def sum(self, fa, fb, fc, a, b, c):
        """a, b [case][m or n][k], c [case][m][n] as bits."""
        a, b, c = decoded(fa, a), decoded(fb, b), decoded(fc, c)
        if self.normalises:
            a, b = normalised(a), normalised(b)
        x = lambda array: array[:, :, None, :]
        y = lambda array: array[:, None, :, :]
        product = x(a.significand) * y(b.significand)
        exponent = x(a.exponent) + y(b.exponent)
        negative = x(a.negative) ^ y(b.negative)
        aligning = np.where((product == 0) & (not self.zeros_align), NOWHERE, exponent)
        aligning_c = np.where(c.zero & (not self.zero_c_aligns), NOWHERE, c.exponent)
        largest = np.maximum(np.maximum(aligning.max(-1), aligning_c), self.floor)
        fraction = a.fraction + b.fraction
        total = self.aligned(product, largest[..., None] - exponent, fraction, negative).sum(-1)
        total = total + self.aligned(c.significand, largest - c.exponent, c.fraction, c.negative)
        bits = encoded(fc, total, largest - self.bits, self.nearest, self.kept_fraction)
        if self.signed_zeros:
            is_negative = np.where(total == 0, negative.all(-1) & c.negative, total < 0)
            bits = np.where((bits == 0) & is_negative, np.uint64(fc.sign), bits)
        if self.flushes:
            bits = np.where(bits & np.uint64(fc.ones << fc.fraction) == 0, np.uint64(0), bits)
        return self.specials(bits, fc, a, b, c, negative)

    def aligned(self, significand, shift, fraction, negative):
        up = max(0, self.bits - fraction)
        right = np.clip(shift + (fraction + up - self.bits), 0, 62)
        if self.cuts_down:
            return np.where(negative, -significand, significand) << up >> right
        cut = significand << up >> right
        return np.where(negative, -cut, cut)

    @staticmethod
    def specials(bits, fc, a, b, c, negative):
        x = lambda array: array[:, :, None, :]
        y = lambda array: array[:, None, :, :]
        if not (a.infinite.any() or b.infinite.any() or c.infinite.any() or a.nan.any() or b.nan.any() or c.nan.any()):
            return bits
        a_zero, b_zero = a.zero & ~a.infinite & ~a.nan, b.zero & ~b.infinite & ~b.nan
        nan = x(a.nan) | y(b.nan) | x(a.infinite) & y(b_zero) | x(a_zero) & y(b.infinite)
        infinite = (x(a.infinite) | y(b.infinite)) & ~nan
        up = (infinite & ~negative).any(-1) | c.infinite & ~c.negative
        down = (infinite & negative).any(-1) | c.infinite & c.negative
        is_nan = nan.any(-1) | c.nan | up & down
        infinity = np.uint64(fc.ones << fc.fraction)
        bits = np.where(up, infinity, np.where(down, infinity | np.uint64(fc.sign), bits))
        return np.where(is_nan, np.uint64(fc.sign - 1), bits)


def as_f16(f, bits):
    """Eight-bit floats as bits of f16, which has all of them."""
    x = decoded(f, np.arange(256, dtype=np.uint64))
    value = np.where(x.negative, -1.0, 1.0) * np.ldexp(x.significand.astype(np.float64), x.exponent - x.fraction)
    value = np.where(x.infinite, np.where(x.negative, -np.inf, np.inf), np.where(x.nan, np.nan, value))
    return value.astype(np.float16).view(np.uint16).astype(np.uint64)[bits.astype(np.int64)]


def floats(f, bits):
    """Of f32 and f16 as f32, which is exact."""
    return bits.astype(np.uint32).view(np.float32) if f.bits == 32 else \
        bits.astype(np.uint16).view(np.float16).astype(np.float32)


def rounded(f, numbers):
    """Bits of f32 numbers as f32 or f16; a NaN is the one of ones after the sign."""
    with np.errstate(all="ignore"):
        bits = numbers.view(np.uint32) if f.bits == 32 else numbers.astype(np.float16).view(np.uint16)
    return np.where(np.isnan(numbers), np.uint64(f.sign - 1), bits.astype(np.uint64))


@dataclasses.dataclass
class Halves:
    """Eight-bit floats by mma.sync, which Hopper computes as f16.

    - Elements become f16, exactly: subnormal ones of e4m3 become normal numbers.
    - Those whose k is 0 or 1 modulo 4 (of a sparse A among the elements it keeps) are a fused sum with
      C = 0 and D's format, of at most 16; those whose k is 2 or 3 modulo 4 are a second one onto it.
    - C is added at the end in D's format, to nearest."""
    converts: bool = True
    first: tuple = (0, 1)  # modulo 4
    begins_with_c: bool = False

    def sum(self, fa, fb, fc, a, b, c):
        if self.converts:
            a, b, fa, fb = as_f16(fa, a), as_f16(fb, b), FORMATS["f16"], FORMATS["f16"]
        inner = Fused(nearest=fc.bits == 16)
        is_first = np.isin(np.arange(a.shape[-1]) % 4, self.first)
        total = c if self.begins_with_c else np.zeros(c.shape, np.uint64)
        for chosen in (is_first, ~is_first):
            total = inner.sum(fa, fb, fc, a[..., chosen], b[..., chosen], total)
        if self.begins_with_c:
            return total
        # Sums of f16 in f32 are exact or round as the exact sum does.
        with np.errstate(all="ignore"):
            return rounded(fc, floats(fc, total) + floats(fc, c))


@dataclasses.dataclass
class Quads:
    """m8n8k4, which Hopper computes by multiply-adds of f32, each to nearest.

    - f32: from +0 on one for each k in rising order; then C is added.
    - f16: C + (p0 + p1) + (p2 + p3) in f32, products p exact, and the last sum rounded to f16. Here a
      sum of negative zeros stays -0."""
    as_a_chain: bool = False  # both from C on

    def sum(self, fa, fb, fc, a, b, c):
        x, y, c = floats(fa, a)[:, :, None], floats(fb, b)[:, None], floats(fc, c)
        with np.errstate(all="ignore"):
            p = x * y  # exact
            if fc.bits == 16 and not self.as_a_chain:
                return rounded(fc, c + (p[..., 0] + p[..., 1]) + (p[..., 2] + p[..., 3]))
            total = c if self.as_a_chain else np.zeros_like(c)
            for k in range(4):
                total = total + p[..., k]
            return rounded(fc, total if self.as_a_chain else total + c)


@dataclasses.dataclass
class Chain:
    """f64: a multiply-add for each k, in rising order, from C on. The NaN of a step is that of B, else
    that of what was summed up, else that of A, made quiet; of an invalid operation fff8000000000000."""
    order: str = "bca"  # of NaNs

    fma = ctypes.CDLL("libm.so.6").fma
    fma.restype, fma.argtypes = ctypes.c_double, [ctypes.c_double] * 3

    def sum(self, fa, fb, fc, a, b, c):
        quiet, invalid = np.uint64(1 << fc.fraction - 1), np.uint64(0x1fff << fc.fraction - 1)
        step = np.frompyfunc(self.fma, 3, 1)
        for k in range(a.shape[-1]):
            x, y = np.broadcast_arrays(a[:, :, None, k], b[:, None, :, k])
            operands = {"a": x.copy(), "b": y.copy(), "c": c}
            with np.errstate(all="ignore"):
                total = step(*(operands[name].view(np.float64) for name in "abc")).astype(np.float64)
            bits = np.where(np.isnan(total), invalid, total.view(np.uint64))
            for name in reversed(self.order):
                operand = operands[name]
                bits = np.where(np.isnan(operand.view(np.float64)), operand | quiet, bits)
            c = bits
        return c


class Exact:
    """Integers: exact, modulo 2^32 or with satfinite the nearest s32."""


@dataclasses.dataclass
class Group:
    """Instructions of one rule, which take the first group that has them. `others` are rules that are
    not theirs; those are compared with the instruction whose name has `example` in it."""
    title: str
    has: callable
    rule: object
    said: str
    example: str = ""
    others: dict = dataclasses.field(default_factory=dict)


def is_of(*types, c=None, warpgroup=None):
    """Whether an instruction has A of these types, and C and a kind as said."""
    return lambda i: i.a in types and c in (None, i.c) and warpgroup in (None, i.is_warpgroup)


def others_than(rule, **more):
    """Rules that differ from a fused one in one thing."""
    changes = {
        "%d fraction bits" % (rule.bits - 1): dict(bits=rule.bits - 1),
        "%d fraction bits" % (rule.bits + 1): dict(bits=rule.bits + 1),
        "products that are zero align": dict(zeros_align=True),
        "C = 0 aligns": dict(zero_c_aligns=True),
        "subnormal operands are normalised": dict(normalises=True),
        "terms are cut off towards minus infinity": dict(cuts_down=True),
        "zero has the sign of the sum": dict(signed_zeros=True),
        "subnormal D is flushed": dict(flushes=True),
    }
    if rule.kept_fraction is None:
        changes["D is cut off" if rule.nearest else "D is rounded to nearest"] = dict(nearest=not rule.nearest)
    return {text: dataclasses.replace(rule, **change) for text, change in (changes | more).items()}


EIGHT = "e4m3", "e5m2"
FLOORS = {"a floor of -132": dict(floor=-132), "a floor of -134": dict(floor=-134), "no floor": dict(floor=NOWHERE)}
F32, F16, EIGHT_F32, EIGHT_F16 = Fused(), Fused(nearest=True), Fused(13, kept_fraction=13), Fused(13, nearest=True)
GROUPS = [
    Group("integers and bits", lambda i: i.is_integer, None, "exact; modulo 2^32, or the nearest s32 by `satfinite`"),
    Group("f16 to f32 by m8n8k4", lambda i: (i.a, i.c, i.k) == ("f16", "f32", 4), Quads(),
          "from +0 on a multiply-add of f32 for each k in rising order, then C is added; each to nearest", "m8n8k4",
          {"a chain from C on": Quads(as_a_chain=True), "a fused sum": F32}),
    Group("f16 to f16 by m8n8k4", lambda i: (i.a, i.c, i.k) == ("f16", "f16", 4), Quads(),
          "C + (p0 + p1) + (p2 + p3) in f32, each to nearest, then to f16", "m8n8k4",
          {"a chain from C on": Quads(as_a_chain=True), "a fused sum": F16}),
    Group("f16 to f32", is_of("f16", c="f32"), F32,
          "fused, 25 fraction bits, cut off to f32", "mma.sync.aligned.m16n8k8", others_than(F32)),
    Group("bf16 to f32", is_of("bf16"), F32,
          "fused, 25 fraction bits below an exponent of at least -133, cut off to f32",
          "mma.sync.aligned.m16n8k8", others_than(F32, **FLOORS)),
    Group("tf32 to f32", is_of("tf32"), F32, "the same; the lowest 13 bits of A and B are not read",
          "mma.sync.aligned.m16n8k4", others_than(F32, **FLOORS)),
    Group("f16 to f16", is_of("f16"), F16, "fused, 25 fraction bits, rounded to f16",
          "mma.sync.aligned.m16n8k8", others_than(F16)),
    Group("fp8 to f32 by wgmma", is_of(*EIGHT, c="f32", warpgroup=True), EIGHT_F32,
          "fused, 13 fraction bits, cut off to 13 fraction bits of f32", "m64n64k32.f32.e5m2.e4m3",
          others_than(EIGHT_F32, **{"D is cut off to 23 fraction bits": dict(kept_fraction=None)})),
    Group("fp8 to f16 by wgmma", is_of(*EIGHT, c="f16", warpgroup=True), EIGHT_F16,
          "fused, 13 fraction bits, rounded to f16", "m64n64k32.f16.e5m2.e4m3", others_than(EIGHT_F16)),
    Group("fp8 by mma.sync", is_of(*EIGHT), Halves(),
          "as f16: from 0 on a fused sum of the k that are 0 or 1 modulo 4, onto it one of the others, each with "
          "25 fraction bits and D's format; then C is added to nearest", "m16n8k32.row.col.f32.e4m3.e5m2",
          {"fp8 is not converted to f16": Halves(converts=False), "even k first": Halves(first=(0, 2)),
           "k that are 2 or 3 modulo 4 first": Halves(first=(2, 3)), "beginning with C": Halves(begins_with_c=True),
           "a fused sum": F32}),
    Group("f64", is_of("f64"), Chain(), "a multiply-add for each k in rising order from C on; the NaN is that of B, "
          "else of the sum, else of A, made quiet; of an invalid operation fff8000000000000", "m16n8k16",
          {"NaNs in the order %s" % ", ".join(order.upper()): Chain(order)
           for order in ("abc", "acb", "bac", "cab", "cba")}),
]


def group_of(i):
    return next(group for group in GROUPS if group.has(i))


def sums_by(rule, i, drawn):
    """D of every case: [case][m][n]."""
    if i.a in INTEGERS:
        return record_sums.exact_sums(i, drawn)
    c = drawn.c
    for step in range(drawn.steps):
        c = rule.sum(FORMATS[i.a], FORMATS[i.b], FORMATS[i.c], drawn.a[:, step], drawn.b[:, step], c)
    return c


def read(path):
    with gzip.open(path, "rt") as file:
        return json.load(file)


def shown(i, drawn, number):
    """Operands of a sum."""
    case, m, n = number // (i.m * i.n), number // i.n % i.m, number % i.n
    digits = lambda element: max(1, width(element) // 4)
    text = ""
    for step in range(drawn.steps):
        pairs = zip(drawn.a[case, step, m], drawn.b[case, step, n])
        text += "\n    " + " ".join("%0*x*%0*x" % (digits(i.a), x, digits(i.b), y) for x, y in pairs)
    return "C %0*x%s" % (digits(i.c), drawn.c[case, m, n], text)


def unmixed(z):
    """The inverse of mix."""
    for shift, factor in ((31, 0x94d049bb133111eb), (27, 0xbf58476d1ce4e5b9), (30, 1)):
        z = z ^ z >> np.uint64(shift) ^ z >> np.uint64(2 * shift)
        z = z * np.uint64(pow(factor, -1, 1 << 64))
    return z


def lone_difference(bits, difference, d):
    """The place in a block and the recorded value, if a single sum explains the difference of hashes."""
    places = STEP * np.arange(1, len(d) + 1, dtype=np.uint64)
    values = unmixed(mix(d + places) + difference) - places
    found = np.flatnonzero(values >> np.uint64(bits) == 0) if bits < 64 else []
    return [(int(at), values[at]) for at in found] if len(found) == 1 else []


def compare(record, i, row, rule, examples):
    """Blocks and sums of the sample that differ, of one instruction and kind."""
    sums, block, bits = row["sums"], record["block"], width(i.c)
    drawn = Sums(i, row["kind"], sums)
    if ["%016x" % x for x in drawn.operands_hash()] != row["operands"]:
        sys.exit("%s, %s: the operands drawn here are not those of the record" % (i.name, row["kind"]))
    d = sums_by(rule, i, drawn).reshape(-1).astype(np.uint64)
    difference = np.array([int(x, 16) for x in row["hashes"]], np.uint64) - hash_of(d.reshape(-1, block))
    bad = np.flatnonzero(difference)
    sample = np.frombuffer(base64.b64decode(row["sample"]), "<u%d" % (bits // 8)).astype(np.uint64)
    at = np.arange(record["sample"])
    numbers = at * (sums // record["sample"]) + at % (sums // record["sample"])
    wrong = {int(n): x for n, x in zip(numbers, sample) if d[n] != x}
    found = dict(wrong)
    for b in bad:
        for place, value in lone_difference(bits, difference[b], d[b * block:(b + 1) * block]):
            found[int(b) * block + place] = value
    text = ["  %s, sum %d: recorded %x, by the rule %x; %s" % (
        row["kind"], number, value, d[number], shown(i, drawn, number))
            for number, value in list(found.items())[:examples]]
    return len(row["hashes"]), len(bad), "%s (%d of %d)" % (row["kind"], len(wrong), len(sample)), text


@functools.cache
def known():
    return {i.name: i for i in record_sums.instructions()}


def compare_instruction(record, examples, work):
    """Blocks that there are and that differ, and a text about them. `work` is a row of the record and
    the rule to compare it with."""
    row, rule = work
    i = known()[row["name"]]
    blocks, bad, differing, text = 0, 0, [], []
    for kind in row["kinds"]:
        count, wrong, said, shown_sums = compare(record, i, kind, rule, examples)
        blocks, bad, text = blocks + count, bad + wrong, text + shown_sums
        if wrong:
            differing.append(said)
    text.append("%-75s %3d of %3d blocks differ%s" % (i.name, bad, blocks, ": " + ", ".join(differing) if bad else ""))
    return blocks, bad, "\n".join(text)


def compared(record, works, examples=0):
    with multiprocessing.Pool() as pool:
        yield from pool.imap(functools.partial(compare_instruction, {**record, "instructions": None}, examples), works)


def compare_record(path, text, examples):
    record = read(path)
    works = [(row, group_of(known()[row["name"]]).rule) for row in record["instructions"] if text in row["name"]]
    all_blocks = all_bad = 0
    for blocks, bad, said in compared(record, works, examples):
        all_blocks, all_bad = all_blocks + blocks, all_bad + bad
        print(said, flush=True)
    print("%d of %d blocks differ" % (all_bad, all_blocks))
    return all_bad != 0


def table(path):
    record = read(path)
    groups = [group_of(known()[row["name"]]) for row in record["instructions"]]
    works = [(row, group.rule) for row, group in zip(record["instructions"], groups)]
    count = {group.title: np.zeros(4, int) for group in GROUPS}
    for (row, _), group, (blocks, bad, _) in zip(works, groups, compared(record, works)):
        count[group.title] += (1, sum(kind["sums"] for kind in row["kinds"]), blocks, bad)
    print("| operands | rule | instructions | sums | blocks | differ |\n| --- | --- | --: | --: | --: | --: |")
    for group in GROUPS:
        print("| %s | %s | %d | %d | %d | %d |" % (group.title, group.said, *count[group.title]))
    total = sum(count.values())
    print("| all | | %d | %d | %d | %d |" % tuple(total))
    return int(total[3] != 0)


def table_of_others(path):
    record = read(path)
    heads, works = [], []
    for group in GROUPS:
        rows = [row for row in record["instructions"]
                if group_of(known()[row["name"]]) is group and group.example in row["name"]]
        for text, rule in {"the rule itself": group.rule, **group.others}.items() if group.others else ():
            heads.append((group.title if text == "the rule itself" else "", text))
            works.append((rows[0], rule))
    print("| operands | instead | blocks that differ |\n| --- | --- | --: |")
    for (title, text), (row, _), (blocks, bad, _) in zip(heads, works, compared(record, works)):
        title += " (`%s`)" % row["name"] if title else ""
        print("| %s | %s | %d of %d |" % (title, text, bad, blocks), flush=True)


@dataclasses.dataclass
class Operands:
    """Those of a kernel that record.py wrote."""
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    steps: int = 1


def compare_kernels(path):
    """mma.sync of random operands, whose registers of 32 lanes follow each other."""
    recorded = read(path)
    total = collections.Counter()
    for case in recorded["cases"]:
        name, _, last = case["name"].rpartition(" ")
        if last not in ("random", "exact") or name not in known():
            continue
        i = known()[name]
        at = record_sums.Places(i)
        dtype = np.dtype("<u%d" % i.word_bytes)
        data = np.frombuffer(bytes.fromhex(recorded["inputs"][case["input"]]), dtype)
        pieces = np.split(data, np.cumsum([len(at.a), len(at.b), len(at.c)]))
        unpacked = record_sums.unpacked
        a, b, c = (unpacked(words, places, width(element), count).astype(np.uint64)
                   for words, places, element, count in zip(
                       pieces, (at.a, at.b, at.c), (i.a, i.b, i.c), (i.m * i.k, i.n * i.k, i.m * i.n)))
        drawn = Operands(a.reshape(1, 1, i.m, i.k), b.reshape(1, 1, i.n, i.k), c.reshape(1, i.m, i.n))
        d = sums_by(group_of(i).rule, i, drawn).reshape(-1)
        expected = unpacked(np.frombuffer(bytes.fromhex(case["output"]), dtype), at.c, width(i.c), i.m * i.n)
        wrong = int((d != expected).sum())
        total["sums"] += d.size
        total["wrong"] += wrong
        if wrong:
            print("%s: %d of %d sums differ" % (case["name"], wrong, d.size))
    print("%d of %d sums differ" % (total["wrong"], total["sums"]))
    return total["wrong"] != 0


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "kernels":
        sys.exit(compare_kernels(sys.argv[2]))
    if sys.argv[2:] in (["--table"], ["--others"]):
        sys.exit((table if sys.argv[2] == "--table" else table_of_others)(sys.argv[1]))
    text, examples = (sys.argv[2:] + ["", "0"][len(sys.argv) - 2:])[:2]
    sys.exit(compare_record(sys.argv[1], text, int(examples)))


if __name__ == "__main__":
    main()
