#!/usr/bin/env python3
"""Instructions of attention for AMD: kernels of Triton beside those of `heddle compile`, on the emulator.

    attention.py write FOLDER                 # where Triton is installed; no GPU
    attention.py count FOLDER build/bin/heddle [--json FILE]
    attention.py table FILE

`write` compiles the kernel below for each target and each choice of blocks and warps: FOLDER/NAME.co, and
FOLDER/objects.json with what a launch needs. `count` runs them and the kernel that Heddle compiles for the same
problem, on one head of f16, judges each against float64, and keeps of Triton's choices the one with the fewest
instructions. Heddle's kernel has one part of the keys, as it has for many heads.
"""
import datetime
import json
import pathlib
import struct
import subprocess
import sys

TARGETS = {"gfx1100": 32, "gfx1151": 32, "gfx1201": 32, "gfx942": 64, "gfx950": 64}
TOKENS = 1024
PROBLEMS = [(64, False), (64, True), (128, False), (128, True)]  # depth, causal
CHOICES = [(queries, keys, warps) for queries in (64, 128) for keys in (32, 64) for warps in (4, 8)]
LOG2_E = 1.4426950408889634


def problem_name(depth, causal):
    return f"{TOKENS} x {TOKENS}, depth {depth}{', causal' if causal else ''}"


# ---- where Triton is -----------------------------------------------------------------------------
def kernel():
    import triton
    import triton.language as tl

    @triton.jit
    def attention(q, k, v, o, scale, TOKENS: tl.constexpr, DEPTH: tl.constexpr, QUERIES: tl.constexpr,
                  KEYS: tl.constexpr, CAUSAL: tl.constexpr):
        first = tl.program_id(0) * QUERIES
        rows = first + tl.arange(0, QUERIES)
        keys = tl.arange(0, KEYS)
        columns = tl.arange(0, DEPTH)
        of_q = tl.load(q + rows[:, None] * DEPTH + columns[None, :])
        of_k = k + keys[None, :] * DEPTH + columns[:, None]
        of_v = v + keys[:, None] * DEPTH + columns[None, :]
        largest = tl.full([QUERIES], float("-inf"), tl.float32)
        total = tl.zeros([QUERIES], tl.float32)
        sums = tl.zeros([QUERIES, DEPTH], tl.float32)
        plain = first if CAUSAL else TOKENS
        for at in tl.range(0, plain, KEYS):
            scores = tl.dot(of_q, tl.load(of_k + at * DEPTH))
            higher = tl.maximum(largest, tl.max(scores, 1) * scale)
            shares = tl.exp2(scores * scale - higher[:, None])
            factor = tl.exp2(largest - higher)
            total = total * factor + tl.sum(shares, 1)
            sums = sums * factor[:, None]
            sums = tl.dot(shares.to(tl.float16), tl.load(of_v + at * DEPTH), sums)
            largest = higher
        if CAUSAL:
            for at in tl.range(first, first + QUERIES, KEYS):
                scores = tl.dot(of_q, tl.load(of_k + at * DEPTH)) * scale
                scores = tl.where(rows[:, None] >= at + keys[None, :], scores, -1.0e9)
                higher = tl.maximum(largest, tl.max(scores, 1))
                shares = tl.exp2(scores - higher[:, None])
                factor = tl.exp2(largest - higher)
                total = total * factor + tl.sum(shares, 1)
                sums = sums * factor[:, None]
                sums = tl.dot(shares.to(tl.float16), tl.load(of_v + at * DEPTH), sums)
                largest = higher
        tl.store(o + rows[:, None] * DEPTH + columns[None, :], (sums / total[:, None]).to(tl.float16))

    return attention


def compiled(asked):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    target, (depth, causal), (queries, keys, warps) = asked
    name = f"{target}_{depth}_{'causal' if causal else 'all'}_{queries}_{keys}_{warps}"
    source = ASTSource(
        kernel(), {"q": "*fp16", "k": "*fp16", "v": "*fp16", "o": "*fp16", "scale": "fp32"},
        {"TOKENS": TOKENS, "DEPTH": depth, "QUERIES": queries, "KEYS": keys, "CAUSAL": causal},
        {(argument,): [["tt.divisibility", 16]] for argument in range(4)})
    try:
        made = triton.compile(source, target=GPUTarget("hip", target, TARGETS[target]),
                              options={"num_warps": warps, "waves_per_eu": 2 if target.startswith("gfx9") else 0})
    except Exception as error:  # what Triton does not take is no contestant
        return {"name": name, "error": str(error)[:200]}, b""
    return {"name": name, "target": target, "depth": depth, "causal": causal, "queries": queries, "keys": keys,
            "warps": warps, "lds": made.metadata.shared, "kernel": made.metadata.name}, made.asm["hsaco"]


def write(folder):
    import concurrent.futures
    import triton
    folder.mkdir(parents=True, exist_ok=True)
    asked = [(target, problem, choice) for target in TARGETS for problem in PROBLEMS for choice in CHOICES]
    objects = []
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for described, code in pool.map(compiled, asked):
            if "error" in described:
                print(f"{described['name']}: {described['error']}", file=sys.stderr)
                continue
            (folder / f"{described['name']}.co").write_bytes(code)
            objects.append(described)
    (folder / "objects.json").write_text(json.dumps({"triton": triton.__version__, "objects": objects}, indent=1))
    print(f"{len(objects)} of {len(asked)} kernels written to {folder}")


# ---- where Heddle is -----------------------------------------------------------------------------
def text(depth, causal):
    q, s, sh = f"tensor<{TOKENS}x{depth}xf16>", f"tensor<{TOKENS}x{TOKENS}xf32>", f"tensor<{TOKENS}x{TOKENS}xf16>"
    o, d = f"tensor<{TOKENS}x{depth}xf32>", f"tensor<{TOKENS}x{depth}xf16>"
    mask = """    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %lowest = arith.constant 0xFF800000 : f32
    %sees = arith.cmpi sle, %n, %m : index
    %y = arith.select %sees, %scaled, %lowest : f32
    linalg.yield %y : f32""" if causal else "    linalg.yield %scaled : f32"
    return f"""func.func @attention(%q: {q}, %k: {q}, %v: {q}) -> {d} {{
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : {s}
  %s0 = linalg.fill ins(%zero : f32) outs(%se : {s}) -> {s}
  %sums = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>] ins(%q, %k : {q}, {q}) outs(%s0 : {s}) -> {s}
  %scores = linalg.map ins(%sums : {s}) outs(%se : {s}) (%x: f32, %unused: f32) {{
    %scale = arith.constant {depth ** -0.5} : f32
    %scaled = arith.mulf %x, %scale : f32
{mask}
  }}
  %shares = linalg.softmax dimension(1) ins(%scores : {s}) outs(%se : {s}) -> {s}
  %p = arith.truncf %shares : {s} to {sh}
  %oe = tensor.empty() : {o}
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : {o}) -> {o}
  %o = linalg.matmul ins(%p, %v : {sh}, {q}) outs(%o0 : {o}) -> {o}
  %d = arith.truncf %o : {o} to {d}
  return %d : {d}
}}
""".replace("linalg.map ins", "linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> "
            "(m, n)>], iterator_types = [\"parallel\", \"parallel\"]} ins").replace(
                "(%x: f32, %unused: f32) {", "{\n  ^bb0(%x: f32, %unused: f32):").replace(
                    "  }\n  %shares", f"  }} -> {s}\n  %shares")


def launch(described):
    depth, causal = described["depth"], described["causal"]
    mask = f"M = f32[{TOKENS}x{TOKENS}] file mask.npy\n" if causal else ""
    return f"""kernel {described["kernel"]}
grid {TOKENS // described["queries"]}
block {described["warps"] * TARGETS[described["target"]]}
lds {described["lds"]}
Q = f16[{TOKENS}x{depth}] random seed 1
K = f16[{TOKENS}x{depth}] random seed 2
V = f16[{TOKENS}x{depth}] random seed 3
O = f16[{TOKENS}x{depth}]
{mask}scale = f32 {LOG2_E * depth ** -0.5}
none = u64 0
arguments Q K V O scale none none
expect O = softmax({depth ** -0.5} * Q @ K'{" + M" if causal else ""}) @ V tolerance 2e-3
"""


def write_mask(file):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({TOKENS}, {TOKENS}), }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    rows = b"".join(struct.pack(f"<{TOKENS}f", *([0.0] * (row + 1) + [-200.0] * (TOKENS - row - 1)))
                    for row in range(TOKENS))
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + rows)


def report(command):
    done = subprocess.run(command + ["--report", "json"], capture_output=True, text=True)
    if not done.stdout:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()[:300]}")
    return json.loads(done.stdout)


def numbers(found):
    mix, resources = found["emulated"]["mix"], found["resources"]
    return {"right": found["right"] and not found["findings"], "instructions": mix["wavefront_instructions"],
            "vgprs": str(resources["vgprs"]) + (f" ({resources['vgpr_spills']} spilled)" if resources["vgpr_spills"] else "")}


def count(folder, heddle, json_file):
    said = json.loads((folder / "objects.json").read_text())
    write_mask(folder / "mask.npy")  # e^-200 is 0 beside what is kept
    (folder / "whole.plan").write_text('{"split_k": 1}')  # as of many heads: a block has all keys of its queries
    best = {}
    for described in said["objects"]:
        base = folder / described["name"]
        pathlib.Path(f"{base}.launch").write_text(launch(described))
        found = numbers(report([heddle, "run", f"{base}.co", f"{base}.launch"]))
        found["choice"] = f"{described['queries']}x{described['keys']}, {described['warps']} warps"
        if not found["right"]:
            print(f"{described['name']} is wrong", file=sys.stderr)
            continue
        key = (described["target"], described["depth"], described["causal"])
        if key not in best or found["instructions"] < best[key]["instructions"]:
            best[key] = found
    rows = []
    for (target, depth, causal), triton in best.items():
        file = folder / f"heddle_{depth}_{causal}.mlir"
        file.write_text(text(depth, causal))
        ours = numbers(report([heddle, "run", file, "--target", target, "--plan", folder / "whole.plan"]))
        if not ours["right"]:
            raise RuntimeError(f"{file} is wrong on {target}")
        rows.append({"target": target, "problem": problem_name(depth, causal), "triton": triton, "heddle": ours})
    result = {"date": datetime.date.today().isoformat(), "triton": said["triton"], "rows": rows}
    print(table(result))
    if json_file:
        pathlib.Path(json_file).write_text(json.dumps(result, indent=1) + "\n")


def table(result):
    lines = [f"Triton {result['triton']}, {result['date']}, emulated.\n",
             "| target | problem | Triton | its choice | VGPRs | Heddle | VGPRs | Triton / Heddle |",
             "| --- | --- | ---: | --- | ---: | ---: | ---: | ---: |"]
    for row in result["rows"]:
        triton, ours = row["triton"], row["heddle"]
        lines.append(f"| {row['target']} | {row['problem']} | {triton['instructions']} | {triton['choice']} "
                     f"| {triton['vgprs']} | {ours['instructions']} | {ours['vgprs']} "
                     f"| {triton['instructions'] / ours['instructions']:.2f} |")
    return "\n".join(lines)


def main(words):
    json_file = None
    if "--json" in words[:-1]:
        at = words.index("--json")
        json_file = words[at + 1]
        del words[at:at + 2]
    if len(words) == 2 and words[0] == "write":
        write(pathlib.Path(words[1]))
    elif len(words) == 3 and words[0] == "count":
        count(pathlib.Path(words[1]), words[2], json_file)
    elif len(words) == 2 and words[0] == "table":
        print(table(json.loads(pathlib.Path(words[1]).read_text())))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
