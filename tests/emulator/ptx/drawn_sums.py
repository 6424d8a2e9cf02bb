"""Operands of the sums that record_sums.py records: drawn by integer arithmetic alone, so that a record
needs only hashes of the results, and another program can draw the same.

Words. All arithmetic is modulo 2^64. mix(z) is the finaliser of splitmix64:

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;  z = (z ^ z >> 27) * 0x94d049bb133111eb;  z ^ z >> 31

The key of an instruction and a kind is FNV-1a (64 bits) of "INSTRUCTION/KIND" in ASCII. Word i of a key
is mix(key + STEP * (i + 1)), STEP = 0x9e3779b97f4a7c15. Every element has the word

  i = ((case * 32 + step) * 4 + operand) * 65536 + index

with operand 0 for A (index m * K + k), 1 for B (index n * K + k), 2 for C (index m * N + n; step 0)
and 3 for what a whole case shares (step 0, index 0). From its word r follows q = mix(r + STEP).

Elements. r gives the sign (bit 63) and the fraction (its lowest bits); q gives t (low 32 bits), which
places the exponent, and u (high 32 bits), which chooses. KINDS and `drawn` below say how. The fields of
a float are clamped to its normal numbers, those of C to subnormal and normal ones.
"""
import numpy as np

STEP = np.uint64(0x9e3779b97f4a7c15)
A, B, C, SHARED = range(4)


class Format:
    """A float with exponent and fraction, of which the `counted` highest bits mean something."""

    def __init__(self, exponent, fraction, counted=None, infinity=True):
        self.exponent, self.fraction, self.infinity = exponent, fraction, infinity
        self.counted = fraction if counted is None else counted
        self.bits = 1 + exponent + fraction
        self.bias = (1 << exponent - 1) - 1
        self.ones = (1 << exponent) - 1
        self.top = self.ones - 1  # e4m3 has numbers above it, which kinds of random bits reach
        self.sign = 1 << self.bits - 1

    def bits_of(self, negative, field, fraction):
        sign = negative.astype(np.uint64) << np.uint64(self.bits - 1)
        return sign | field.astype(np.uint64) << np.uint64(self.fraction) | fraction.astype(np.uint64)


FORMATS = {
    "f64": Format(11, 52), "f32": Format(8, 23), "tf32": Format(8, 23, 10), "f16": Format(5, 10),
    "bf16": Format(8, 7), "e4m3": Format(4, 3, infinity=False), "e5m2": Format(5, 2),
}
INTEGERS = {"s32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}


def width(element):
    return FORMATS[element].bits if element in FORMATS else INTEGERS[element]


# Kinds of floats: steps of k, the exponents' spread, and which rule draws the elements. A chain of steps
# has the D of a step as the C of the next.
KINDS = {
    "bits": (1, 0, "bits"),              # any bits at all
    "finite": (1, 0, "finite"),          # any bits that are a number
    "spread 0": (1, 0, "spread"), "spread 1": (1, 1, "spread"), "spread 3": (1, 3, "spread"),
    "spread 6": (1, 6, "spread"), "spread 12": (1, 12, "spread"),
    "cancel": (1, 3, "cancel"),          # pairs of k whose products nearly cancel
    "alternate": (1, 3, "alternate"),    # signs alternate with a power of 2 of k
    "subnormal": (1, 0, "subnormal"),    # A about the subnormal numbers, B anywhere
    "underflow": (1, 6, "spread"),       # products about the smallest numbers of D
    "overflow": (1, 3, "spread"),        # products about the largest
    "ties": (1, 12, "ties"),             # few products, of few bits
    "infinite": (1, 3, "spread"),        # some infinities and zeros
    "nan": (1, 3, "spread"),             # some NaN of any payload, and infinities
    "zeros": (1, 1, "spread"),           # zeros of both signs
    "whole": (4, 0, "whole"),            # small integers: every sum is exact
    "chain spread 1": (4, 1, "spread"),
    "chain spread 12": (8, 12, "spread"),
    "chain cancel": (16, 3, "cancel"),
}
# The bits of a tf32 below its fraction, which the others leave zero.
KINDS_OF_TF32 = {"low bits": (1, 3, "spread")}
# Of integers; C near the ends of s32, too.
KINDS_OF_INTEGERS = {"bits": (1, 0, "integer"), "chain bits": (4, 0, "integer")}


def mix(z):
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xbf58476d1ce4e5b9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94d049bb133111eb)
    return z ^ z >> np.uint64(31)


def key_of(instruction, kind):
    key = 0xcbf29ce484222325
    for byte in ("%s/%s" % (instruction, kind)).encode():
        key = (key ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return np.uint64(key)


def words(key, cases, steps, operand, count):
    """Words of an operand: [case][step][index]."""
    case = np.arange(cases, dtype=np.uint64)[:, None, None]
    step = np.arange(steps, dtype=np.uint64)[None, :, None]
    index = np.arange(count, dtype=np.uint64)[None, None, :]
    i = ((case * np.uint64(32) + step) * np.uint64(4) + np.uint64(operand)) * np.uint64(65536) + index
    return mix(key + STEP * (i + np.uint64(1)))


def hash_of(bits):
    """Of blocks of values, along the last axis: the sum of mix(value + STEP * (i + 1)) over i."""
    i = np.arange(1, bits.shape[-1] + 1, dtype=np.uint64)
    return mix(bits.astype(np.uint64) + STEP * i).sum(axis=-1, dtype=np.uint64)


class Sums:
    """The operands of one instruction and kind as bit patterns: A [case][step][m][k], B
    [case][step][n][k], C [case][m][n]."""

    def __init__(self, instruction, kind, sums):
        self.instruction, self.kind = instruction, kind
        i = instruction
        self.steps, self.spread, self.rule = kinds_of(i)[kind]
        self.cases = max(1, sums // (i.m * i.n))
        self.key = key_of(i.name, kind)
        self.shared = words(self.key, self.cases, 1, SHARED, 1)[:, :, :, None]  # against [m][k]
        shape = (self.cases, self.steps)
        self.a = self.operand(A, i.a, i.m * i.k, self.steps).reshape(*shape, i.m, i.k)
        self.b = self.operand(B, i.b, i.n * i.k, self.steps).reshape(*shape, i.n, i.k)
        if self.rule in ("cancel", "alternate"):
            self.pair()
        self.c = self.operand(C, i.c, i.m * i.n, 1).reshape(self.cases, i.m, i.n)

    def centres(self):
        """The exponents about which A and B lie, without bias."""
        i = self.instruction
        d = FORMATS[i.c]
        both = 0
        if self.kind == "underflow":
            both = 1 - d.bias - d.fraction // 2
        if self.kind == "overflow":
            both = d.bias
        return both // 2, both - both // 2

    def operand(self, operand, element, count, steps):
        r = words(self.key, self.cases, steps, operand, count)
        q = mix(r + STEP)
        t, u = (q & np.uint64(0xffffffff)).astype(np.int64), (q >> np.uint64(32)).astype(np.int64)
        if element in INTEGERS:
            return self.integers(operand, element, r, u)
        f = FORMATS[element]
        if self.rule == "bits":
            return r & np.uint64((1 << f.bits) - 1)
        if self.rule == "whole":
            return self.whole(f, t % 129 - 64 if operand == C else t % 9 - 4)
        negative = (r >> np.uint64(63)).astype(np.int64)
        fraction = self.fraction(f, r, u)
        if self.rule == "finite":
            field = (r >> np.uint64(f.fraction)).astype(np.int64) & f.ones
            unusable = field == f.ones if f.infinity else (field == f.ones) & (fraction == (1 << f.fraction) - 1)
            field = np.where(unusable, f.ones >> 1, field)
            zero = (u & 3 == 0) if operand == C else False
        elif self.rule == "subnormal":
            field, zero = self.near_subnormal(f, operand, t, u)
        elif operand == C:
            centre = sum(self.centres()) + f.bias
            choice = u & 3
            offset = np.where(choice == 1, t % 9 - 4, np.where(choice == 2, -(t % 33), t % 33))
            field, zero = np.clip(centre + offset, 0, f.top), choice == 0
        else:
            centre = self.centres()[operand] + f.bias
            field = np.clip(centre + t % (2 * self.spread + 1) - self.spread, 1, f.top)
            zero = False
        return self.specials(f, negative, field, fraction, zero, u)

    def fraction(self, f, r, u):
        fraction = (r & np.uint64((1 << f.fraction) - 1)).astype(np.int64)
        if self.rule == "ties":
            choice = u >> 4 & 7
            lowest = 1 << f.fraction - f.counted
            whole = 1 << f.fraction
            for i, value in enumerate((0, whole - 1, lowest, whole >> 1)):
                fraction = np.where(choice == i, value, fraction)
        if f.counted < f.fraction and self.kind != "low bits":
            fraction &= -1 << f.fraction - f.counted
        return fraction

    @staticmethod
    def near_subnormal(f, operand, t, u):
        choice = u & 3
        if operand == A:
            return np.where(choice < 2, 0, t % 4), False
        if operand == B:
            return t % (f.top + 1), False
        return np.where(choice == 1, 0, np.where(choice == 2, t % 8, t % (f.top + 1))), choice == 0

    def specials(self, f, negative, field, fraction, zero, u):
        chance = u >> 8 & 63
        if self.kind == "zeros":
            zero = zero | (chance >= 8)
        if self.rule == "ties":
            zero = zero | (chance >= 16)
        if self.kind == "infinite":
            zero = zero | (chance == 1) | (chance == 2)
        field, fraction = np.where(zero, 0, field), np.where(zero, 0, fraction)
        ones = (1 << f.fraction) - 1
        if self.kind in ("infinite", "nan"):
            # Without infinities the largest number takes their place.
            infinite = chance == 0
            field = np.where(infinite, f.ones, field)
            fraction = np.where(infinite, 0 if f.infinity else ones - 1, fraction)
        if self.kind == "nan":
            nan = chance == 1
            lowest = 1 << f.fraction - f.counted
            field = np.where(nan, f.ones, field)
            fraction = np.where(nan, fraction | lowest if f.infinity else ones, fraction)
        if self.kind == "low bits" and f.counted < f.fraction:
            # NaN or infinity? All ones, and a fraction only where nothing should be read.
            odd = chance == 0
            field = np.where(odd, f.ones, field)
            fraction = np.where(odd, fraction & (1 << f.fraction - f.counted) - 1 | 1, fraction)
        return f.bits_of(negative, field, fraction)

    @staticmethod
    def whole(f, values):
        """Integers below 2048 as floats."""
        size = np.abs(values)
        top = sum((size >> i > 0).astype(np.int64) for i in range(1, 12))
        field = np.where(size > 0, top + f.bias, 0)
        fraction = (size << f.fraction >> top) & (1 << f.fraction) - 1
        return f.bits_of(values < 0, field, fraction)

    def integers(self, operand, element, r, u):
        bits = r & np.uint64((1 << width(element)) - 1)
        choice = u & 15
        if operand == C:
            # A quarter of them near the ends of s32, where sums wrap or saturate.
            small = r & np.uint64(0xff)
            bits = np.where(choice < 2, np.uint64(0x7fffffff) - small, bits)
            bits = np.where((choice == 2) | (choice == 3), np.uint64(0x80000000) + small, bits)
        elif width(element) > 1:
            top = 1 << width(element) - 1
            for i, value in enumerate((top, top - 1)):
                bits = np.where(choice == i, np.uint64(value), bits)
        return bits

    def pair(self):
        """Elements of k with a bit set follow from those without it: `cancel` takes those of A with the
        other sign and those of B with another lowest bit; `alternate` gives A the sign of the bit and
        B none."""
        i = self.instruction
        levels = i.k.bit_length() - 1
        level = (self.shared % np.uint64(levels)).astype(np.int64)  # [case][1][1][1]
        k = np.arange(i.k)
        is_second = (k >> level & 1).astype(bool)
        a, b = FORMATS[i.a], FORMATS[i.b]
        if self.rule == "alternate":
            self.a = self.a & np.uint64(a.sign - 1) | is_second.astype(np.uint64) << np.uint64(a.bits - 1)
            self.b = self.b & np.uint64(b.sign - 1)
            return
        first = np.broadcast_to(k & ~(np.int64(1) << level), self.a.shape)
        self.a = np.where(is_second, np.take_along_axis(self.a, first, -1) ^ np.uint64(a.sign), self.a)
        first = np.broadcast_to(k & ~(np.int64(1) << level), self.b.shape)
        lowest = np.uint64(1 << b.fraction - b.counted)
        flipped = self.b & lowest  # the lowest bit that was drawn for the second of the pair
        self.b = np.where(is_second, np.take_along_axis(self.b, first, -1) ^ flipped, self.b)

    def operands_hash(self):
        """A hash of A, B and C, so that another program sees that it drew the same."""
        return [int(hash_of(x.reshape(1, -1))[0]) for x in (self.a, self.b, self.c)]


def kinds_of(instruction):
    if instruction.a in INTEGERS:
        return KINDS_OF_INTEGERS
    return KINDS | KINDS_OF_TF32 if instruction.a == "tf32" else KINDS
