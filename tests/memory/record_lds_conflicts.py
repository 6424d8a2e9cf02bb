"""Records the bank conflicts that HipKittens' authors counted on a gfx950.

    record_lds_conflicts.py HIPKITTENS COMMIT OUTPUT.json.gz

HIPKITTENS is a checkout of HazyResearch/HipKittens (MIT), of that commit. Its folder
analysis/paper_experiments/phases has a folder for each instruction: what its two programs found
(phase_results.txt, bank_results.txt), and the counters that the profiler wrote of their last runs (*.csv).

- "pairs": lanes i and j alone are active, lane l at byte 256 * l. Number i is the mask of all j for which
  SQ_LDS_BANK_CONFLICT was above 0.
- "wrap": lanes 0 and 1 alone are active, lane 0 at byte 0, lane 1 at each of these words in turn; those
  with a conflict.
- "counted": the counter's value for lanes at these bytes.
"""

import csv
import gzip
import json
import re
import sys
from pathlib import Path

INSTRUCTIONS = {"ds_read_b64": ("load", 8), "ds_read_b96": ("load", 12), "ds_read_b128": ("load", 16),
                "ds_write_b64": ("store", 8)}
LANES = 64
APART = 256


def pairs(folder):
    lines = (folder / "phase_results.txt").read_text().splitlines()
    rows = [re.fullmatch(r"\s*(\d+)((?:\s+[01]){64})\s*", line) for line in lines]
    rows = [[int(x) for x in row[2].split()] for row in rows if row]
    assert len(rows) == LANES and all(rows[i][j] == rows[j][i] for i in range(LANES) for j in range(LANES))
    return [f"{sum(bit << j for j, bit in enumerate(row)):016x}" for row in rows]


def wrap(folder, size):
    solver = (folder / "bank_solver.py").read_text()
    first = int(re.search(r"test_banks = list\(range\((\d+), max_bank_to_test, 1\)\)", solver)[1])
    end = int(re.search(r"max_bank_to_test = (\d+)", solver)[1])
    found = re.search(r"All conflicts: \[([\d, ]*)\]", (folder / "bank_results.txt").read_text())[1]
    assert first == size // 4
    return {"words": [first, end - 1], "conflicts": [int(word) for word in found.split(",")]}


def counter(folder, name):
    """SQ_LDS_BANK_CONFLICT of the last dispatch."""
    with open(folder / "out" / f"{name}_counter_collection.csv") as file:
        rows = [row for row in csv.DictReader(file) if row["Counter_Name"] == "SQ_LDS_BANK_CONFLICT"]
    assert rows[-1]["Kernel_Name"] == "micro_tk(micro_globals)"
    return int(float(rows[-1]["Counter_Value"]))


def last_run(folder, case):
    """What the last run of a program asked: the case that it left behind when it was stopped, or its last."""
    left = folder / f"_temp_{case}.py"
    if not left.exists():
        return {"test": {62: 62 * APART, 63: 63 * APART}, "bank_test": {0: 0, 1: 4 * 127}}[case]
    active, offset = (json.loads(found) for found in re.findall(r"torch.tensor\((\[[^]]*\])", left.read_text()))
    return {lane: offset[lane] for lane in range(LANES) if active[lane]}


def counted(folder):
    """Of the runs whose addresses are known: the last ones of both programs, and one with all lanes."""
    runs = [(name, last_run(folder, case)) for name, case in (("phase_test", "test"), ("bank_test", "bank_test"))]
    if folder.name == "ds_write_b64":  # its program test_python.py, whose only dispatch this is
        runs.append(("lds_conflict", {lane: APART * lane for lane in range(LANES)}))
    return [{"lane": list(at), "byte": list(at.values()), "conflicts": counter(folder, name)} for name, at in runs]


def main(root, commit, output):
    phases = Path(root) / "analysis/paper_experiments/phases"
    answer = {"source": f"HazyResearch/HipKittens commit {commit}, analysis/paper_experiments/phases",
              "licence": "MIT, Copyright (c) 2024 HazyResearch", "target": "gfx950",
              "counter": "SQ_LDS_BANK_CONFLICT", "instructions": {}}
    for name, (kind, size) in INSTRUCTIONS.items():
        folder = phases / name
        answer["instructions"][name] = {"kind": kind, "bytes": size, "pairs": pairs(folder),
                                        "wrap": wrap(folder, size), "counted": counted(folder)}
    with gzip.GzipFile(output, "wb", mtime=0) as file:
        file.write(json.dumps(answer).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
