"""Runs the functions of kernels/attention_iree.mlir, and compares them with plain loops in float64.

    attention_iree.py HEDDLE FILE TARGET FOLDER

Each is one kernel. What the operation computes is, bit for bit, what the same formula in linalg does.
"""
import json
import math
import pathlib
import struct
import subprocess
import sys

heddle, file, target, folder = sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
folder.mkdir(exist_ok=True)
HEADS, QUERIES, KEYS, DEPTH = 2, 20, 30, 16


def numbers(name):
    """The elements of a file that the program wrote."""
    data = (folder / f"{name}.npy").read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    letter = {"<f2": "e", "<f4": "f", "|b1": "?", "|u1": "B", "|i1": "b"}[eval(data[10:10 + length].decode())["descr"]]
    data = data[10 + length:]
    return struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data)


def run(name, arrays, inputs=()):
    dumps = [word for one in arrays for word in ("--dump", f"{one}={folder / one}.npy")]
    given = [word for one in inputs for word in ("--input", f"{one}={folder / one}.npy")]
    command = [heddle, "run", file, "--function", name, "--target", target, "--report", "json"]
    done = subprocess.run(command + given + dumps, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["right"], report
    assert len(report.get("kernels", [report])) == 1, f"{name} is several kernels"
    return {one: numbers(one) for one in arrays}


def expected(given, score):
    """D, the largest score and the sum of each row. `score`: of a dot product at head, query, key."""
    result, largest, sums = [], [], []
    for head in range(HEADS):
        for m in range(QUERIES):
            query = given["q"][(head * QUERIES + m) * DEPTH:][:DEPTH]
            rows = [given["k"][(head * KEYS + n) * DEPTH:][:DEPTH] for n in range(KEYS)]
            scores = [score(sum(x * y for x, y in zip(query, row)), head, m, n) for n, row in enumerate(rows)]
            most = max(scores)
            powers = [math.exp(one - most) for one in scores]
            largest.append(most)
            sums.append(sum(powers))
            result += [sum(power * given["v"][(head * KEYS + n) * DEPTH + c] for n, power in enumerate(powers)) /
                       sum(powers) for c in range(DEPTH)]
    return result, largest, sums


def compare(found, wanted, tolerance):
    worst = max(abs(x - y) for x, y in zip(found, wanted, strict=True))
    assert worst <= tolerance, worst


given = run("plain", ["q", "k", "v", "D"])
compare(given["D"], expected(given, lambda s, head, m, n: 0.25 * s)[0], 2**-10)
assert run("plain_linalg", ["D"], ["q", "k", "v"])["D"] == given["D"], "not what linalg computes"

given = run("mask", ["q", "k", "v", "mask", "D"])
assert any(given["mask"]) and not all(given["mask"])
compare(given["D"], expected(given, lambda s, head, m, n: 0.25 * s if given["mask"][(head * QUERIES + m) * KEYS + n]
                             else -math.inf)[0], 2**-10)

given = run("bias", ["q", "k", "v", "scale", "bias", "D"])
compare(given["D"], expected(given, lambda s, head, m, n: given["scale"][0] * s + given["bias"][m * KEYS + n])[0], 2**-10)

given = run("body", ["q", "k", "v", "D"])
compare(given["D"], expected(given, lambda s, head, m, n: 2 * math.tanh(s / 2) if n <= m + 10 else -math.inf)[0], 2**-10)

given = run("online", ["q", "k", "v", "D0", "D1", "D2"])
wanted = expected(given, lambda s, head, m, n: 0.25 * s)
compare(given["D0"], wanted[0], 2**-10)
compare(given["D1"], [most / math.log(2) for most in wanted[1]], 2**-16)
compare(given["D2"], wanted[2], 2**-12)
print("all are right")
