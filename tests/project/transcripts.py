#!/usr/bin/env python3
"""Holds the README to the truth: its transcripts are run again, its code is the examples' own.

    transcripts.py ROOT HEDDLE            compare; prints the difference, exit status 1
    transcripts.py ROOT HEDDLE --update   rewrite README.md and docs/images from what is now true

A block ```console holds one command after `$ ` and what it prints; lines that start with `time` are
compared without their numbers. A block ```cpp FILE holds that file.
"""

import difflib
import pathlib
import re
import shlex
import subprocess
import sys

PICTURE = "docs/images/wmma_gfx1151.svg"
PICTURE_COMMAND = "show v_wmma_f32_16x16x16_f16 --arch gfx1151 --format svg"
BLOCK = re.compile(r"```(console|cpp (\S+))\n(.*?)```\n", re.S)


def run(root, heddle, command):
    words = shlex.split(command)
    assert words[0] == "build/bin/heddle", f"a transcript runs build/bin/heddle, not {words[0]}"
    done = subprocess.run([heddle, *words[1:]], cwd=root, capture_output=True, text=True)
    return done.stdout + done.stderr


def true_block(root, heddle, match):
    kind, path, body = match.groups()
    if path:
        return f"```{kind}\n{(root / path).read_text()}```\n"
    command = body.split("\n", 1)[0]
    return f"```{kind}\n{command}\n{run(root, heddle, command.removeprefix('$ '))}```\n"


def comparable(text):
    """Times differ from run to run; the wording must not. A `time` entry may wrap over lines."""
    entry = re.compile(r"^time .*(\n +.*)*", re.M)
    return entry.sub(lambda m: " ".join(re.sub(r"[0-9.]+|x86-64-v\d|portable", "#", m[0]).split()), text)


def check(name, written, true):
    if comparable(written) == comparable(true):
        return 0
    print(*difflib.unified_diff(written.splitlines(), true.splitlines(), name, "true", lineterm=""), sep="\n")
    return 1


def main():
    root, heddle = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    readme, picture = root / "README.md", root / PICTURE
    text = readme.read_text()
    blocks = list(BLOCK.finditer(text))
    true_text = BLOCK.sub(lambda match: true_block(root, heddle, match), text)
    true_picture = run(root, heddle, f"build/bin/heddle {PICTURE_COMMAND}")
    if "--update" in sys.argv:
        readme.write_text(true_text)
        picture.write_text(true_picture)
        return 0
    wrong = check("README.md", text, true_text) + check(PICTURE, picture.read_text(), true_picture)
    if len(blocks) < 3:
        print(f"only {len(blocks)} blocks found in README.md")
        wrong += 1
    print(f"{len(blocks)} blocks and a picture: {'all true' if wrong == 0 else 'not true any more; --update rewrites'}")
    return 1 if wrong else 0


sys.exit(main())
