#!/usr/bin/env python3
"""How many MLIR texts of another project the product compiler takes.

    foreign_texts.py FOLDER [--heddle build/bin/heddle] [--targets gfx1151 sm_80 sm_90a]

FOLDER is a checkout of a project whose tests are MLIR text, such as github.com/iree-org/iree, or a
part of it. Every function in its .mlir files that has a linalg contraction or convolution, and
that mlir-opt accepts with upstream's dialects alone, is compiled for each target. On the first one
it is also run, as far as the emulator does so within --seconds, and judged. With --witness, what is
right by that judge is compared with MLIR's own way to the CPU (cpu_witness.py), too. Prints a table:
taken and right, taken and wrong, refused by the first reason, crashed. The exit status is 1 if a
result is wrong or the compiler crashed.
"""
import argparse
import collections
import math
import pathlib
import re
import subprocess
import sys
import tempfile

NAMED = re.compile(
    r"linalg\.(matmul|batch_matmul|contract|matvec|vecmat|dot|batch_matvec|batch_vecmat|mmt4d|"
    r"batch_mmt4d|batch_reduce_matmul|quantized_\w+|conv_\w+|depthwise_conv_\w+|matmul_transpose_\w+|"
    r"batch_matmul_transpose_\w+)\b"
)
GENERIC = re.compile(r"linalg\.generic(?:(?!linalg\.generic).)*?\"reduction\"(?:(?!linalg\.yield).)*?"
                     r"arith\.mul[fi]", re.S)
FOREIGN = re.compile(r"\b(iree\w*|flow|hal|util|stream|vm|check|pcf|transform|torch|tm_tensor|"
                     r"stablehlo|chlo|tosa|ukernel)\.|#iree|!iree|@__transform")
ALIAS = re.compile(r"^[#!][\w$.-]+\s*=", re.M)


def closing(text, begin):
    """Behind the bracket that closes the one at `begin`, strings left out."""
    depth, inside, at = 0, False, begin
    while at < len(text):
        c = text[at]
        if c == '"' and text[at - 1] != "\\":
            inside = not inside
        elif not inside and c in "{(<[" and not (c == "<" and text[at - 1] == " "):
            depth += 1
        elif not inside and c in "})>]" and not (c == ">" and text[at - 1] in "-= "):
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return None


def without_foreign_attributes(text):
    """Notes to the other project's passes, which operations carry as attributes, become 0."""
    for found in iter(lambda: re.search(r"#iree\w*\.[\w.]+(<)?", text), None):
        end = closing(text, found.end() - 1) if found.group(1) else found.end()
        if end is None:
            return text
        text = text[: found.start()] + "0" + text[end:]
    text = re.sub(r"\butil\.func\b", "func.func", text)
    return re.sub(r"\butil\.return\b", "return", text)


def aliases(text):
    """Definitions of attributes and types, each with the lines that go on; of foreign ones 0."""
    found = []
    for match in ALIAS.finditer(text):
        rest = text[match.start():]
        end = re.search(r"\n(?=[#!]|\s*(func|module|util|hal|transform|//)|\s*$|%)", rest)
        definition = rest[: end.start() if end else len(rest)]
        name = definition.split("=")[0].strip()
        found.append(f"{name} = 0" if FOREIGN.search(definition) else definition.strip())
    return found


def functions(text):
    """(name, text) of each function of one part of a file."""
    head = "\n".join(aliases(text))
    for match in re.finditer(r"func\.func\s+(?:private\s+|public\s+)?@([\w$.-]+)\s*\(", text):
        signature = closing(text, match.end() - 1)
        if signature is None:
            continue
        brace = re.compile(r"\s*(?:->\s*(?:\((?:[^()]|\([^()]*\))*\)|[^\s{]+))?").match(text, signature)
        between, at = brace.group(0), brace.end()
        attributes = re.compile(r"\s*attributes\s*").match(text, at)
        if attributes:
            at = closing(text, attributes.end())
            if at is None:
                continue
        body = re.compile(r"\s*\{").match(text, at)
        if not body:
            continue
        end = closing(text, body.end() - 1)
        if end is None:
            continue
        function = text[match.start():signature] + between + " " + text[body.end() - 1:end]
        function = re.sub(r"//.*", "", function)
        function = re.sub(r"func\.func\s+(private|public)\s+", "func.func ", function)
        yield match.group(1), head + "\n" + function + "\n"


def texts(folder):
    """(name, text) of all functions with a contraction."""
    for path in sorted(folder.rglob("*.mlir")):
        for number, part in enumerate(re.split(r"^// -----.*$", path.read_text(errors="replace"),
                                               flags=re.M)):
            part = without_foreign_attributes(re.sub(r"^\s*//.*$", "", part, flags=re.M))
            for name, text in functions(part):
                body = text[text.index("func.func"):]
                if (NAMED.search(body) or GENERIC.search(body)) and not FOREIGN.search(body):
                    yield f"{path.stem}__{number}__{name}", text


def run(command, seconds):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds,
                              errors="replace")
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout + done.stderr


def reason(output):
    """The first error, without its place and numbers."""
    found = re.search(r"error: (.*?)(?:; accepted:|$)", output, re.M)
    words = found.group(1) if found else (output.strip().splitlines() or ["no words"])[-1]
    words = re.sub(r"tensor<[^ ]*>|memref<[^ ]*>", "T", words)
    return re.sub(r"\d+", "N", words)[:110]


def largest_array(text):
    """Elements of the largest array whose sizes the text says."""
    sizes = re.findall(r"(?:tensor|memref)<((?:\d+x)+)", text)
    return max((math.prod(int(size) for size in one.split("x")[:-1]) for one in sizes), default=1)


def compared(heddle, target, path, seconds):
    """How the kernel and MLIR's own way to the CPU agree: a word, and the witness's own words."""
    status, output = run([sys.executable, pathlib.Path(__file__).with_name("cpu_witness.py"),
                          "--heddle", heddle, "--target", target, path], seconds)
    words = re.sub(r"\S*/text\.mlir|/tmp/\S*", "", output.strip().replace("\n", " "))
    kinds = {0: "agrees", 2: "not compared", None: "too slow for the CPU"}
    return "DIFFERS" if "DIFFERENT" in output else kinds.get(status, "witness crashed"), words


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--mlir-opt", default="mlir-opt-22")
    parser.add_argument("--targets", nargs="+", default=["gfx1151", "sm_80", "sm_90a"])
    parser.add_argument("--seconds", type=float, default=10, help="of one run; 0: none is run")
    parser.add_argument("--elements", type=int, default=1 << 62,
                        help="of the largest array of a text that is run")
    parser.add_argument("--witness", action="store_true", help="compare with the CPU")
    parser.add_argument("--each", type=pathlib.Path, help="a file for a line about each text")
    parser.add_argument("--only", default="", help="texts whose name has this in it")
    arguments = parser.parse_args()
    counts = {target: collections.Counter() for target in arguments.targets}
    refusals = {target: collections.Counter() for target in arguments.targets}
    witness = collections.Counter()
    examples, bad, total, seen = {}, [], 0, set()
    each = arguments.each.open("w") if arguments.each else None
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "text.mlir"
        for name, text in texts(arguments.folder):
            if arguments.only not in name or text in seen:
                continue
            seen.add(text)
            path.write_text(text)
            if run([arguments.mlir_opt, str(path), "-o", "/dev/null"], 60)[0] != 0:
                continue
            total += 1
            for target in arguments.targets:
                status, output = run([arguments.heddle, "compile", str(path), "--target", target,
                                      "-o", str(path) + ".out"], 120)
                kind = {0: "compiled", 2: "refused", None: "too slow"}.get(status, "crashed")
                if "internal error" in output:
                    kind = "crashed"
                is_run = arguments.seconds and largest_array(text) <= arguments.elements
                if kind == "compiled" and target == arguments.targets[0] and is_run:
                    status, output = run([arguments.heddle, "run", str(path), "--target", target],
                                         arguments.seconds)
                    kind = {0: "right", 1: "wrong", 2: "not run", None: "not run"}.get(status,
                                                                                      "crashed")
                if kind == "refused":
                    refusals[target][reason(output)] += 1
                    examples.setdefault(reason(output), []).append(name)
                if kind in ("wrong", "crashed"):
                    bad.append(f"{target} {kind}: {name}: {reason(output)}")
                counts[target][kind] += 1
                words = reason(output) if kind == "refused" else ""
                if arguments.witness and kind == "right":
                    verdict, words = compared(arguments.heddle, target, path, 60)
                    witness[verdict] += 1
                    if verdict == "DIFFERS":
                        bad.append(f"{target} differs from the CPU: {name}: {words}")
                    words = f"{verdict}: {words}"
                if each:
                    print(target, kind, name, words, sep="\t", file=each, flush=True)
    print(f"{total} texts with a contraction or convolution")
    for target in arguments.targets:
        taken = sum(counts[target][kind] for kind in ("right", "compiled", "not run", "wrong"))
        print(f"\n{target}: {taken} taken ({100 * taken / max(total, 1):.1f} %):",
              ", ".join(f"{number} {kind}" for kind, number in counts[target].most_common()))
        for words, number in refusals[target].most_common():
            print(f"  {number:4} {words}   [{'; '.join(examples[words][:2])}]")
    if witness:
        print("\nagainst the CPU:", ", ".join(f"{number} {kind}" for kind, number in witness.most_common()))
    print("\n" + "\n".join(bad) if bad else "\nnone wrong, none crashed")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
