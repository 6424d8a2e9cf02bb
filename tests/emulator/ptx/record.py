#!/usr/bin/env python3
"""Kernels of single PTX instructions on random operands, and what an NVIDIA GPU answers.

  record.py cases FILE [TEXT]  writes the kernels, or those with the text in their names, with their
                               inputs (no GPU needed)
  record.py check FILE         has ptxas assemble each
  record.py run FILE ANSWERS   runs them on the first GPU through libcuda.so.1 and writes
                               ANSWERS.json.gz with inputs, outputs, GPU, driver and date

tests/emulator/ptx/recorded_test.cpp runs the same texts on the simulator and compares.
The lists of cases stand in elementwise_cases.py, matrix_cases.py and copy_cases.py.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from copy_cases import boxes, copies, rounded_boxes
from elementwise_cases import conversions, exchanges, floats, integers
from kernel_text import CASES, HEAD
from matrix_cases import matrix_moves, multiplies, warpgroups
from nvidia_gpu import Gpu, write


def all_cases():
    integers()
    floats()
    conversions()
    exchanges()
    multiplies()
    matrix_moves()
    copies()
    boxes()
    rounded_boxes()
    warpgroups()
    return CASES


def written(cases):
    """With each input once: cases name it."""
    inputs, done = {}, []
    for case in cases:
        case = dict(case)
        text = case["input"].hex()
        case["input"] = inputs.setdefault(text, len(inputs))
        if "output" in case:
            case["output"] = case["output"].hex()
        done.append(case)
    return dict(inputs=list(inputs), cases=done)


def load(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
        read = json.load(file)
    cases = read["cases"]
    for case in cases:
        case["input"] = bytes.fromhex(read["inputs"][case["input"]])
    return cases


def check(cases):
    """One text a call would take minutes: many kernels go into one."""
    bad = 0
    for begin in range(0, len(cases), 100):
        text = HEAD
        for i, case in enumerate(cases[begin:begin + 100]):
            text += case["ptx"][len(HEAD):].replace("entry k(", "entry k%d(" % i)
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(text)
            file.flush()
            done = subprocess.run(["ptxas", "-arch=sm_90a", file.name, "-o", "/dev/null"],
                                  capture_output=True, text=True)
        if done.returncode != 0:
            bad += 1
            print(done.stderr[:3000])
            lines = text.split("\n")
            for message in done.stderr.split("\n")[:4]:
                if "line " in message:
                    print(lines[int(message.split("line ")[1].split(";")[0]) - 1])
    print(len(cases), "texts,", "refused" if bad else "all taken by ptxas")
    return bad


def record(cases, path):
    gpu = Gpu()
    failures = 0
    for case in cases:
        try:
            case["output"] = gpu.run(case)
        except RuntimeError as error:
            failures += 1
            print(case["name"], error, flush=True)
            if failures > 20:  # a kernel that was stopped leaves a context that refuses the rest
                break
    write(path, dict(gpu.described("tests/emulator/ptx/record.py"),
                     **written([case for case in cases if "output" in case])))
    print(len(cases) - failures, "recorded,", failures, "failed, on", gpu.name, gpu.driver())


def main():
    what, path = sys.argv[1:3]
    if what == "cases":
        with open(path, "w") as file:
            wanted = sys.argv[3] if len(sys.argv) > 3 else ""
            cases = [case for case in all_cases() if wanted in case["name"]]
            json.dump(written(cases), file)
        print(len(cases), "cases")
    elif what == "check":
        sys.exit(check(load(path)))
    elif what == "run":
        record(load(path), sys.argv[3])


if __name__ == "__main__":
    main()
