#!/usr/bin/env python3
"""The rules by which Hopper's matrix instructions sum, in integers, against what was recorded.

  sums_rules.py RECORD [TEXT [EXAMPLES]]   each block of a record of record_sums.py; TEXT selects
                                           instructions; of each kind that differs EXAMPLES sums are
                                           shown, with their operands
  sums_rules.py kernels RECORD             the products by mma.sync of tests/data/nvidia_ptx.json.gz,
                                           which record.py wrote

It draws the operands of a record again, computes D by the rule of each instruction, and compares the
hashes. Behind a kind that differs stands how many sums of the sample do. `rule_of` names the rules.

Where one sum alone of a block differs, the hashes tell which, and what was recorded: they are sums of
mix(value + place), mix can be inverted, and only the right place gives a value of so few bits.

A fused sum (`Fused`): products are exact and unnormalised; they and C are aligned to the largest
exponent (of a product the sum of its operands' exponents), each is cut off towards zero to some fraction
bits, they are added as integers, and the sum is cut off to the format of the result.
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
    """Bits of total * 2^quantum: cut off or to the nearest even. `kept_fraction` cuts off more."""
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
    return bits.astype(np.uint64) | negative.astype(np.uint64) << np.uint64(f.bits - 1)


@dataclasses.dataclass
class Fused:
    """Sums of `group` products and C with `bits` fraction bits behind the largest exponent."""
    group: int
    bits: int = 25
    floor: int = -133
    kept_fraction: int = None  # of the result
    nearest: bool = False
    zeros_align: bool = True  # a product that is zero has its operands' exponents, too

    def sum(self, fa, fb, fc, a, b, c):
        """a, b [case][m or n][k], c [case][m][n] as bits."""
        for first in range(0, a.shape[-1], self.group):
            part = slice(first, first + self.group)
            c = self.group_sum(decoded(fa, a[..., part]), decoded(fb, b[..., part]), decoded(fc, c), fc)
        return c

    def group_sum(self, a, b, c, fc):
        x = lambda array: array[:, :, None, :]
        y = lambda array: array[:, None, :, :]
        product = x(a.significand) * y(b.significand)
        exponent = x(a.exponent) + y(b.exponent)
        negative = x(a.negative) ^ y(b.negative)
        aligning = exponent if self.zeros_align else np.where(product == 0, -10000, exponent)
        largest = np.maximum(np.maximum(aligning.max(-1), c.exponent), self.floor)
        fraction = a.fraction + b.fraction
        total = self.aligned(product, largest[..., None] - exponent, fraction, negative).sum(-1)
        total = total + self.aligned(c.significand, largest - c.exponent, c.fraction, c.negative)
        bits = encoded(fc, total, largest - self.bits, self.nearest, self.kept_fraction)
        all_negative = negative.all(-1) & c.negative  # then a sum of zeros is -0
        bits = np.where((total == 0) & all_negative, np.uint64(fc.sign), bits)
        return self.specials(bits, fc, a, b, c, negative)

    def aligned(self, significand, shift, fraction, negative):
        up = max(0, self.bits - fraction)
        cut = significand << up >> np.clip(shift + (fraction + up - self.bits), 0, 62)
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


class Halves:
    """Eight-bit floats by mma.sync on Hopper: the elements whose k is 0 or 1 modulo 4, then the others,
    from zero on as sums of f16 with D's format; then C is added in that format, to nearest."""

    def sum(self, fa, fb, fc, a, b, c):
        inner = Fused(16, nearest=fc.bits == 16)
        k = np.arange(a.shape[-1])
        total = np.zeros(c.shape, np.uint64)
        for chosen in (k[k % 4 < 2], k[k % 4 >= 2]):
            total = inner.sum(fa, fb, fc, a[..., chosen], b[..., chosen], total)
        # numpy adds f16 in f32 and rounds again, which is right for sums.
        bits, number = (np.uint32, np.float32) if fc.bits == 32 else (np.uint16, np.float16)
        with np.errstate(all="ignore"):
            result = total.astype(bits).view(number) + c.astype(bits).view(number)
        return np.where(np.isnan(result), np.uint64(fc.sign - 1), result.view(bits).astype(np.uint64))


class Chain:
    """f64: a multiply-add for each k, in rising order, from C on."""
    fma = ctypes.CDLL("libm.so.6").fma
    fma.restype, fma.argtypes = ctypes.c_double, [ctypes.c_double] * 3

    def sum(self, fa, fb, fc, a, b, c):
        step = np.frompyfunc(self.fma, 3, 1)
        x, y, total = a.view(np.float64), b.view(np.float64), c.view(np.float64)
        with np.errstate(all="ignore"):
            for k in range(a.shape[-1]):
                total = step(x[:, :, None, k], y[:, None, :, k], total).astype(np.float64)
        bits = total.view(np.uint64)
        return np.where(np.isnan(total), np.uint64(fc.sign - 1), bits)


def rule_of(i):
    """What is believed of an instruction."""
    eight = i.a in ("e4m3", "e5m2")
    if i.c == "f64":
        return Chain()
    if eight and i.is_warpgroup:
        return Fused(32, 13, kept_fraction=13 if i.c == "f32" else None, nearest=i.c == "f16")
    if eight:
        return Halves()
    if i.c == "f16":
        return Fused(16, nearest=True)
    return Fused(8 if i.a == "tf32" else 16)


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


def compare(record, i, row, examples):
    """Blocks and sums of the sample that differ, of one instruction and kind."""
    sums, block, bits = row["sums"], record["block"], width(i.c)
    drawn = Sums(i, row["kind"], sums)
    if ["%016x" % x for x in drawn.operands_hash()] != row["operands"]:
        sys.exit("%s, %s: the operands drawn here are not those of the record" % (i.name, row["kind"]))
    d = sums_by(rule_of(i), i, drawn).reshape(-1).astype(np.uint64)
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


def compare_instruction(record, examples, row):
    """Blocks that there are and that differ, and a text about them."""
    i = {i.name: i for i in record_sums.instructions()}[row["name"]]
    blocks, bad, differing, text = 0, 0, [], []
    for kind in row["kinds"]:
        count, wrong, said, shown_sums = compare(record, i, kind, examples)
        blocks, bad, text = blocks + count, bad + wrong, text + shown_sums
        if wrong:
            differing.append(said)
    text.append("%-75s %3d of %3d blocks differ%s" % (i.name, bad, blocks, ": " + ", ".join(differing) if bad else ""))
    return blocks, bad, "\n".join(text)


def compare_record(path, text, examples):
    record = read(path)
    rows = [row for row in record.pop("instructions") if text in row["name"]]
    all_blocks = all_bad = 0
    with multiprocessing.Pool() as pool:
        for blocks, bad, said in pool.imap(functools.partial(compare_instruction, record, examples), rows):
            all_blocks, all_bad = all_blocks + blocks, all_bad + bad
            print(said, flush=True)
    print("%d of %d blocks differ" % (all_bad, all_blocks))
    return all_bad != 0


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
    known = {i.name: i for i in record_sums.instructions()}
    total = collections.Counter()
    for case in recorded["cases"]:
        name, _, last = case["name"].rpartition(" ")
        if last not in ("random", "exact") or name not in known:
            continue
        i = known[name]
        at = record_sums.Places(i)
        dtype = np.dtype("<u%d" % i.word_bytes)
        data = np.frombuffer(bytes.fromhex(recorded["inputs"][case["input"]]), dtype)
        pieces = np.split(data, np.cumsum([len(at.a), len(at.b), len(at.c)]))
        unpacked = record_sums.unpacked
        a, b, c = (unpacked(words, places, width(element), count).astype(np.uint64)
                   for words, places, element, count in zip(
                       pieces, (at.a, at.b, at.c), (i.a, i.b, i.c), (i.m * i.k, i.n * i.k, i.m * i.n)))
        drawn = Operands(a.reshape(1, 1, i.m, i.k), b.reshape(1, 1, i.n, i.k), c.reshape(1, i.m, i.n))
        d = sums_by(rule_of(i), i, drawn).reshape(-1)
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
    text, examples = (sys.argv[2:] + ["", "0"][len(sys.argv) - 2:])[:2]
    sys.exit(compare_record(sys.argv[1], text, int(examples)))


if __name__ == "__main__":
    main()
