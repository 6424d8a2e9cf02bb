"""Runs every function of kernels/attention_lengths.mlir with several lengths of the cache.

    attention_lengths.py HEDDLE FILE TARGET FOLDER

Results are compared with plain loops in float64. On AMD's targets, where reads are counted, a short
cache is read for less than a full one.
"""
import json
import math
import pathlib
import struct
import subprocess
import sys

heddle, file, target, folder = sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
folder.mkdir(exist_ok=True)
HEADS, QUERIES, KEYS, DEPTH = 2, 20, 300, 16


def numbers(name):
    """The elements of a file that the program wrote."""
    data = (folder / name).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    letter = {"<f2": "e", "<f4": "f"}[eval(data[10:10 + length].decode())["descr"]]
    data = data[10 + length:]
    return struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data)


def write(name, description, letter, shape, values):
    """A file that the program reads."""
    header = f"{{'descr': '{description}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    (folder / name).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                                struct.pack(f"<{len(values)}{letter}", *values))


def expected(q, k, v, seen):
    """`seen`: how many keys query m of a head sees."""
    result = []
    for head in range(HEADS):
        for m in range(QUERIES):
            count = max(0, min(KEYS, seen(head, m)))
            rows = [k[(head * KEYS + n) * DEPTH:][:DEPTH] for n in range(count)]
            query = q[(head * QUERIES + m) * DEPTH:][:DEPTH]
            powers = [math.exp(0.25 * sum(x * y for x, y in zip(query, row))) for row in rows]
            result += [sum(power * v[(head * KEYS + n) * DEPTH + c] for n, power in enumerate(powers)) /
                       sum(powers) if powers else math.nan for c in range(DEPTH)]
    return result


def run(name, lengths, seen):
    """Returns how many bytes it read, or 0 where nobody counts."""
    description, letter = ("<i8", "q") if name == "causal" else ("<i4", "i")
    write("length.npy", description, letter, f"({len(lengths)},)" if len(lengths) > 1 else "()", lengths)
    dumps = [word for one in ("q", "k", "v", "D") for word in ("--dump", f"{one}={folder / one}.npy")]
    command = [heddle, "run", file, "--function", name, "--target", target, "--report", "json",
               "--input", f"length={folder / 'length.npy'}"]
    done = subprocess.run(command + dumps, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["right"], report
    wanted = expected(numbers("q.npy"), numbers("k.npy"), numbers("v.npy"), seen)
    for found, number in zip(numbers("D.npy"), wanted, strict=True):
        assert (math.isnan(found) and math.isnan(number)) or abs(found - number) <= 2**-10, (lengths, found, number)
    return report.get("emulated", {}).get("bytes_read", 0)


counts = []
for length in (0, 1, 190, 300, -2**31):
    counts.append(run("used", [length], lambda head, m: length))
assert counts[0] == 0 or counts[1] < counts[2] <= counts[3], counts
for length in (5, 150, -2**63):
    before = (length - QUERIES + 2**63) % 2**64 - 2**63  # of 64 bits
    run("causal", [length], lambda head, m: before + m + 1)
for lengths in ((0, 301), (100, 7)):
    run("of_heads", lengths, lambda head, m: lengths[head])
print("all lengths are right")
