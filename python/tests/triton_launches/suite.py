#!/usr/bin/env python3
"""Runs the tests of a Triton checkout on heddle.triton, and tells what became of them.

    suite.py run CHECKOUT --target gfx942 [--check] [--files unit/language gluon] [--jobs 16]
             [--every 40] [--seconds 500] [--again time crashed] --results results.jsonl
    suite.py table results.jsonl ...
    suite.py failures results.jsonl ...

Tests that have a result in the file are not run again, so that several runs of some minutes make a whole one;
of several results of a test the last counts, and `--again time` runs those of a column again. A test whose process dies
has the outcome `crashed`. The parts of a long test count as one, once all of them are there.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
# Files of python/test that launch kernels; the others test Triton's compiler and its tools.
FILES = ["unit/language", "gluon/test_core.py", "gluon/test_lowerings.py"]

# What is neither passed nor skipped, by the first words that match the exception's kind or its message. The names
# are the columns of the table.
CAUSES = [
    ("Triton", r"^(CompilationError|CompileTimeAssertionFailure|OutOfResources|PassManager)|"
               r"Triton Error|failed to translate|PassManager::run failed|Cannot find ptxas|libdevice|"
               # Tests of the compiler's messages and texts, of a checkout that is newer than the Triton installed.
               r"error encountered during parsing|CHECK: expected string not found|DID NOT RAISE Compil|"
               r"does not match the expected pattern|shouldn't rematerialize|error should point|Wrong error message"),
    ("time", r"^TooLong"),
    ("finding", r"found by heddle|^KernelFinding|^KernelFault"),
    ("tolerance", r"Not equal to tolerance|Tensor-likes are not close"),
]


def cause_of(record: dict[str, Any]) -> str:
    if record["outcome"] not in ("failed", "crashed"):
        return record["outcome"]
    text = f"{record.get('kind', '')}: {record.get('message', '')}"
    rest = "crashed" if record["outcome"] == "crashed" else "other"
    return next((name for name, pattern in CAUSES if re.search(pattern, text)), rest)


def read(files: list[pathlib.Path]) -> dict[tuple[str, bool, str], dict[str, Any]]:
    """The last result of each test, by target, check and its name."""
    results: dict[tuple[str, bool, str], dict[str, Any]] = {}
    for file in files:
        packed = file.suffix == ".gz"
        text = "" if not file.exists() else gzip.decompress(file.read_bytes()).decode() if packed else file.read_text()
        for line in text.splitlines():
            record = json.loads(line)
            results[record["target"], record["check"], record["id"]] = record
    return results


def whole(results: dict[tuple[str, bool, str], dict[str, Any]]) -> dict[tuple[str, bool, str], dict[str, Any]]:
    """The same with one result for the parts of a test: of a part that did not pass, where there is one."""
    found = {key: record for key, record in results.items() if "#" not in key[2]}
    parts: dict[tuple[str, bool, str], list[dict[str, Any]]] = collections.defaultdict(list)
    for (target, check, name), record in results.items():
        if "#" in name:
            parts[target, check, name.partition("#")[0]].append(record)
    for key, records in parts.items():
        if len(records) == int(records[0]["id"].rpartition("/")[2]):
            worst = min(records, key=lambda record: record["outcome"] in ("passed", "skipped"))
            found[key] = worst | {"id": key[2], "seconds": sum(record.get("seconds", 0) for record in records)}
    return found


def run_files(options: argparse.Namespace, files: list[str], state: pathlib.Path, results: pathlib.Path) -> str:
    """One process of pytest, which collects once and forks its workers; what it printed."""
    # Programs that tests start find heddle.triton by the entry point that a wheel has.
    entry = state.parent / "heddle_suite-0.dist-info"
    entry.mkdir()
    (entry / "METADATA").write_text("Metadata-Version: 2.1\nName: heddle-suite\nVersion: 0\n", encoding="utf-8")
    (entry / "entry_points.txt").write_text("[triton.backends]\nheddle = heddle.triton.backend\n", encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(HERE), str(state.parent), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"HEDDLE_SUITE": str(state), "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": path}
    command = [*options.python.split(), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "--tb=no",
               "-p", "heddle.triton", "--heddle", options.target, "--heddle-cuda",
               *(["--heddle-check"] if options.check else []),
               "-p", "suite_plugin", "--continue-on-collection-errors", "--device", "cpu", *files]
    suite = json.loads(state.read_text(encoding="utf-8")) | {"results": str(results)}
    state.write_text(json.dumps(suite), encoding="utf-8")
    return subprocess.run(command, cwd=options.checkout / "python" / "test", env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def run(options: argparse.Namespace) -> int:
    known = read([options.results])
    end = time.time() + options.seconds
    # Files of the same name in two folders do not go into one process.
    folders: dict[str, list[str]] = collections.defaultdict(list)
    for file in options.files:
        folders[file if file.count(".py") == 0 else os.path.dirname(file)].append(file)
    output = ""
    for files in folders.values():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            state = folder / "suite.json"
            state.write_text(json.dumps({
                "target": options.target, "check": options.check, "every": options.every, "jobs": options.jobs,
                "end": end, "test_seconds": options.test_seconds,
                "done": [test for (target, check, test), record in known.items()
                         if (target, check) == (options.target, options.check)
                         and cause_of(record) not in options.again],
                # A long test that is begun last would keep one worker busy alone.
                "slow": sorted({test for (_, _, test), record in known.items() if record.get("seconds", 0) > 4}),
            }), encoding="utf-8")
            # A run that is ended from outside loses nothing.
            output += run_files(options, files, state, options.results.resolve())
    after = read([options.results])
    if after == known:
        print(output[-3000:], file=sys.stderr)
    print(table(whole(after)))
    return 0


def table(results: dict[tuple[str, bool, str], dict[str, Any]]) -> str:
    """A row for each target: how many tests passed, and why the others did not."""
    causes = [*(name for name, _ in CAUSES), "other", "crashed"]
    rows: dict[tuple[str, bool], collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for (target, check, _), record in results.items():
        rows[target, check][cause_of(record)] += 1
    lines = ["| target | passed | skipped | " + " | ".join(causes) + " | of those run |",
             "| --- |" + " ---: |" * (len(causes) + 3)]
    for (target, check), counts in sorted(rows.items()):
        ran = counts["passed"] + sum(counts[cause] for cause in causes if cause != "Triton")
        share = f"{100 * counts['passed'] / ran:.2f} %" if ran else ""
        cells = [counts["passed"], counts["skipped"], *(counts[cause] for cause in causes), share]
        lines.append(f"| {target}{', --check' if check else ''} | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def failures(results: dict[tuple[str, bool, str], dict[str, Any]]) -> str:
    """The messages of failed tests, the most frequent first, each with a test."""
    groups: dict[tuple[str, str, str], list[str]] = collections.defaultdict(list)
    for (target, check, name), record in results.items():
        if record["outcome"] in ("passed", "skipped"):
            continue
        first = re.sub(r"0x[0-9a-f]+|\d+", "N", record.get("message", "").strip().partition("\n")[0])[:150]
        groups[f"{target}{', --check' if check else ''}", cause_of(record), f"{record.get('kind', '')}: {first}"].append(name)
    ordered = sorted(groups.items(), key=lambda each: -len(each[1]))
    return "\n".join(f"{len(names):5} {target} {cause}: {message}\n        {names[0]}"
                     for (target, cause, message), names in ordered)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("checkout", type=pathlib.Path, help="the folder of a Triton checkout")
    running.add_argument("--target", required=True)
    running.add_argument("--check", action="store_true")
    running.add_argument("--files", nargs="+", default=FILES, help="below python/test")
    running.add_argument("--jobs", type=int, default=os.cpu_count())
    running.add_argument("--every", type=int, default=1, help="every Nth test, by a hash of its name")
    running.add_argument("--again", nargs="+", default=[], help="columns of the table whose tests are run again")
    running.add_argument("--seconds", type=float, default=1e9, help="no test is begun later")
    running.add_argument("--test-seconds", type=int, default=120)
    running.add_argument("--python", default=sys.executable)
    running.add_argument("--results", type=pathlib.Path, required=True)
    for name in ("table", "failures"):
        commands.add_parser(name).add_argument("results", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    if options.command == "run":
        return run(options)
    results = whole(read(options.results))
    print(table(results) if options.command == "table" else failures(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
