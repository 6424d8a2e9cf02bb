"""Runs drawn functions (tests/compiler/element_draw.h) on a GPU and compares every element with what
loops in float64 say.

  drawn.py write HEDDLE FUNCTIONS FOLDER FIRST END [TARGET]  draws them by the program FUNCTIONS
                                             (build/tests/element_functions) and compiles them
  drawn.py measure FOLDER [--json FILE]      runs them: needs the driver and numpy alone
  drawn.py table FILE                        prints what was measured, as Markdown
"""
import collections
import ctypes
import datetime
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from driver import Driver, Memory, launches  # noqa: E402

SKIPPED = 77
TYPES = {"f32": "float32", "f16": "float16", "i64": "int64", "i32": "int32", "i8": "int8", "i1": "uint8"}
# What the functions are made of, by words of their texts.
PARTS = {"pad": "tensor.pad", "generate": "tensor.generate", "gather": "tensor.gather",
         "elements at places": "tensor.extract ", "places": "linalg.index", "concat": "tensor.concat",
         "insert_slice": "tensor.insert_slice", "extract_slice": "tensor.extract_slice",
         "transpose": "linalg.transpose", "broadcast": "linalg.broadcast", "product": "linalg.matmul",
         "results that depend on each other": ":2 = linalg.generic", "reduction": '"reduction"',
         "maps that are no identity": r"d\d (?:floordiv|\*|\+)", "whole numbers": "x(?:i32|i8|i64)>",
         "f16": "xf16>", "masks of i1": "xi1>"}


def compiled(heddle, text, target):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "f.mlir")
        source.write_text(text)
        command = [heddle, "compile", str(source), "--target", target, "--emit"]
        done = [subprocess.run(command + words, capture_output=True, text=True, check=False)
                for words in (["plan", "--format", "json"], ["asm"])]
    for one in done:
        if one.returncode != 0:
            sys.exit(f"{one.stderr}{text}")
    return json.loads(done[0].stdout), done[1].stdout


def write(heddle, functions, folder, first, end, target="sm_90a"):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = subprocess.run([functions, first, end], capture_output=True, text=True, check=True).stdout
    with gzip.open(folder / "functions.json.gz", "wt") as file:
        for line in drawn.splitlines():
            function = json.loads(line)
            function["plan"], function["ptx"] = compiled(heddle, function["text"], target)
            file.write(json.dumps(function) + "\n")


def array_of(numpy, tensor):
    return numpy.array(tensor["values"], TYPES[tensor["element"]]).reshape(tensor["shape"])


def wrong_elements(numpy, driver, function):
    """How many elements of the results are wrong, and of how many."""
    with Memory(driver) as memory:
        inputs = [memory.holding(array_of(numpy, each)) for each in function["arguments"]]
        wanted = [array_of(numpy, each) for each in function["results"]]
        results = [memory.holding(numpy.full_like(each, 77)) for each in wanted]
        for launch in launches(driver, memory, function["plan"], function["ptx"], inputs, results):
            launch(None)
        driver.call("cuCtxSynchronize")
        wrong = sum(int((memory.read(address, each) != each).sum())
                    for address, each in zip(results, wanted))
    return wrong, sum(each.size for each in wanted)


def measure(folder, file):
    try:
        import numpy  # pylint: disable=import-outside-toplevel
        driver = Driver()
        driver.open()
    except (ImportError, OSError, RuntimeError) as error:
        print(f"drawn.py: {error}: nothing was measured", file=sys.stderr)
        return SKIPPED
    record = {**driver.description(), "date": str(datetime.date.today()), "functions": []}
    with gzip.open(pathlib.Path(folder) / "functions.json.gz", "rt") as lines:
        for line in lines:
            function = json.loads(line)
            row = {"number": function["number"], "kernels": len(function["plan"].get("kernels", [0])),
                   "parts": [name for name, words in PARTS.items() if re.search(words, function["text"])]}
            try:
                row["wrong"], row["elements"] = wrong_elements(numpy, driver, function)
            except RuntimeError as error:
                row["error"] = str(error)
                print(f"function {function['number']}: {error}", flush=True)
                record["functions"].append(row)
                break  # after a fault the context refuses everything
            if row["wrong"] != 0:
                print(f"function {function['number']}: {row['wrong']} wrong", flush=True)
            record["functions"].append(row)
    if file:
        rows = ",\n".join(json.dumps(row) for row in record.pop("functions"))
        head = json.dumps(record, indent=1)[:-2]
        pathlib.Path(file).write_text(f'{head},\n "functions": [\n{rows}\n]}}\n')
        record = json.loads(pathlib.Path(file).read_text())
    return table(record)


def table(record):
    rows = record["functions"]
    right = [row for row in rows if row.get("wrong") == 0]
    print(f"{record['device']}, driver {record['driver']}, {record['date']}: {len(right)} of {len(rows)} functions are "
          f"right, in {sum(row['kernels'] for row in rows)} kernels, with "
          f"{sum(row.get('elements', 0) for row in rows)} elements.\n")
    print("| with | functions | right |\n| --- | --- | --- |")
    counts, good = collections.Counter(), collections.Counter()
    for row in rows:
        counts.update(row["parts"])
        good.update(row["parts"] if row.get("wrong") == 0 else [])
    for name in PARTS:
        print(f"| {name} | {counts[name]} | {good[name]} |")
    return 0 if rows and len(right) == len(rows) else 1


def main(arguments):
    if arguments[:1] == ["write"]:
        return write(*arguments[1:])
    if arguments[:1] == ["table"]:
        return table(json.loads(pathlib.Path(arguments[1]).read_text()))
    if arguments[:1] != ["measure"]:
        sys.exit(__doc__)
    file = arguments[3] if arguments[2:3] == ["--json"] else None
    return measure(arguments[1], file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
