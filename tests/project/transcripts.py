#!/usr/bin/env python3
"""Holds the documents to the truth: transcripts are run again, code is the examples' own.

    transcripts.py ROOT HEDDLE            compare; prints the difference, exit status 1
    transcripts.py ROOT HEDDLE --update   rewrite README.md, docs/*.md and docs/images from what is
                                          now true

A block ```console holds one command after `$ ` and what it prints; lines that start with `time`, and what
something took ("in 3.1 ms"), are compared without their numbers. A line `…` stands for any lines that the
page leaves out. A block ```cpp FILE holds that file.
"""

import difflib
import pathlib
import re
import shlex
import subprocess
import sys

ROWS = "offset: (0,1) (0,2) (0,4) (0,8)"  # of 16 halves, one after the other
PICTURES = {
    "docs/images/wmma_gfx1151.svg": "show v_wmma_f32_16x16x16_f16 --arch gfx1151 --format svg",
    "docs/images/banks_gfx1151.svg":
        "banks --arch gfx1151 --access v_wmma_f32_16x16x16_f16.A --format svg"
        f" --memory '{ROWS} (1,8) (2,0) (4,0) (8,0) -> m: 16, k: 16'"
        f" --memory '{ROWS} (1,0) (2,0) (4,8) (8,0) -> m: 16, k: 16'",
    "docs/images/layout_swizzle.svg": "layout 'Sw<3,3,3> o 0 o (8,64):(64,1)' --format svg",
}
LEFT_OUT = "…"
BLOCK = re.compile(r"```(console|cpp (\S+))\n(.*?)```\n", re.S)


def run(root, heddle, command):
    words = shlex.split(command)
    known = {"build/bin/heddle": heddle, "build/bin/heddle-opt": heddle.with_name("heddle-opt")}
    assert words[0] in known, f"a transcript runs {' or '.join(known)}, not {words[0]}"
    done = subprocess.run([known[words[0]], *words[1:]], cwd=root, capture_output=True, text=True)
    return done.stdout + done.stderr


def true_block(root, heddle, match):
    kind, path, body = match.groups()
    if path:
        return f"```{kind}\n{(root / path).read_text()}```\n"
    command, written = body.split("\n", 1)
    printed = run(root, heddle, command.removeprefix("$ "))
    if shows_parts(comparable(written), comparable(printed)):
        return match[0]
    return f"```{kind}\n{command}\n{printed}```\n"


def shows_parts(written, printed):
    """True if lines are left out of `written` and the others stand in `printed`, in their order. The first
    and the last lines are those of `printed`, unless the page leaves them out."""
    parts = [part.strip("\n") for part in re.split(rf"^ *{LEFT_OUT}$", written, flags=re.M)]
    if len(parts) == 1:
        return False
    pattern = r"(?:.*\n)*?".join(re.escape(part) + "\n" if part else "" for part in parts)
    return re.fullmatch(pattern, printed) is not None


def comparable(text):
    """Times differ from run to run; the wording must not. A `time` entry may wrap over lines."""
    entry = re.compile(r"^time .*(\n +.*)*", re.M)
    text = re.sub(r"\bin [0-9.]+ (ms|s)\b", "in # ms", text)
    return entry.sub(lambda m: " ".join(re.sub(r"[0-9.]+|x86-64-v\d|portable", "#", m[0]).split()), text)


def check(name, written, true):
    if comparable(written) == comparable(true):
        return 0
    print(*difflib.unified_diff(written.splitlines(), true.splitlines(), name, "true", lineterm=""), sep="\n")
    return 1


def main():
    root, heddle = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    blocks = wrong = 0
    for document in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        text = document.read_text()
        found = len(BLOCK.findall(text))
        if document == root / "README.md" and found < 3:
            print(f"only {found} blocks found in README.md")
            wrong += 1
        blocks += found
        wrong += hold(document, root, text, BLOCK.sub(lambda m: true_block(root, heddle, m), text))
    for path, command in PICTURES.items():
        picture = root / path
        written = picture.read_text() if picture.exists() else ""
        wrong += hold(picture, root, written, run(root, heddle, f"build/bin/heddle {command}"))
    verdict = "all true" if wrong == 0 else "not true any more; --update rewrites"
    print(f"{blocks} blocks and {len(PICTURES)} pictures: {verdict}")
    return 1 if wrong else 0


def hold(file, root, written, true):
    """1 if the file does not say what is true; with --update it does so afterwards."""
    if "--update" in sys.argv:
        if comparable(written) != comparable(true):
            file.write_text(true)
        return 0
    return check(str(file.relative_to(root)), written, true)


sys.exit(main())
