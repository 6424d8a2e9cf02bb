#!/usr/bin/env python3
"""Builds public HIP programs with hipcc and runs them with `heddle exec`: a table of what passes.

    ./dev bench hip FOLDER [--target gfx90a] [--only TEXT …] [--record]

FOLDER is a checkout of ROCm's rocm-examples or of rocPRIM (its tests, of the version that is installed).
What is built stays in build/bench/hip. Seconds and memory are those of heddle and the program together.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = ROOT / "bench/records/hip_programs.md"


class Program:
    def __init__(self, name, sources, words, folder):
        self.name, self.sources, self.words, self.folder = name, sources, words, folder


def examples(folder):
    """A program of each folder with a main.hip, without those whose libraries Heddle has not."""
    for main in sorted(folder.rglob("main.hip")):
        home = main.parent
        name = str(home.relative_to(folder))
        if name.startswith("Libraries/") and not name.startswith(("Libraries/rocPRIM", "Libraries/hipCUB")):
            continue
        sources = sorted([*home.glob("*.hip"), *home.glob("*.cpp")])
        yield Program(name, sources, ["-std=c++17", f"-I{folder}/Common", f"-I{folder}/External", f"-I{home}"],
                      home)


def tests_of_rocprim(folder):
    home = folder / "test/rocprim"
    words = ["-std=c++14", "-w", f"-I{folder}/test", f"-I{home}", "-lgtest", "-lgtest_main", "-lpthread"]
    for source in sorted(home.glob("test_*.cpp")):
        sources = [source]
        if source.name == "test_basic.cpp":
            sources.append(home / "detail/get_rocprim_version.cpp")
        yield Program(source.stem, sources, words, home)


def build(program, target, compiler, output):
    """The message of a failure; empty where there is a program."""
    if output.exists():
        return ""
    output.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([compiler, "-O2", f"--offload-arch={target}", *map(str, program.sources),
                           *program.words, "-o", str(output)], text=True, capture_output=True)
    if done.returncode == 0:
        return ""
    errors = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
    return (errors or [f"status {done.returncode}"])[0].split("error: ")[-1]


def run(program, output, heddle, target, checks, limit):
    """How it ended, its counts, seconds and MB."""
    words = [heddle, "exec", "--target", target, "--devices", "2", *["--check"] * checks, "--", str(output)]
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as reported:
        begin = time.monotonic()
        child = subprocess.Popen(["timeout", str(limit), *words], stdout=said, stderr=reported,
                                 stdin=subprocess.DEVNULL, cwd=program.folder)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        said.seek(0)
        reported.seek(0)
        return child.returncode, said.read(), reported.read(), seconds, usage.ru_maxrss // 1024


def row_of(program, target, options):
    output = ROOT / "build/bench/hip" / target / options.folder.resolve().name / program.name.replace("/", "_")
    problem = build(program, target, options.compiler, output)
    if problem:
        return "not built", f"| {program.name} | not built | | | | {problem} |"
    status, said, report, seconds, megabytes = run(program, output, options.heddle, target, options.check,
                                                   options.limit)
    tests = re.search(r"\[==========\] (\d+) tests? from .* ran", said)
    passed = re.search(r"\[  PASSED  \] (\d+) test", said)
    launches = sum(map(int, re.findall(r": (\d+) launch(?:es)?,", report)))
    findings = re.search(r"^findings +(\d+)", report, re.M)
    why = ""
    if status == 124:
        why = f"more than {options.limit} seconds"
    elif status != 0:
        lines = [line for line in report.splitlines() if "error" in line or line.startswith("heddle: ")]
        why = (lines or [f"status {status}"])[0][:120].replace("|", "\\|")
    elif findings:
        why = f"{findings[1]} findings"
    count = f"{passed[1] if passed else 0} of {tests[1]} tests" if tests else "yes" if status == 0 else "no"
    word = "passed" if status == 0 and not findings else "failed"
    return word, f"| {program.name} | {count} | {launches:,} | {seconds:.1f} | {megabytes} | {why} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--target", default="gfx90a")
    parser.add_argument("--only", nargs="*", default=[], help="programs with one of these in their names")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--limit", type=int, default=300, help="seconds for a program")
    parser.add_argument("--compiler", default="hipcc")
    parser.add_argument("--heddle", default=str(ROOT / "build/bin/heddle"))
    parser.add_argument("--record", action="store_true", help=f"write the table into {RECORD.relative_to(ROOT)}")
    options = parser.parse_args()
    if not shutil.which(options.compiler):
        sys.exit(f"no {options.compiler}: Debian's packages hipcc, libamdhip64-dev and librocprim-dev have it")
    options.folder = options.folder.resolve()
    is_rocprim = (options.folder / "test/rocprim").is_dir()
    programs = list(tests_of_rocprim(options.folder) if is_rocprim else examples(options.folder))
    programs = [one for one in programs if not options.only or any(word in one.name for word in options.only)]
    if not programs:
        sys.exit(f"{options.folder}: neither rocm-examples nor rocPRIM, or nothing in it has such a name")
    rows, words = [], []
    for program in programs:
        word, row = row_of(program, options.target, options)
        words.append(word)
        rows.append(row)
        print(row, file=sys.stderr, flush=True)
    built = len(words) - words.count("not built")
    what = "rocPRIM's tests" if is_rocprim else "rocm-examples"
    title = f"## {what}, {options.target}{', with --check' if options.check else ''}\n"
    text = (f"{title}\n{words.count('passed')} of {built} pass; {words.count('not built')} more were not built.\n\n"
            "| program | passes | launches | seconds | MB | why not |\n| --- | --- | --- | --- | --- | --- |\n"
            + "\n".join(rows) + "\n")
    print(text)
    if options.record:
        written = RECORD.read_text() if RECORD.exists() else ""
        parts = re.split(r"(?m)^(?=## )", written)
        parts = [part for part in parts if not part.startswith(title)]
        RECORD.write_text("\n".join(part.rstrip("\n") + "\n" for part in [*parts, text]))
    return 0 if words.count("failed") == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
