#!/usr/bin/env python3
"""Writes what commands print into the records: bench/records/*.md.

    write.py FILE ...                          run each command of these records, write what it prints
    write.py --compare [--build FOLDER] FILE   print differences instead, exit status 1 if there are any

A block of a record begins with a line `<!-- COMMAND -->` and ends with `<!-- end -->`. COMMAND is one
for a shell in the root of the project. Tables of Markdown are written as they are, other text as code.
--build takes the place of build/ in the commands.
"""

import argparse
import difflib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"<!-- (?!end)(.+?) -->\n.*?<!-- end -->\n", re.S)


def printed(command, build):
    done = subprocess.run(command.replace("build/", f"{build}/"), shell=True, cwd=ROOT, text=True,
                          capture_output=True)
    if done.returncode != 0 or not done.stdout.strip():
        sys.exit(f"{command}\nprinted {len(done.stdout)} characters, status {done.returncode}:\n{done.stderr}")
    text = done.stdout.strip("\n") + "\n"
    is_table = any(line.startswith("| ---") or line.startswith("|---") for line in text.splitlines())
    body = f"\n{text}\n" if is_table else f"\n```text\n{text}```\n\n"
    return f"<!-- {command} -->\n{body}<!-- end -->\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--build", default="build")
    options = parser.parse_args()
    status = 0
    for file in options.files:
        written = file.read_text()
        blocks = len(BLOCK.findall(written))
        if blocks == 0:
            sys.exit(f"{file}: no block to write; expected <!-- COMMAND --> and <!-- end -->")
        true = BLOCK.sub(lambda match: printed(match[1], options.build), written)
        if not options.compare:
            file.write_text(true)
        elif written != true:
            status = 1
            print(*difflib.unified_diff(written.splitlines(), true.splitlines(), str(file), "printed now",
                                        lineterm=""), sep="\n")
        print(f"{file}: {blocks} blocks{'' if not options.compare else ' differ' if written != true else ' are true'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
