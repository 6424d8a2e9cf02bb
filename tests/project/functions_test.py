#!/usr/bin/env python3
"""functions_test.py FOLDER: no function of the product has more than 100 lines.

Reads the text as clang-format leaves it: a function begins at a line that ends a parameter list with
an opening brace, at most two columns from the left, and ends at the brace in the same column. Tables
and chains of constants are named with their most lines; one that fits now fails, so that its name goes.
"""
import re
import subprocess
import sys

MOST = 100
LONG = {  # file and name: lines
    ("include/heddle/device/multiply_accumulate.h", "multiply_accumulate"): 160,  # a chain of if constexpr
}
OUTSIDE = ("tests/", "bench/", "fuzz/", "explorer/node_modules/")
BEFORE_HEAD = re.compile(r"[;{}]$|^\s*(//|#|public:|private:|protected:)|^$")
NO_FUNCTION = re.compile(r"(return|namespace|struct|class|enum|union|if|for|while|switch|do|else|\})\b")

LAMBDA_OR_LIST = re.compile(r"\[[&=\w, ]*\]\s*[({]|[=(,{]\s*\{$")


def functions(lines):
    """(first line, lines, name) of each function."""
    for end_of_head, line in enumerate(lines):
        if not line.endswith("{"):
            continue
        begin = end_of_head
        while begin > 0 and not BEFORE_HEAD.search(lines[begin - 1]):
            begin -= 1
        column = len(lines[begin]) - len(lines[begin].lstrip())
        head = " ".join(part.strip() for part in lines[begin : end_of_head + 1])
        name = re.search(r"([\w~]+)\(", head)
        if column > 2 or not name or NO_FUNCTION.match(head) or LAMBDA_OR_LIST.search(head):
            continue
        for end in range(end_of_head + 1, len(lines)):
            if lines[end] == " " * column + "}":
                yield begin + 1, end - begin + 1, name[1]
                break


def main():
    folder, wrong, seen = sys.argv[1], [], {}
    files = subprocess.run(["git", "ls-files", "*.cpp", "*.h"], cwd=folder, capture_output=True,
                           text=True, check=True).stdout.split()
    for file in files:
        if file.startswith(OUTSIDE):
            continue
        with open(f"{folder}/{file}", encoding="utf-8") as text:
            lines = text.read().split("\n")
        for first, count, name in functions(lines):
            key = file, name
            if count <= MOST:
                continue
            seen[key] = count
            if count > LONG.get(key, MOST):
                wrong.append(f"{file}:{first}: {name} has {count} lines; at most {MOST}: a function a step")
    wrong += [f"LONG names {file}: {name}, which has at most {MOST} lines" for file, name in LONG
              if (file, name) not in seen]
    print("\n".join(wrong) or "functions are short")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
