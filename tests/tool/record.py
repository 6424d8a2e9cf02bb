#!/usr/bin/env python3
"""Writes the CHECK lines of exact cases anew and prints what changed; look before you commit.

    tests/tool/record.py build/bin/heddle tests/tool/show_gfx11_a.txt ...

An exact case has one RUN line that ends in `| %check %s`. Never part of ./dev test.
"""
import difflib
import pathlib
import re
import shlex
import subprocess
import sys

RUN = re.compile(r"# RUN: %exits (\d+) %heddle(.*?)( 2>&1)? \| %check %s$")


def record(program: str, file: pathlib.Path) -> None:
    old = file.read_text()
    head = [line for line in old.splitlines() if line.startswith("#")]
    runs = [match for line in head if (match := RUN.match(line))]
    if len(runs) != 1:
        sys.exit(f"{file}: not an exact case; it needs one RUN line that ends in `| %check %s`")
    command = [program, *shlex.split(runs[0][2])]
    errors = subprocess.STDOUT if runs[0][3] else subprocess.DEVNULL
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, text=True).stdout
    checks = ["CHECK-NEXT:" + line if line else "CHECK-EMPTY:" for line in output.splitlines()]
    if checks:
        checks[0] = checks[0].replace("CHECK-NEXT:", "CHECK:", 1)
    new = "\n".join([*head, "", *checks, "CHECK-NOT:{{.}}", ""])
    sys.stdout.writelines(
        difflib.unified_diff(
            old.splitlines(True), new.splitlines(True), str(file), f"{file} (now)"
        )
    )
    file.write_text(new)


if len(sys.argv) < 3:
    sys.exit(__doc__)
for name in sys.argv[2:]:
    record(sys.argv[1], pathlib.Path(name))
