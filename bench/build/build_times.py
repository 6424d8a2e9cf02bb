#!/usr/bin/env python3
"""Where the time of a build goes: `./dev bench build` prints it from what ninja and ctest recorded.

    build_times.py FOLDER…      each a build folder

ninja writes when every step began and ended (.ninja_log, format 5), and ctest how long every test
took (Testing/Temporary/CTestCostData.txt: its name, runs and mean in seconds). Steps that ccache
answered count with the little time that took, so only a build from an empty cache tells the truth.
A step's time is wall time with other steps beside it: the sum over steps divided by the cores is
about how long the build took.
"""

import collections
import os
import re
import sys

SLOWEST = 12


def steps(folder):
    """(output, seconds) of the last run of each step."""
    last = {}
    with open(os.path.join(folder, ".ninja_log"), encoding="utf-8") as log:
        for line in log:
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 5:
                continue
            begin, end, _, output, command = fields
            output = os.path.relpath(output, folder) if os.path.isabs(output) else output
            # Outputs of one step share their times and the hash of its command.
            last[(begin, end, command)] = (output, (int(end) - int(begin)) / 1000)
    newest = {}
    for output, seconds in last.values():
        newest[output] = seconds
    return newest


def kind(output):
    """The row of the table that a step belongs to: its folder, or what kind of step it is."""
    if output.endswith(".co"):
        return "GPU kernels (HIP)"
    if output.endswith((".gch", ".pch")):
        return "precompiled headers"
    if not output.endswith(".o"):
        return "linking and the rest"
    parts = re.sub(r"CMakeFiles/[^/]*\.dir/", "", output).split("/")
    return "/".join(parts[: 2 if parts[0] in ("tests", "emulator", "tools", "compiler") else 1][:-1]
                    or parts[:1])


def tests(folder):
    path = os.path.join(folder, "Testing", "Temporary", "CTestCostData.txt")
    if not os.path.exists(path):
        return []
    times = []
    with open(path, encoding="utf-8") as record:
        for line in record:
            fields = line.split()
            if len(fields) != 3:
                break  # below the dashes ctest lists what failed
            times.append((float(fields[2]), fields[0]))
    return sorted(times, reverse=True)


def report(folder):
    recorded = steps(folder)
    rows = collections.defaultdict(lambda: [0, 0.0])
    for output, seconds in recorded.items():
        row = rows[kind(output)]
        row[0] += 1
        row[1] += seconds
    print(f"{os.path.relpath(folder)}: {len(recorded)} steps, {sum(recorded.values()):.0f} s of steps")
    for name, (count, seconds) in sorted(rows.items(), key=lambda item: -item[1][1]):
        print(f"  {seconds:8.1f} s {count:5d}  {name}")
    print("  the slowest steps")
    for output, seconds in sorted(recorded.items(), key=lambda item: -item[1])[:SLOWEST]:
        print(f"  {seconds:8.1f} s        {re.sub(r'CMakeFiles/[^/]*[.]dir/', '', output)}")
    times = tests(folder)
    if times:
        print(f"  the slowest of {len(times)} tests, {sum(t for t, _ in times):.0f} s in all")
        for seconds, name in times[:SLOWEST]:
            print(f"  {seconds:8.1f} s        {name}")


def main():
    folders = [folder for folder in sys.argv[1:] if os.path.exists(os.path.join(folder, ".ninja_log"))]
    if not folders:
        sys.exit("build_times.py: none of these folders holds a build: " + " ".join(sys.argv[1:]))
    for folder in folders:
        report(folder)


if __name__ == "__main__":
    main()
