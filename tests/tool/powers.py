"""Arrays for run_powers.txt, and what it must compute of them."""

import math
import pathlib
import struct
import sys

LEAST = -(2**31)
BASES = [1.0, -1.0, 1 + 2**-7, 1 - 2**-7, 2.0, -2.0, 0.0, -0.0, math.inf, -math.inf, math.nan]
POWERS = [0, 1, 2, 3, -1, -2, -3, 10, 127, 257, -257, 65537, -65537, 2**24 + 1, -(2**24) - 1]
POWERS += [2**31 - 1, LEAST]
PAIRS = [(x, n) for x in BASES for n in POWERS]
NEAR = [(s * (1 + 2**-23), n) for s in (1, -1) for n in (2**24 + 1, 2**25 + 3, -(2**25) - 1)]
PAIRS += NEAR + [(1.0, 0)] * (200 - len(PAIRS) - len(NEAR))


def save(path, code, kind, values):
    header = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header = header.ljust((len(header) + 74) // 64 * 64 + 53) + "\n"
    data = struct.pack(f"<{len(values)}{code}", *values)
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + data)


def expected(x, n, largest):
    if x == 0 and n < 0:
        return math.copysign(math.inf, x) if n % 2 else math.inf
    try:
        value = math.pow(x, n)
    except OverflowError:
        value = -math.inf if x < 0 and n % 2 else math.inf
    return math.copysign(math.inf, value) if abs(value) > largest else value


def is_right(found, value, tolerance, least):
    if math.isnan(value):
        return math.isnan(found)
    if abs(value) < least:
        return abs(found) <= least and math.copysign(1, found) == math.copysign(1, value)
    return found == value or abs(found - value) <= tolerance * abs(value)


if sys.argv[1] == "write":
    folder = pathlib.Path(sys.argv[2])
    save(folder / "x.npy", "f", "f4", [x for x, _ in PAIRS])
    save(folder / "n.npy", "i", "i4", [n for _, n in PAIRS])
else:
    bound = {"bf16": (2**-8, 2.0**128, 2.0**-126), "f16": (2**-11, 65520, 2.0**-14)}
    bound["f64"] = (1e-9, sys.float_info.max, 2.0**-1022)
    tolerance, largest, least = bound.get(sys.argv[1], (1e-5, 2.0**128, 2.0**-126))
    code, size = ("d", 1600) if sys.argv[1] == "f64" else ("f", 800)
    found = struct.unpack(f"<200{code}", pathlib.Path(sys.argv[2]).read_bytes()[-size:])
    times = 2**20 + 1 if sys.argv[1] == "wide" else 1
    wrong = [
        (x, n, f, expected(x, n, largest))
        for (x, n), f in zip([(x, n * times) for x, n in PAIRS], found)
        if (sys.argv[1] not in ("f16", "bf16") or (x, n) not in NEAR)
        and not is_right(f, expected(x, n, largest), tolerance, least)
    ]
    sys.exit(f"wrong: {wrong}" if wrong else 0)
