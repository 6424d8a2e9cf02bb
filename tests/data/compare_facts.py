"""What has changed upstream in what the tables were read from.

    compare_facts.py FOLDER [FACTS.json]

FOLDER holds checkouts or bare git directories with their history, as triton, triton-lang+triton or
triton-lang/triton. facts.json names what was read of each, when, and what of ours follows from it:

- with a recorder: it is run on the present files, and its answers are compared with the recorded ones;
- with a file and parts of it (functions, definitions; "" is the whole file): their text is compared with
  that of the commit that was read.

Prints a line for each difference with the date of the last change, and what could not be compared. The
status is 1 if something differs. Needs git; nothing is fetched, and nothing of what is compared is changed.
"""

import gzip
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Checkout:
    """A git directory."""

    def __init__(self, path):
        self.path = path

    def git(self, *words, binary=False):
        """The output, or nothing where git says no."""
        run = subprocess.run(["git", "-C", str(self.path), *words], capture_output=True, check=False)
        if run.returncode != 0:
            return None
        return run.stdout if binary else run.stdout.decode(errors="replace")

    def text(self, commit, file):
        return self.git("show", f"{commit}:{file}")

    def date(self, *paths):
        return (self.git("log", "-1", "--format=%as %h", "HEAD", "--", *paths) or "no date").strip()

    def exported(self, folders, into):
        """The folders as they are at HEAD, also where the directory is bare or parts of it are missing."""
        names = self.git("ls-tree", "-r", "--name-only", "HEAD", "--", *folders) or ""
        for name in names.splitlines():
            contents = self.git("show", f"HEAD:{name}", binary=True)
            if contents is None:
                continue
            target = Path(into) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(contents)
        return bool(names)


def find(folder, repository):
    owner, name = repository.split("/")
    for path in (Path(folder) / name, Path(folder) / f"{owner}+{name}", Path(folder) / owner / name):
        for git in (path, path / "repo"):
            checkout = Checkout(git)
            if git.is_dir() and checkout.git("rev-parse", "HEAD") and (
                    (git / ".git").exists() or (git / "HEAD").exists()):
                return checkout
    return None


def part_of(text, anchor):
    """The definitions that begin with a line that has the anchor, without spaces; nothing if there is none."""
    if anchor == "":
        return re.sub(r"\s+", " ", text)
    lines, parts = text.splitlines(), []
    for number, line in enumerate(lines):
        # A definition begins in the first column; what is called or declared further in does not.
        if anchor not in line or line[:1].isspace() or line.startswith(("//", "#")):
            continue
        end = number + 1
        while end < len(lines) and not re.match(r"[})]", lines[end]) and lines[end].strip():
            end += 1
        # A function has blank lines inside: it ends with a bracket in the first column.
        if "{" in "".join(lines[number:end]):
            while end < len(lines) and not lines[end].startswith("}"):
                end += 1
        parts.append(" ".join(lines[number:end + 1]))
    return re.sub(r"\s+", " ", " ".join(parts)) if parts else None


def compared_text(fact, checkout):
    """(differs, line) for each part."""
    file = fact["file"]
    now = checkout.text("HEAD", file)
    if now is None:
        yield True, f"{file} is gone; what was read was of {fact['commit']}"
        return
    then = checkout.text(fact["commit"], file)
    if then is None:
        yield False, f"not compared: the checkout has no {fact['commit']}; {file} last changed {checkout.date(file)}"
        return
    for anchor in fact["parts"]:
        what = f"{anchor} of {file}" if anchor else file
        before, after = part_of(then, anchor), part_of(now, anchor)
        if before is None:
            yield False, f"not compared: {fact['commit']} has no {what}"
        elif after is None:
            yield True, f"{what} is gone; {file} last changed {checkout.date(file)}"
        elif before != after:
            known = fact.get("known", {}).get(anchor)
            yield known is None, (f"{what} differs from {fact['commit']}; last change {checkout.date(file)}"
                                  + (f" ({known})" if known else ""))


def answers_in(path):
    with gzip.open(path) as file:
        recorded = json.load(file)
    # The one table of the file, by its names.
    return next(value for value in recorded.values() if isinstance(value, dict))


def compared_answers(fact, checkout):
    with tempfile.TemporaryDirectory() as scratch:
        if not checkout.exported(fact["folders"], scratch):
            yield True, f"{', '.join(fact['folders'])} are gone; what was read was of {fact['commit']}"
            return
        output = Path(scratch) / "now.json.gz"
        run = subprocess.run([sys.executable, str(ROOT / fact["recorder"]), scratch, "HEAD", str(output)],
                             capture_output=True, text=True, check=False)
        if run.returncode != 0:
            yield True, f"{fact['recorder']} does not run on it any more: {run.stderr.strip().splitlines()[-1]}"
            return
        before, after = answers_in(ROOT / fact["recorded"]), answers_in(output)
    date = checkout.date(*fact["folders"])
    for name in sorted(before.keys() | after.keys()):
        if name not in before:
            yield True, f"{name} is new; last change {date}"
        elif name not in after:
            yield True, f"{name} is gone; last change {date}"
        elif before[name] != after[name]:
            yield True, f"{name} answers otherwise than recorded of {fact['commit']}; last change {date}"


def main(folder, facts=str(ROOT / "tests/data/facts.json")):
    differences = 0
    for fact in json.loads(Path(facts).read_text()):
        checkout = find(folder, fact["repository"])
        print(f"{fact['repository']} -> {fact['ours']}")
        if checkout is None:
            print(f"  not compared: {folder} has no checkout of it; read was {fact['commit'][:14]}")
            continue
        read = (checkout.git("log", "-1", "--format=%as", fact["commit"]) or "no date").strip()
        print(f"  read {fact['commit'][:14]} of {read}, now {checkout.date('.')}")
        found = list((compared_answers if "recorder" in fact else compared_text)(fact, checkout))
        for differs, line in found:
            differences += differs
            print(f"  {'DIFFERS: ' if differs else ''}{line}")
        if not found:
            print("  as it was read")
    print(f"{differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
