#!/usr/bin/env python3
"""Runs Triton's tutorials on heddle.triton and in Triton's own interpreter, and prints what each takes.

    tutorials.py run CHECKOUT/python/tutorials --results FILE [--targets gfx942 sm_90a] [--only 03] [--seconds 300]
    tutorials.py table FILE

A tutorial runs as it is but for the sizes in the table below, which are small for the interpreter's sake, and without
its benchmarks. Each run is a process of its own; its seconds are those that processors spend on the tutorial, of all
threads and without imports. The first run on a target compiles, the second finds the kernels in Triton's cache. Later
results of a tutorial replace earlier ones.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Of each tutorial what is replaced in its text, and what is called behind it.
TUTORIALS = {
    "01-vector-add.py": ([], ""),
    "02-fused-softmax.py": ([("1823, 781", "91, 781")], ""),
    "03-matrix-multiplication.py": ([("(512, 512)", "(256, 256)"), (r"if TORCH_HAS_FP8 and", "if False and")], ""),
    "04-low-memory-dropout.py": ([], ""),
    "05-layer-norm.py": ([("test_layer_norm\\(1151, 8192,", "test_layer_norm(64, 1024,")], ""),
    "06-fused-attention.py": (
        [],
        'test_op(1, 2, 128, 64, True, False, "bwd", "triton-fp16", torch.float16)',
    ),
    "07-extern-functions.py": ([(r"assert x.is_cuda and output_triton.is_cuda", "")], ""),
    "08-grouped-gemm.py": ([("1024, 512, 256, 128", "128, 128, 256, 128")], ""),
}

# Says "TUTORIAL {json}" when it is done.
PROGRAM = r"""
import json, os, re, sys, time, types
import torch, triton, triton.testing
import heddle.triton
name, target, replaced, call = json.loads(sys.argv[1])
heddle.triton.activate(target, cuda=True)
import triton._internal_testing as internal
internal.__getattr__ = lambda name: (lambda *_: False) if name.startswith("is_") else (_ for _ in ()).throw(AttributeError(name))
if "TRITON_INTERPRET" in os.environ:  # Triton 3.6's interpreter takes int() of arrays of one, which numpy 2.5 refuses
    import triton.runtime.interpreter as interpreter
    patch = interpreter._patch_lang_tensor
    def patched(tensor, scope):
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: self.handle.data.item())
    interpreter._patch_lang_tensor = patched
sys.modules["tabulate"] = types.SimpleNamespace(tabulate=lambda *_: "")
class Skipped:
    run = staticmethod(lambda *_, **__: None)
triton.testing.perf_report = lambda *_: lambda function: Skipped
text = open(name, encoding="utf-8").read()
for pattern, by in replaced:
    text, count = re.subn(pattern, by, text)
    assert count, f"the tutorial has no {pattern!r}"
torch.manual_seed(0)
space = {"__name__": "tutorial", "__file__": name}
import linecache
path = name + ".small.py"
linecache.cache[path] = (len(text), None, text.splitlines(True), path)
before = time.process_time()
exec(compile(text, path, "exec"), space)
if call:
    exec(call, space)
seconds = time.process_time() - before
print("TUTORIAL", json.dumps({"seconds": seconds}), flush=True)
"""


def run(path: pathlib.Path, target: str, interpret: bool, cache: str, seconds: float) -> tuple[str, str]:
    """Seconds as a text, and why there are none."""
    replaced, call = TUTORIALS[path.name]
    environment = os.environ | {"TRITON_CACHE_DIR": cache, "CUDA_VISIBLE_DEVICES": ""}
    environment.pop("HEDDLE_TRITON", None)
    if interpret:
        environment["TRITON_INTERPRET"] = "1"
    command = [*os.environ.get("PYTHON", sys.executable).split(), "-c", PROGRAM]
    try:
        done = subprocess.run([*command, json.dumps([str(path), target, replaced, call])], env=environment,
                              capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return "", f"more than {seconds:.0f} s"
    found = re.search(r"^TUTORIAL (.*)$", done.stdout, re.M)
    if found:
        return f"{json.loads(found[1])['seconds']:.2f}", ""
    lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
    return "", next((line for line in reversed(lines) if re.match(r"[\w.]+(Error|Exception|Fault|Finding)\b", line)), lines[-1])[:110]


def run_all(options: argparse.Namespace) -> None:
    for name in TUTORIALS:
        if options.only not in name:
            continue
        record = {"tutorial": name.removesuffix(".py"), "seconds": {}, "problems": []}
        for target in [*options.targets, ""]:
            with tempfile.TemporaryDirectory() as cache:
                for column in [f"{target}, compiled", f"{target}, cached"] if target else ["interpreter"]:
                    seconds, problem = run(options.folder / name, target or options.targets[0], not target, cache,
                                           options.seconds)
                    record["seconds"][column] = seconds
                    if problem:
                        record["problems"].append(f"{column}: {problem}")
        with open(options.results, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        print(json.dumps(record), flush=True)


def table(file: pathlib.Path) -> str:
    records = {each["tutorial"]: each for each in map(json.loads, file.read_text(encoding="utf-8").splitlines())}
    columns = list(dict.fromkeys(column for each in records.values() for column in each["seconds"]))
    columns.sort(key=lambda column: column == "interpreter")
    lines = ["| tutorial | " + " | ".join(columns) + " |", "| --- |" + " ---: |" * len(columns)]
    for name, each in sorted(records.items()):
        lines.append(f"| {name} | " + " | ".join(each["seconds"].get(column) or "-" for column in columns) + " |")
    problems = [f"- {name}, {problem}" for name, each in sorted(records.items()) for problem in each["problems"]]
    return "\n".join([*lines, "", *problems]).rstrip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("folder", type=pathlib.Path)
    running.add_argument("--results", type=pathlib.Path, required=True)
    running.add_argument("--targets", nargs="+", default=["gfx942", "sm_90a"])
    running.add_argument("--only", default="")
    running.add_argument("--seconds", type=float, default=300)
    commands.add_parser("table").add_argument("results", type=pathlib.Path)
    options = parser.parse_args()
    if options.command == "run":
        run_all(options)
    else:
        print(table(options.results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
