#!/usr/bin/env python3
"""How many public MLIR texts the compiler takes, by what they hold and by project.

    ./dev bench texts FOLDER … [--targets gfx1151 sm_80 …] [--run TARGET …] [--witness] [--each FILE]
                      [--record] [--revisions PROJECT=REVISION …]

Each FOLDER is a checkout of a project whose tests are MLIR text (github.com/iree-org/iree, for example), or a part of
one; its name is the project's. Every function of its .mlir files that holds a contraction, a convolution, a pool, a
softmax or a reduction, of linalg or on vectors, and that mlir-opt accepts with upstream's dialects alone, is compiled
for each target, with the functions and constants that it uses. On the targets of --run it is also run, as far as the
emulator does so within --seconds, and judged. With --witness, what is right by that judge is compared with MLIR's own
way to the CPU (tests/compiler/cpu_witness.py), too. Prints a table: taken and right, wrong, refused by the first
reason, crashed. What stands in the file of --each is not tried again, so that a count which was ended goes on. The exit
status is 1 if a result is wrong or the compiler crashed.
"""
import argparse
import collections
import concurrent.futures
import datetime
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = ROOT / "bench/records/texts.md"

# What a function is counted as: the first that its body holds.
KINDS = {
    "convolution": r"linalg\.(depthwise_)?conv_\w+",
    "contraction": r"linalg\.(matmul|batch_matmul|contract|matvec|vecmat|dot|batch_matvec|batch_vecmat|mmt4d|"
                   r"batch_mmt4d|batch_reduce_matmul|quantized_\w+|matmul_transpose_\w+|"
                   r"batch_matmul_transpose_\w+)\b"
                   r"|linalg\.generic(?:(?!linalg\.generic).)*?\"reduction\"(?:(?!linalg\.yield).)*?arith\.mul[fi]",
    "pool": r"linalg\.pooling_\w+",
    "softmax": r"linalg\.softmax",
    "reduction": r"linalg\.reduce\b|linalg\.generic(?:(?!linalg\.generic).)*?\"reduction\"",
    "on vectors": r"vector\.(contract|outerproduct|multi_reduction|reduction|scan)\b",
}
# Upstream's dialects that this compiler reads; a function with operations or types of others is left out.
OTHERS = re.compile(r"\b(iree\w*|flow|hal|util|stream|vm|check|pcf|transform|torch|tm_tensor|stablehlo|chlo|ukernel)\."
                    r"|#iree|!iree|@__transform|\b(tosa|sparse_tensor|gpu|nvgpu|nvvm|rocdl|amdgpu|amx|x86\w*|xegpu|spirv|"
                    r"llvm|async|shard|mesh|omp|acc|arm_\w+|quant|shape|ml_program|emitc|test|index|air|airrt|aie\w*|"
                    r"xsmm|perf|check|linalgx|gemmini|rvv|dap|bud|buddy\w*|vir|hexagon\w*|tptr|ttx|triton|tt)\.[\w.]+")
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
        found.append(f"{name} = 0" if OTHERS.search(definition) else definition.strip())
    return found


def functions(text):
    """(name, text of the function) of each in one part of a file."""
    for match in re.finditer(r"func\.func\s+(?:private\s+|public\s+|nested\s+)?@([\w$.-]+)\s*\(", text):
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
        yield match.group(1), re.sub(r"func\.func\s+(private|public|nested)\s+", "func.func ", function)


def used_by(name, all_functions):
    """The names of the functions that one calls, itself first."""
    names = [name]
    for one in names:
        names += [called for called in re.findall(r"\bcall @([\w$.-]+)", all_functions[one])
                  if called in all_functions and called not in names]
    return names


def kind_of(body, definitions):
    for name, definition in definitions.items():
        if "iterator_types" in definition:
            body = re.sub(re.escape(name) + r"\b", lambda _, by=definition: by, body)
    body = body.replace("#linalg.iterator_type<reduction>", '"reduction"')
    return next((kind for kind, words in KINDS.items() if re.search(words, body, re.S)), None)


def texts(folder):
    """(name, kind, text, reason) of all functions with something to count; a reason, and no text, to leave one out."""
    seen = set()
    for path in sorted(folder.rglob("*.mlir")):
        for number, part in enumerate(re.split(r"^// -----.*$", path.read_text(errors="replace"), flags=re.M)):
            part = without_foreign_attributes(re.sub(r"^\s*//.*$", "", part, flags=re.M))
            definitions = {one.split("=")[0].strip(): one for one in aliases(part)}
            globals_ = re.findall(r"^\s*(memref\.global .*)$", part, re.M)
            found = dict(functions(part))
            for name, body in found.items():
                kind = kind_of(body, definitions)
                same = re.sub(r"@[\w$.-]+", "@", body, count=1)
                if kind is None or same in seen:
                    continue
                seen.add(same)
                body = "\n".join(found[one] for one in used_by(name, found))
                head = list(definitions.values()) + [one for one in globals_ if one.split("@")[1].split()[0] in body]
                title = f"{folder.name}/{path.relative_to(folder).with_suffix(str())}__{number}__{name}"
                foreign = OTHERS.search(body) or any(
                    definition.endswith("= 0") and re.search(r",\s*" + re.escape(alias) + r"\s*>", body)
                    for alias, definition in definitions.items())
                signature = re.search(r"func\.func @[\w$.-]+\s*(.*?)\s*\{\s*\n", found[name], re.S)
                if foreign:
                    yield title, kind, "", "of other dialects"
                elif "builtin.unrealized_conversion_cast" in body:
                    yield title, kind, "", "in the middle of a conversion between dialects"
                elif signature and "->" not in re.sub(r"affine_map<.*?>", "", signature[1]) and "memref" not in signature[1]:
                    yield title, kind, "", "functions that give nothing back"
                else:
                    yield title, kind, "\n".join(head) + "\n" + body + "\n", ""


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


def compared(heddle, target, path, seconds):
    """How the kernel and MLIR's own way to the CPU agree: a word, and the witness's own words."""
    status, output = run([sys.executable, ROOT / "tests/compiler/cpu_witness.py",
                          "--heddle", heddle, "--target", target, path], seconds)
    words = re.sub(r"\S*/text\.mlir|/tmp/\S*", "", output.strip().replace("\n", " "))
    kinds = {0: "agrees", 2: "not compared", None: "too slow for the CPU"}
    return "DIFFERS" if "DIFFERENT" in output else kinds.get(status, "witness crashed"), words


def known_words(file):
    """The words about each text and target that a count has written to the file of --each."""
    known = collections.defaultdict(dict)
    if file and file.exists():
        for line in file.read_text().splitlines():
            target, word, name, _, *why = line.split("\t")
            known[name][target] = (word, why[0] if why else "")
    return known


def try_text(options, known, name, kind, text, left_out):
    """What becomes of a text: a word for each target, or the reason why it is left out."""
    if left_out:
        return name, kind, None, left_out
    if all(target in known.get(name, {}) for target in options.targets):
        return name, kind, known[name], ""
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "text.mlir"
        path.write_text(text)
        if run([options.mlir_opt, str(path), "-o", "/dev/null"], 60)[0] != 0:
            return name, kind, None, "that are not MLIR 22"
        if options.keep:
            (options.keep / (name.replace("/", "__") + ".mlir")).write_text(text)
        words = {target: on_target(options, target, path) for target in options.targets}
    return name, kind, words, ""


def on_target(options, target, path):
    if target in options.run and options.seconds and zlib.crc32(path.read_bytes()) % options.every == 0:
        status, output = run([options.heddle, "run", str(path), "--target", target, "--limit-compile", "60",
                              *(["--check"] if options.check else [])], options.seconds)
        if status == 0 and options.witness:
            verdict, words = compared(options.heddle, target, path, 60)
            return ("DIFFERS" if verdict == "DIFFERS" else "right"), f"{verdict}: {words}"
        if status == 1 and "NOT JUDGED" in output:  # the text leaves its result open
            return "compiled", ""
        if status == 1 and "budget spent" not in output or status not in (0, 1, 2, None):
            return ("wrong" if status == 1 else "crashed"), reason(output)
        if status == 0:
            return "right", ""
    status, output = run([options.heddle, "compile", str(path), "--target", target, "-o", str(path) + ".out"], 120)
    kind = {0: "compiled", 2: "refused", None: "too slow"}.get(status, "crashed")
    if "internal error" in output:
        kind = "crashed"
    return kind, "" if kind == "compiled" else reason(output)


TAKEN, BAD = ("right", "compiled", "wrong", "DIFFERS"), ("wrong", "crashed", "DIFFERS")


def table(results, target, projects):
    """How many of each kind and project are taken on a target."""
    lines = [f"| {target} | " + " | ".join(projects) + " | all | taken | run and right | wrong |",
             "| --- |" + " ---: |" * (len(projects) + 4)]
    for kind in KINDS:
        def counted(words, project=None, kind=kind):
            return sum(1 for name, of, by_target, _ in results
                       if of == kind and by_target and by_target[target][0] in words
                       and (project is None or name.startswith(project + "/")))
        cells, every = [], (*TAKEN, "refused", "too slow", "crashed")
        for project in projects:
            cells.append(f"{counted(TAKEN, project)} of {counted(every, project)}")
        total, taken = counted(every), counted(TAKEN)
        if total:
            lines.append(f"| {kind} | " + " | ".join(cells) + f" | {taken} of {total} | {100 * taken / total:.1f} % | "
                         f"{counted(('right',))} | {counted(BAD)} |")
    return "\n".join(lines)


def refusals(results, target, most):
    counts, examples = collections.Counter(), {}
    for name, kind, by_target, _ in results:
        if by_target and by_target[target][0] in ("refused", "too slow"):
            key = (kind, by_target[target][1])
            counts[key] += 1
            examples.setdefault(key, name)
    lines = [f"| {target}: times | kind | refused | the first |", "| ---: | --- | --- | --- |"]
    for (kind, words), number in counts.most_common(most):
        lines.append(f"| {number} | {kind} | {words.replace('|', chr(92) + '|')} | {examples[(kind, words)]} |")
    return "\n".join(lines)


HEAD = """# Public texts of contractions, convolutions, pools, softmaxes and reductions

What `./dev bench texts FOLDER … --record` wrote on {date}: how many functions of other projects' tests the compiler
takes. A function that mlir-opt 22 does not accept, that has operations of dialects which the compiler does not read,
that stands in the middle of a conversion, or that gives nothing back, is left out; equal functions count once. {runs}

| project | revision | files | functions |
| --- | --- | ---: | ---: |
{projects}

"""


def head(options, results):
    """The beginning of the record: what was counted, and when."""
    revisions = dict(one.split("=", 1) for one in options.revisions)
    lines = []
    for folder in options.folders:
        name = folder.resolve().name
        counted = sum(1 for title, _, words, _ in results if words and title.startswith(name + "/"))
        lines.append(f"| {name.replace('+', '/')} | {revisions.get(name, '')} | "
                     f"{sum(1 for _ in folder.rglob('*.mlir'))} | {counted} |")
    runs = "All were compiled, none was run."
    if options.seconds:
        share = "all" if options.every == 1 else f"one of {options.every}"
        runs = (f"All were compiled; {share} of them the emulator ran for {', '.join(options.run)}, as far as that "
                f"takes {options.seconds:g} seconds, and float64 judged.")
    return HEAD.format(date=f"{datetime.date.today():%-d %B %Y}", runs=runs, projects="\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--heddle", default=str(ROOT / "build/bin/heddle"))
    parser.add_argument("--mlir-opt", default="mlir-opt-22")
    parser.add_argument("--targets", nargs="+", default=["gfx1151", "gfx1201", "gfx942", "sm_80", "sm_90a"])
    parser.add_argument("--run", nargs="*", default=None, help="targets that also run it; the first, if left out")
    parser.add_argument("--seconds", type=float, default=10, help="of one run; 0: none is run")
    parser.add_argument("--every", type=int, default=1, help="run one of so many texts")
    parser.add_argument("--revisions", nargs="+", default=[], help="what each project was, for the record")
    parser.add_argument("--check", action="store_true", help="watch every access of what is run")
    parser.add_argument("--witness", action="store_true", help="compare with the CPU")
    parser.add_argument("--each", type=pathlib.Path, help="a file for a line about each text")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the texts")
    parser.add_argument("--only", default="", help="texts whose name matches this regular expression")
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), help="of " + ", ".join(KINDS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.relative_to(ROOT)}")
    options = parser.parse_args()
    options.run = options.targets[:1] if options.run is None else options.run
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    found = [one for folder in options.folders for one in texts(folder.resolve())
             if re.search(options.only, one[0]) and one[1] in options.kinds]
    results, known = [], known_words(options.each)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda one: try_text(options, known, *one), found):
            results.append(result)
            if options.each and result[2] and result[0] not in known:
                with options.each.open("a") as each:
                    for target, (word, why) in result[2].items():
                        print(target, word, *result[:2], why, sep="\t", file=each)
    projects = [folder.resolve().name for folder in options.folders]
    left_out = collections.Counter(why for _, _, words, why in results if words is None)
    parts = [table(results, target, projects) for target in options.targets]
    parts.append("Left out: " + ", ".join(f"{number} {why}" for why, number in left_out.most_common()) + ".")
    parts.append(refusals(results, options.targets[0], 60))
    bad = [f"{target} {word}: {name}: {why}" for name, _, words, _ in results for target, (word, why) in
           (words or {}).items() if word in BAD]
    if options.witness:
        verdicts = collections.Counter(why.split(":")[0] for _, _, words, _ in results if words
                                       for word, why in words.values() if word in ("right", "DIFFERS") and why)
        parts.append("Against the CPU: " + ", ".join(f"{number} {kind}" for kind, number in verdicts.most_common()))
    parts.append("\n".join(bad) if bad else "None is wrong, and none crashed.")
    printed = "\n\n".join(parts)
    print(printed)
    if options.record:
        RECORD.write_text(head(options, results) + printed + "\n")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
