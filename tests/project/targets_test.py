#!/usr/bin/env python3
"""targets_test.py ROOT HEDDLE: README's table of what runs where says what `heddle list --processors` says,
and leaves no processor out."""

import csv
import pathlib
import re
import subprocess
import sys

root, heddle = pathlib.Path(sys.argv[1]), sys.argv[2]
printed = subprocess.run([heddle, "list", "--processors", "--format", "csv"],
                         capture_output=True, text=True, check=True).stdout
processors = {row["processor"]: row for row in csv.DictReader(printed.splitlines())}
order = list(processors)


def named(text):
    """'gfx90a, gfx942' or 'sm_80 to sm_90a': processors of the list, in its order."""
    for part in text.split(", "):
        first, _, last = part.partition(" to ")
        yield from order[order.index(first):order.index(last or first) + 1]


def words(cell):
    """What the list says, in the table's words."""
    if cell.startswith("but for "):
        return "all " + cell.replace("but for", "but")
    return "no" if cell == "-" else cell


missing, wrong = set(order), 0
for line in re.findall(r"^\| [^|]*: .* \|$", (root / "README.md").read_text(), re.M):
    names, _, *cells = (cell.strip() for cell in line.strip("|").split("|"))
    for name in named(names.split(": ")[1]):
        missing.discard(name)
        true = [words(processors[name][column]) for column in ("compiled", "run", "checked")]
        if [cell.replace("`", "").replace(" and ", ", ") for cell in cells] != true:
            print(f"README says of {name}: {cells}, and heddle list --processors says: {true}")
            wrong += 1
if missing:
    print("README's table of what runs where leaves out", ", ".join(sorted(missing)))
print(f"{len(order) - len(missing)} processors, {wrong} of them wrong")
sys.exit(1 if wrong or missing else 0)
