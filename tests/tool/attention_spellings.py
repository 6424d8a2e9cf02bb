"""Compiles and runs every function of kernels/attention_spellings.mlir, as its comment says.

    attention_spellings.py HEDDLE FILE TARGET FOLDER

The comment before a function names the number of kernels and, where there are several, the part of the
text that stands in the way. Results are compared with plain loops in float64; a comment before that one
says what is computed besides softmax(0.25 Q K^T) V.
"""
import json
import math
import pathlib
import re
import struct
import subprocess
import sys

heddle, file, target, folder = sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
folder.mkdir(exist_ok=True)
HEADS, QUERIES, KEYS, DEPTH = 2, 20, 30, 16


def numbers(name):
    """The elements of a file that the program wrote."""
    data = (folder / name).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    letter = {"<f2": "e", "<f4": "f"}[eval(data[10:10 + length].decode())["descr"]]
    data = data[10 + length:]
    return struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data)


def products(q, k, m, head):
    return [sum(x * y for x, y in zip(q[m * DEPTH:][:DEPTH], k[(head * KEYS + n) * DEPTH:][:DEPTH]))
            for n in range(KEYS)]


def expected(given, beside):
    """D, and of each row the largest score, the sum of exponentials and its logarithm. `beside`: what a
    denominator has besides the exponentials, as a score of each head."""
    v = given["v"]
    result, rows = [], []
    for head in range(HEADS):
        for m in range(QUERIES):
            scores = products(given["q"], given["k"], head * QUERIES + m, head)
            if "qr" in given:
                others = products(given["qr"], given["kr"], head * QUERIES + m, 0)
                scores = [x + y for x, y in zip(scores, others)]
            scores = [0.25 * score for score in scores]
            largest = max(scores + beside[head])
            powers = [math.exp(score - largest) for score in scores]
            total = sum(powers) + sum(math.exp(score - largest) for score in beside[head])
            result += [sum(power * v[(head * KEYS + n) * DEPTH + c] for n, power in enumerate(powers)) / total
                       for c in range(DEPTH)]
            rows.append((largest, total, largest + math.log(total)))
    return result, dict(zip(("largest", "sum", "lse"), zip(*rows)))


def check(comment, said, name):
    """Returns what is wrong with a function, or nothing."""
    names = [] if comment.startswith("Not compared") else ["q", "k", "v"]
    names += ["sink"] if "sink" in comment else ["qr", "kr"] if "qr" in comment else []
    others = ["lse"] if "lse" in comment else ["largest", "sum"] if "the largest" in comment else []
    results = [f"D{i}" for i in range(1 + len(others))] if others else ["D"] if names else []
    dumps = [word for one in names + results for word in ("--dump", f"{one}={folder / one}.npy")]
    command = [heddle, "run", file, "--function", name, "--target", target, "--report", "json"]
    done = subprocess.run(command + dumps, capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stderr}"
    report = json.loads(done.stdout)
    if not report["right"]:
        return "the judge says that it is wrong"
    kernels, why = len(report.get("kernels") or [report]), []
    if kernels > 1:  # one kernel keeps its scores in registers
        plan = subprocess.run([heddle, "compile", file, "--function", name, "--target", target, "--emit", "plan"],
                              capture_output=True, text=True).stdout
        why = re.findall(r"^attention +scores in memory: (.*(?:\n +.*)*)", plan, re.MULTILINE)
    count, _, reason = said.partition(": ")
    found = [re.sub(r"\s+", " ", one) for one in why]
    if kernels != int(count.split()[0]) or ([reason] if reason else []) != found:
        return f"{kernels} kernels: {found}"
    if not names:
        return None
    given = {one: numbers(f"{one}.npy") for one in names}
    beside = ([[sink] for sink in given["sink"]] if "sink" in given
              else [[0.0]] * HEADS if "has 1 too" in comment else [[]] * HEADS)
    wanted, of_rows = expected(given, beside)
    worst = max(abs(x - y) for x, y in zip(numbers(f"{results[0]}.npy"), wanted, strict=True))
    for result, other in zip(results[1:], others):
        for found, number in zip(numbers(f"{result}.npy"), of_rows[other], strict=True):
            if abs(found - number) > 2**-16 * abs(number):
                return f"{other} of a row is {found}, not {number}"
    # A share has 11 bits, in scores or a softmax of f16 fewer.
    return None if worst <= (2**-8 if "f16" in name else 2**-10) else f"an error of {worst}"


functions = re.findall(r"((?:^// .*\n)+)func\.func @(\w+)", pathlib.Path(file).read_text(), re.MULTILINE)
wrong = 0
for comments, name in functions:
    lines = [line[3:] for line in comments.splitlines()]
    problem = check(" ".join(lines[:-1]), lines[-1], name)
    if problem:
        wrong += 1
        print(f"{name}: {problem}")
print(f"{len(functions)} functions, {wrong} wrong")
