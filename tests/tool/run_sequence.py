"""The arrays of run_sequence.txt, the two layers that they make, and the launches of both.

    run_sequence.py write FOLDER
    run_sequence.py compare FOLDER
    run_sequence.py launch HEDDLE TEXT
"""
import json
import pathlib
import struct
import subprocess
import sys

from launch_numbers import launch_for, value

M, K, H, N = 5, 32, 128, 64
x = [[(i * 7 + k * 3) % 5 - 2 for k in range(K)] for i in range(M)]
w1 = [[(k * 5 + j) % 3 - 1 for j in range(H)] for k in range(K)]
b1 = [j % 4 - 1 for j in range(H)]
w2 = [[(k * 11 + j * 2) % 3 - 1 for j in range(N)] for k in range(H)]
b2 = [j % 7 / 4 for j in range(N)]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))]
            for i in range(len(a))]


def save(folder, name, letter, shape, numbers):
    header = f"{{'descr': '<f{2 if letter == 'e' else 4}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    (folder / name).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
                                header.encode() + struct.pack(f"<{len(numbers)}{letter}", *numbers))


def load(folder, name, letter, shape):
    file = (folder / name).read_bytes()
    length = struct.unpack("<H", file[8:10])[0]
    header = eval(file[10:10 + length].decode())
    assert header["shape"] == shape, header
    count = shape[0] * shape[1]
    return list(struct.unpack(f"<{count}{letter}", file[10 + length:]))


def flat(rows):
    return [number for row in rows for number in row]


def answer(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr + done.stdout)
    return json.loads(done.stdout)


def launch(heddle, text):
    """Follows the plan, with the sizes of arguments alone, and compares what a run says."""
    rows = 130
    for target in ("gfx1151", "gfx1201", "sm_80", "sm_90a"):
        plan = answer(heddle, "compile", text, "--target", target, "--emit", "plan", "--format", "json")
        run = answer(heddle, "run", text, "--target", target, "--sizes", str(rows), "--report", "json")
        assert run["right"] and run["report"] == "sequence" and len(run["results"]) == 2
        assert plan["results"] == [len(plan["buffers"]) - 1]
        known = {i: [rows, K] for i, buffer in enumerate(plan["buffers"]) if buffer["name"] == "%x"}
        for kernel, ran in zip(plan["kernels"], run["kernels"], strict=True):
            sizes = {}
            for size in kernel["sizes"]:
                dimension = known[size["buffer"]][size["dimension"]]
                sizes[size["size"]] = dimension // size["over"] * size["times"]
            buffers = [b for b in kernel["launch"]["buffers"] if b["role"] != "workspace"]
            for number, buffer in zip(kernel["buffers"], buffers, strict=True):
                shape = [value(x, sizes) for x in buffer["sizes"]]
                assert known.setdefault(number, shape) == shape, (number, shape)
            taken = launch_for(kernel, sizes)
            assert [value(x, sizes) for x in taken["grid"]] == ran["grid"], target
            assert taken["kernel"] == ran["symbol"]
            assert kernel["buffers"] == ran["buffers"]
        between = [b for b in plan["buffers"] if b["kind"] == "intermediate"]
        assert [(b["name"], b["first"], b["last"], b["bytes"]) for b in between] == [("%hidden", 0, 1, None)]
        assert known[plan["buffers"].index(between[0])] == [rows, H]
        assert known[plan["results"][0]] == [rows, N]
    print("equal")


if sys.argv[1] == "launch":
    launch(*sys.argv[2:])
    sys.exit()
folder = pathlib.Path(sys.argv[2])
if sys.argv[1] == "write":
    folder.mkdir(exist_ok=True)
    save(folder, "x.npy", "e", (M, K), flat(x))
    save(folder, "w1.npy", "e", (K, H), flat(w1))
    save(folder, "b1.npy", "f", (H,), b1)
    save(folder, "w2.npy", "e", (H, N), flat(w2))
    save(folder, "b2.npy", "f", (N,), b2)
else:
    hidden = [[max(s + b, 0) for s, b in zip(row, b1)] for row in product(x, w1)]
    y = [[s + b for s, b in zip(row, b2)] for row in product(hidden, w2)]
    assert load(folder, "hidden.npy", "e", (M, H)) == flat(hidden)
    assert load(folder, "y.npy", "f", (M, N)) == flat(y)
    print("equal")
