#!/usr/bin/env python3
"""golden_json.py HEDDLE DATA: the JSON of one operand is what AMD's calculator printed, field by
field: of every instruction, wave, operand and modifier that is recorded in DATA."""
import gzip
import json
import pathlib
import subprocess
import sys

heddle, data = sys.argv[1], pathlib.Path(sys.argv[2])
files = {
    "amd_rdna3": "gfx1100",
    "amd_rdna4": "gfx1200",
    "amd_cdna1": "gfx908",
    "amd_cdna2": "gfx90a",
    "amd_cdna3": "gfx942",
}
modifiers = ("cbsz", "abid", "blgp", "opsel")


def show(arch, name, wave, operand, case):
    words = [heddle, "show", name, "--arch", arch, "--wave", str(wave), "--operand", operand]
    words += [word for key in modifiers if key in case for word in (f"--{key}", str(case[key]))]
    done = subprocess.run([*words, "--format", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return words, json.loads(done.stdout)


def cases(golden):
    for entry in golden["instructions"]:
        for wave, operands in entry["wave"].items():
            for operand, layout in operands.items():
                same = layout == "=D"
                yield entry["name"], wave, operand, {}, operands["D"] if same else layout
    for case in golden.get("modifiers", []):
        yield case["name"], case["wave"], case["matrix"], case, case["layout"]


count = 0
for file, arch in files.items():
    with gzip.open(data / f"{file}.json.gz") as stream:
        golden = json.load(stream)
    for name, wave, operand, case, layout in cases(golden):
        wanted = {key: value for key, value in layout.items() if key != "axes"}
        words, answer = show(arch, name, wave, operand, case)
        if answer.pop("schema") != 1:
            sys.exit(f"{' '.join(words)}: another schema than 1")
        wrong = [key for key in wanted.keys() | answer.keys() if wanted.get(key) != answer.get(key)]
        if wrong:
            sys.exit(f"{' '.join(words)}: other {', '.join(sorted(wrong))} than the calculator's")
        count += 1
print(f"{count} tables equal")
