# Runs the fixtures of tests/kernels/pitfalls/table.txt with `heddle run --check`: the mistake must be
# caught as its line says, the corrected twin must be right and silent.
#
#   pitfalls_test.py HEDDLE FOLDER [NAME]
import json
import subprocess
import sys
from pathlib import Path


def rows(table):
    """name, targets, what it must be caught as."""
    for line in table.read_text().splitlines():
        line = line.split("#")[0].rstrip()
        if not line:
            continue
        name, *words = line.split()
        targets = [word for word in words if word.startswith("gfx")]
        caught = line[line.rindex(targets[-1]) + len(targets[-1]):].strip()
        yield name, targets, caught


def run(heddle, folder, name, target, mistake):
    command = [heddle, "run", f"{folder}/{name}.hip", f"{folder}/{name}.launch", "--check",
               "--profile-all", "--report", "json", "--target", target, "--",
               f"-DMISTAKE={mistake}"]
    done = subprocess.run(command, capture_output=True, text=True)
    report = json.loads(done.stdout) if done.stdout else None
    return done.returncode, report, done.stderr


def names_of(report):
    """Everything that a report says, by name."""
    said = [finding["kind"] for finding in report["findings"]]
    said += [remark["rule"] for remark in report["remarks"]]
    for result in report["results"]:
        # Of several explanations the first is the one that a reader sees as the cause.
        said += [explanation["name"] for explanation in result["explanations"]][:1]
        if result["unwritten"]:
            said.append("unwritten: " + result["unwritten_where"])
    return said


def why_not_caught(status, report, errors, caught):
    if caught.startswith("does not compile: "):
        wanted = caught.removeprefix("does not compile: ")
        return None if status == 2 and wanted in errors else f"status {status}, {errors!r}"
    if report is None:
        return f"status {status}, {errors}"
    said = names_of(report)
    if caught not in said:
        return f"the report says {said or 'nothing'}"
    is_remark = caught in [remark["rule"] for remark in report["remarks"]]
    if status != (0 if is_remark else 1):
        return f"exit status {status}"
    if report["findings"] and not all(f["source"] for f in report["findings"]):
        return "a finding names no source line"
    return None


def why_not_silent(status, report, errors):
    if status != 0 or errors:
        return f"status {status}: {errors}" + (f" {names_of(report)}" if report else "")
    if names_of(report):
        return f"the corrected twin is told {names_of(report)}"
    if not report["results"] or not all(result["right"] for result in report["results"]):
        return "the corrected twin is not judged right"
    return None


def main():
    heddle, folder = sys.argv[1], Path(sys.argv[2])
    only = sys.argv[3] if len(sys.argv) > 3 else None
    cases, failures, seen = 0, 0, set()
    for name, targets, caught in rows(folder / "table.txt"):
        seen.add(name)
        if only and name != only:
            continue
        for target in targets:
            for wrong, problem in (
                    (1, why_not_caught(*run(heddle, folder, name, target, 1), caught)),
                    (0, why_not_silent(*run(heddle, folder, name, target, 0)))):
                cases += 1
                if problem:
                    failures += 1
                    which = f"caught as {caught}" if wrong else "silent"
                    print(f"{name} on {target} is not {which}: {problem}")
    files = {path.stem for path in folder.glob("*.hip")}
    for name in files ^ seen:
        failures += 1
        print(f"{name}: a fixture has a file and a line in table.txt")
    print(f"{cases} cases, {failures} failures")
    return 1 if failures or cases < 2 else 0


sys.exit(main())
