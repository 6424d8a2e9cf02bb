#!/usr/bin/env python3
"""Where the time of a build goes: `./dev bench build` prints it from what ./dev, clang, ninja and ctest
recorded.

    build_times.py FOLDER…      each a build folder; the first has ./dev's phases

`./dev` writes what each part of a command took of the processor and of the clock (phases.tsv), and has
clang write what each compilation and link took of the processor (processor_seconds.csv: program, output,
microseconds in all, those of the user, KiB). ninja writes when every step began and ended (.ninja_log,
format 5), and ctest how long every test took (Testing/Temporary/CTestCostData.txt: its name, runs and mean
in seconds of the clock; `./dev bench tests` has those of the processor).

Steps that ccache answered count with the little time that took, so only a build from an empty cache tells
the truth. A step's time of the clock is that with other steps next to it.
"""

import collections
import csv
import os
import re
import sys

SLOWEST = 20


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


def processor_seconds(folder):
    """Output -> seconds of the last time that clang made it. What has no name of its own is one row."""
    seconds = collections.defaultdict(float)
    path = os.path.join(folder, "processor_seconds.csv")
    if not os.path.exists(path):
        return {}
    here = os.path.abspath(folder)
    with open(path, encoding="utf-8") as record:
        for row in csv.reader(record):
            if len(row) != 5:
                continue
            output, took = row[1], int(row[2]) / 1e6
            if output.endswith(".ii") or output.startswith("/tmp/") or output == "-":
                seconds["preprocessing for ccache" if output.endswith(".ii") else "parts"] += took
            else:
                seconds[os.path.relpath(output, here) if os.path.isabs(output) else output] = took
    return dict(seconds)


def phases(folder):
    """(command, name) -> (seconds of the processor, of the clock) of the last time."""
    path = os.path.join(folder, "phases.tsv")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as record:
        rows = [line.rstrip("\n").split("\t") for line in record]
    return {(row[0], row[1]): (int(row[2]), int(row[3])) for row in rows if len(row) == 4}


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
    # What is no longer built stays in both records.
    clock = {output: took for output, took in steps(folder).items()
             if os.path.exists(os.path.join(folder, output))}
    processor = processor_seconds(folder)
    outputs = clock.keys() | {output for output in processor if output in clock or "." not in output}
    rows = collections.defaultdict(lambda: [0, 0.0, 0.0])
    for output in outputs:
        row = rows[output if output not in clock and "." not in output else kind(output)]
        row[0] += 1
        row[1] += processor.get(output, 0)
        row[2] += clock.get(output, 0)
    print(f"{os.path.relpath(folder)}: {len(outputs)} steps, {sum(processor.get(o, 0) for o in outputs):.0f} s of the "
          f"processor by clang, {sum(clock.values()):.0f} s of the clock")
    print("  processor       clock  steps")
    for name, (count, used, took) in sorted(rows.items(), key=lambda item: (-item[1][1], -item[1][2])):
        print(f"  {used:8.1f} s  {took:8.1f} s  {count:5d}  {name}")
    print("  the dearest steps")
    order = sorted(outputs, key=lambda output: (-processor.get(output, 0), -clock.get(output, 0)))
    for output in [output for output in order if output in clock][:SLOWEST]:
        print(f"  {processor.get(output, 0):8.1f} s  {clock[output]:8.1f} s         "
              f"{re.sub(r'CMakeFiles/[^/]*[.]dir/', '', output)}")
    times = tests(folder)
    if times:
        print(f"  the slowest of {len(times)} tests, {sum(t for t, _ in times):.0f} s of the clock in all")
        for seconds, name in times[:SLOWEST]:
            print(f"              {seconds:8.1f} s         {name}")


def main():
    folders = [folder for folder in sys.argv[1:] if os.path.exists(os.path.join(folder, ".ninja_log"))]
    if not folders:
        sys.exit("build_times.py: none of these folders holds a build: " + " ".join(sys.argv[1:]))
    print("```text\n  processor       clock  ./dev")
    for (command, name), (used, took) in phases(folders[0]).items():
        if used > 0:
            print(f"  {used:8d} s  {took:8d} s  {command}: {name}")
    for folder in folders:
        report(folder)
    print("```")


if __name__ == "__main__":
    main()
