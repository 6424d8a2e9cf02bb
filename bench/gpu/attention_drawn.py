"""Drawn problems of attention on a GPU, judged by torch in float64 (a mode of attention.py).

A problem: softmax(f(Q K^T)) V of heads that may share K and V, of any size, with masks of places
(causal, windows), caps, biases or masks in memory. `write` draws COUNT of them by their numbers and
compiles each for sm_90a into one file, FOLDER/drawn.json.gz. `measure` draws the inputs from the
same numbers, launches each kernel twice, and compares every element with float64 within a bound
that follows from the roundings of P and of the result.
"""
import concurrent.futures
import datetime
import gzip
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

from driver import Driver, Ours
from products import SKIPPED

INFINITE = "0xFF800000"


def drawn(number):
    """Problem `number` as a dictionary; the same everywhere."""
    stream = random.Random(45_000 + number)
    one_in = lambda count: stream.randrange(count) == 0
    is_decode = one_in(2)
    one = {"number": number, "type": stream.choice(["f16", "bf16"]),
           "heads": stream.randint(1, 4), "group": stream.choice([1, 1, 2, 4, 8]),
           "queries": stream.choice([1, 1, 2, 5, 16]) if is_decode else stream.randint(1, 700),
           "keys": stream.randint(200, 20000) if is_decode else stream.randint(1, 1500),
           "depth": 8 * stream.randint(1, 32), "columns": 8 * stream.randint(1, 32),
           "tokens_first": one_in(3), "is_causal": not one_in(3), "is_last": not one_in(3),
           "cap": stream.choice([0, 0, 0, 5.0, 20.0]), "operand": None,
           "lowest": stream.choice([INFINITE, INFINITE, "-3.40282347E+38", "-1.0e9"])}
    if one_in(2):
        one["depth"] = one["columns"] = stream.choice([64, 128])
    one["result"] = stream.choice(["f32", one["type"]])
    one["window"] = stream.randint(1, one["keys"]) if one_in(3) else 0
    one["scale"] = stream.choice([1.0, 2.0, 0.5]) * one["depth"] ** -0.5
    if one_in(4):
        one["operand"] = stream.choice(["f32", "i1"])
    if one_in(4):  # a sum times a number, as kernels of wgmma take it
        one |= {"is_causal": False, "window": 0, "cap": 0, "operand": None}
    return one


def text(one):
    """The function in MLIR."""
    h, g, m, n = one["heads"], one["group"], one["queries"], one["keys"]
    kind, tokens = one["type"], one["tokens_first"]
    tensor = lambda sizes, element: "tensor<" + "x".join(map(str, sizes)) + f"x{element}>"
    of_query = lambda row, element: tensor([m, h, g, row] if tokens else [h, g, m, row], element)
    of_key = lambda row: tensor([n, h, row] if tokens else [h, n, row], kind)
    q, k, v = of_query(one["depth"], kind), of_key(one["depth"]), of_key(one["columns"])
    o, d = of_query(one["columns"], "f32"), of_query(one["columns"], one["result"])
    s, p = tensor([h, g, m, n], "f32"), tensor([h, g, m, n], kind)
    row, shared = ("m, h, g", "n, h") if tokens else ("h, g, m", "h, n")
    maps = lambda loops, *axes: "[" + ", ".join(
        f"affine_map<({loops}) -> ({each})>" for each in axes) + "]"
    extra = tensor([m, n], one["operand"]) if one["operand"] else None
    steps, last = [], 0

    def step(line):
        nonlocal last
        steps.append(f"    %y{last + 1} = {line.replace('$', f'%y{last}')} : f32")
        last += 1
    if one["cap"]:
        steps.append(f"    %cap = arith.constant {one['cap']:.6f} : f32")
        for line in ("arith.divf $, %cap", "math.tanh $", "arith.mulf $, %cap"):
            step(line)
    if one["operand"] == "f32":
        step("arith.addf $, %e")
    if one["operand"] == "i1":
        step("arith.select %e, $, %lowest")
    if one["is_causal"] or one["window"]:
        offset = n - m if one["is_last"] else 0
        steps.append(f"""    %im = linalg.index 2 : index
    %in = linalg.index 3 : index
    %offset = arith.constant {offset} : index
    %at = arith.addi %im, %offset : index""")
        if one["is_causal"]:
            steps.append("    %before = arith.cmpi sle, %in, %at : index")
        if one["window"]:
            steps.append(f"""    %width = arith.constant {one["window"]} : index
    %back = arith.subi %at, %in : index
    %near = arith.cmpi slt, %back, %width : index""")
        seen = "%before" if one["is_causal"] else "%near"
        if one["is_causal"] and one["window"]:
            steps.append("    %both = arith.andi %before, %near : i1")
            seen = "%both"
        step(f"arith.select {seen}, $, %lowest")
    body = "\n".join(steps)
    names, types, axes = "%s", s, ["h, g, m, n"]
    if extra:
        names, types, axes = "%s, %x", f"{s}, {extra}", axes + ["m, n"]
    arguments = "%sum: f32" + (f", %e: {one['operand']}" if extra else "") + ", %unused: f32"
    all_maps = maps("h, g, m, n", *axes, "h, g, m, n")
    scores = maps("h, g, m, n, d", f"{row}, d", f"{shared}, d", "h, g, m, n")
    values = maps("h, g, m, c, n", "h, g, m, n", f"{shared}, c", f"{row}, c")
    narrow = f"  %r = arith.truncf %o : {o} to {d}\n  return %r : {d}" \
        if one["result"] != "f32" else f"  return %o : {d}"
    return f"""func.func @attention(%q: {q}, %k: {k}, %v: {v}{f', %x: {extra}' if extra else ''}) -> {d} {{
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant {one["lowest"]} : f32
  %scale = arith.constant {one["scale"]:.9f} : f32
  %se = tensor.empty() : {s}
  %s0 = linalg.fill ins(%zero : f32) outs(%se : {s}) -> {s}
  %s = linalg.contract indexing_maps = {scores} ins(%q, %k : {q}, {k}) outs(%s0 : {s}) -> {s}
  %t = linalg.generic {{indexing_maps = {all_maps}, iterator_types = ["parallel", "parallel", "parallel", "parallel"]}} ins({names} : {types}) outs(%se : {s}) {{
  ^bb0({arguments}):
    %y0 = arith.mulf %sum, %scale : f32
{body}
    linalg.yield %y{last} : f32
  }} -> {s}
  %w = linalg.softmax dimension(3) ins(%t : {s}) outs(%se : {s}) -> {s}
  %p = arith.truncf %w : {s} to {p}
  %oe = tensor.empty() : {o}
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : {o}) -> {o}
  %o = linalg.contract indexing_maps = {values} ins(%p, %v : {p}, {v}) outs(%o0 : {o}) -> {o}
{narrow}
}}
"""


def compiled(heddle, number):
    """A record of problem `number`, or why there is none."""
    one = drawn(number)
    with tempfile.TemporaryDirectory() as made:
        source, ptx = pathlib.Path(made, "a.mlir"), pathlib.Path(made, "a.ptx")
        source.write_text(text(one))
        command = [heddle, "compile", str(source), "--target", "sm_90a", "--emit"]
        runs = [subprocess.run(command + words, capture_output=True, text=True)
                for words in (["plan", "--format", "json"], ["ptx", "-o", str(ptx)])]
        if any(run.returncode for run in runs):
            return f"{one}: {(runs[0].stderr or runs[1].stderr).strip()[:300]}"
        plan = json.loads(runs[0].stdout)
        if "kernels" in plan:
            return f"{one}: several kernels"
        return {"one": one, "plan": plan, "ptx": ptx.read_text()}


def write(heddle, folder, count):
    folder.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        made = list(pool.map(lambda number: compiled(heddle, number), range(count)))
    records = [one for one in made if isinstance(one, dict)]
    for one in made:
        if isinstance(one, str):
            print(one, file=sys.stderr)
    with gzip.open(folder / "drawn.json.gz", "wt") as file:
        json.dump(records, file)
    print(f"{len(records)} of {count} problems written to {folder}")
    return 0 if len(records) == count else 1


# ---- on the machine with the GPU ---------------------------------------------------------------
class Form:
    """What a launch asks (driver.py)."""

    def __init__(self, one):
        self.m, self.n, self.k = one["queries"] * one["group"], one["columns"], one["keys"]
        self.batch = one["heads"]

    def file(self):
        return "one"


def inputs_of(torch, one):
    """Q, K, V as heads first, and the operand; drawn on the host, the same everywhere."""
    generator = torch.Generator().manual_seed(one["number"])
    kind = {"f16": torch.float16, "bf16": torch.bfloat16}[one["type"]]
    draw = lambda *sizes: torch.randn(sizes, generator=generator)
    h, g, m, n = one["heads"], one["group"], one["queries"], one["keys"]
    q, k, v = (draw(h, g, m, one["depth"]), draw(h, n, one["depth"]), draw(h, n, one["columns"]))
    extra = draw(m, n) if one["operand"] else None
    if one["operand"] == "i1":
        extra = extra > -1
    return [x.to(kind).cuda() for x in (q, k, v)], None if extra is None else extra.cuda()


def expected(torch, one, q, k, v, extra):
    """The result in float64, and what may differ: P is rounded, and so may be the result."""
    scores = torch.einsum("hgmd,hnd->hgmn", q.double(), k.double()) * float(f"{one['scale']:.9f}")
    largest_sum = scores.abs().amax()
    if one["cap"]:
        scores = one["cap"] * torch.tanh(scores / one["cap"])
    lowest = -math.inf if one["lowest"] == INFINITE else float(one["lowest"])
    if one["operand"] == "f32":
        scores = scores + extra.double()
    if one["operand"] == "i1":
        scores = torch.where(extra, scores, lowest)
    if one["is_causal"] or one["window"]:
        m, n = scores.shape[-2:]
        at = torch.arange(m, device="cuda")[:, None] + (n - m if one["is_last"] else 0)
        back = at - torch.arange(n, device="cuda")[None]
        seen = torch.ones_like(back, dtype=torch.bool)
        if one["is_causal"]:
            seen &= back >= 0
        if one["window"]:
            seen &= back < one["window"]
        scores = torch.where(seen, scores, lowest)
    shares = torch.softmax(scores, -1)  # NaN for a row of -infinity
    exact = torch.einsum("hgmn,hnc->hgmc", shares, v.double())
    size = torch.einsum("hgmn,hnc->hgmc", shares, v.double().abs())
    # Half of a last place: of 11 bits, and of 8.
    unit = 2.0 ** -11 if one["type"] == "f16" else 2.0 ** -8
    unit_of_result = 2.0 ** -11 if one["result"] == "f16" else 2.0 ** -8
    # Scores are f32: an exponent of size x is wrong by some 2^-22 x. f16 has no smaller numbers than
    # 2^-24, of shares relative to the largest.
    of_scores = 2.0 ** -21 * (largest_sum + 8)
    allowed = (unit + of_scores + 2.0 ** -15) * size
    if one["result"] != "f32":
        allowed = allowed + unit_of_result * exact.abs()
    if one["type"] == "f16":
        allowed = allowed + 2.0 ** -25 * v.double().abs().sum(1)[:, None, None] * \
            shares.amax(-1, keepdim=True)
    return exact, allowed + 1e-9


def judge(torch, driver, folder, record):
    one = record["one"]
    operands, extra = inputs_of(torch, one)
    exact, allowed = expected(torch, one, *operands, extra)
    laid = [x.clone() for x in operands]
    if one["tokens_first"]:
        laid = [laid[0].permute(2, 0, 1, 3).contiguous(), *(
            x.permute(1, 0, 2).contiguous() for x in laid[1:])]
    if extra is not None:
        laid.append(extra.clone() if one["operand"] == "f32" else extra.to(torch.uint8))
    kind = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[one["result"]]
    shape = (*laid[0].shape[:-1], one["columns"])
    (folder / "one.ptx").write_text(record["ptx"])
    result = torch.full(shape, 77.0, device="cuda", dtype=kind)
    ours = Ours(torch, driver, folder, record, Form(one), [{"inputs": laid, "d": result}])
    results = []
    for _ in range(2):  # the workspace is to be left as it was
        result.fill_(77.0)
        ours(0)
        torch.cuda.synchronize()
        results.append(result.double())
    ours.unload()
    is_same = torch.equal(results[0].nan_to_num(123.0), results[1].nan_to_num(123.0))
    found = results[0].permute(1, 2, 0, 3) if one["tokens_first"] else results[0]
    both_nan = torch.isnan(found) & torch.isnan(exact)
    error = torch.where(both_nan, 0, (found - exact).abs() / allowed)
    worst = error.nan_to_num(math.inf).max().item()
    return {**one, "instruction": record["plan"].get("instruction"),
            "split_k": record["plan"].get("split_k", 1),
            "nan_rows": int(both_nan.all(-1).sum()), "error_of_limit": round(worst, 4),
            "is_same_twice": is_same, "right": bool(worst <= 1 and is_same)}


def measure(folder, json_file):
    try:
        import torch
        if not torch.cuda.is_available():
            raise ImportError("there is no GPU here")
    except ImportError as error:
        print(f"nothing was measured: {error}")
        return SKIPPED
    torch.zeros(1, device="cuda")
    driver = Driver()
    with gzip.open(folder / "drawn.json.gz", "rt") as file:
        records = json.load(file)
    version = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                             capture_output=True, text=True).stdout.split("\n")[0]
    result = {"what": "drawn problems of attention on a GPU against float64, by "
                      "bench/gpu/attention.py drawn; error_of_limit: the largest error over what "
                      "roundings allow",
              "gpu": torch.cuda.get_device_name(), "driver": version, "torch": torch.__version__,
              "date": datetime.date.today().isoformat(), "rows": []}
    with tempfile.TemporaryDirectory() as made:
        for record in records:
            row = judge(torch, driver, pathlib.Path(made), record)
            result["rows"].append(row)
            if not row["right"]:
                print("WRONG", row, flush=True)
    rows = result["rows"]
    wrong = sum(not row["right"] for row in rows)
    print(f"{len(rows) - wrong} of {len(rows)} drawn problems right; largest error / limit "
          f"{max(row['error_of_limit'] for row in rows)}; "
          f"{sum(row['nan_rows'] for row in rows)} rows without a key")
    if json_file:
        lines = ",\n".join("  " + json.dumps(row) for row in rows)
        head = json.dumps({key: value for key, value in result.items() if key != "rows"}, indent=1)
        pathlib.Path(json_file).write_text(head[:-2] + ',\n "rows": [\n' + lines + "\n ]\n}\n")
    return 1 if wrong else 0


def main(words, json_file):
    if len(words) == 4 and words[0] == "write":
        return write(words[1], pathlib.Path(words[2]), int(words[3]))
    if len(words) == 2 and words[0] == "measure":
        return measure(pathlib.Path(words[1]), json_file)
    print(__doc__, file=sys.stderr)
    return 2
