#!/usr/bin/env python3
"""Products of Triton 3.6 beside this compiler's of the same sizes and types, on the same emulator.

    python3 bench/kernels/triton_products.py HEDDLE DATA [TARGET ...] [--plan FILE]

DATA is tests/data/triton_kernels_cdna.json.gz, …_gfx1250.json.gz or triton_products_cdna.json.gz; --plan
is given to this compiler. Prints a Markdown table: instructions of all
wavefronts, how many of them are matrix instructions, passes of LDS with those that conflicts cost,
VGPRs with AGPRs, and LDS bytes; behind all products the sums for each target. Triton's kernels learn sizes at run time; of this compiler both kinds
are shown: sizes that it knows, and those that the kernel learns.
"""
import argparse
import base64
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

MLIR_TYPES = {"f16": "f16", "bf16": "bf16", "f32": "f32", "i8": "i8", "i32": "i32",
              "fp8": "f8E4M3FN", "fp8_fnuz": "f8E4M3FNUZ"}
LINE = re.compile(r"^(\w+) = (\w+)\[(\d+)x(\d+)\]", re.MULTILINE)


def product_text(a, b, c, is_dynamic):
    """The text of c = a @ b, or of a @ b' where b is n x k; each is (type, rows, columns)."""
    transposed = a[2] == b[2] and a[2] != b[1]
    size = (lambda n: "?") if is_dynamic else str
    kinds = [f"tensor<{size(m[1])}x{size(m[2])}x{MLIR_TYPES[m[0]]}>" for m in (a, b, c)]
    b_map = "(n, k)" if transposed else "(k, n)"
    maps = ", ".join(f"affine_map<(m, n, k) -> {m}>" for m in ("(m, k)", b_map, "(m, n)"))
    element = MLIR_TYPES[c[0]]
    zero = "0" if element.startswith("i") else "0.0"
    sizes = "%m, %n" if is_dynamic else ""
    dims = (f"  %zero = arith.constant 0 : index\n  %one = arith.constant 1 : index\n"
            f"  %m = tensor.dim %a, %zero : {kinds[0]}\n"
            f"  %n = tensor.dim %b, %{'zero' if transposed else 'one'} : {kinds[1]}\n")
    return (f"func.func @product(%a: {kinds[0]}, %b: {kinds[1]}) -> {kinds[2]} {{\n"
            f"{dims if is_dynamic else ''}  %z = arith.constant {zero} : {element}\n"
            f"  %e = tensor.empty({sizes}) : {kinds[2]}\n"
            f"  %f = linalg.fill ins(%z : {element}) outs(%e : {kinds[2]}) -> {kinds[2]}\n"
            f"  %d = linalg.contract indexing_maps = [{maps}] ins(%a, %b : {kinds[0]}, {kinds[1]})"
            f" outs(%f : {kinds[2]}) -> {kinds[2]}\n  return %d : {kinds[2]}\n}}\n")


def scaled_text(a, b, scales, c, is_dynamic):
    """The text of c = a @ b' in blocks of 32 k with scales; `a` and `b` are fp8, or bytes of two
    f4E2M1FN each."""
    element = MLIR_TYPES.get(a[0], "f4E2M1FN")
    size = (lambda n: "?") if is_dynamic else str
    blocks = size(scales[2])

    def kinds(rows):
        return (f"tensor<{size(rows)}x{blocks}x32x{element}>",
                f"tensor<{size(rows)}x{blocks}xf8E8M0FNU>")

    (of_a, of_s), (of_b, of_t) = kinds(a[1]), kinds(b[1])
    of_c = f"tensor<{size(c[1])}x{size(c[2])}xf32>"
    maps = ", ".join(f"affine_map<(m, n, g, k) -> {m}>" for m in (
        "(m, g, k)", "(n, g, k)", "(m, g)", "(n, g)", "(m, n)"))
    widened = "\n".join(
        f"    %{name} = arith.scaling_extf %{x}, %{scale} : {element}, f8E8M0FNU to f32"
        for name, x, scale in (("left", "x", "xs"), ("right", "y", "ys")))
    return (f"func.func @product(%a: {of_a}, %b: {of_b}, %s: {of_s}, %t: {of_t}, %c: {of_c}) -> "
            f"{of_c} {{\n  %d = linalg.generic {{indexing_maps = [{maps}], iterator_types = "
            f'["parallel", "parallel", "reduction", "reduction"]}} ins(%a, %b, %s, %t : {of_a}, '
            f"{of_b}, {of_s}, {of_t}) outs(%c : {of_c}) {{\n  ^bb0(%x: {element}, %y: {element}, "
            f"%xs: f8E8M0FNU, %ys: f8E8M0FNU, %sum: f32):\n{widened}\n"
            "    %p = arith.mulf %left, %right : f32\n    %next = arith.addf %sum, %p : f32\n"
            f"    linalg.yield %next : f32\n  }} -> {of_c}\n  return %d : {of_c}\n}}\n")


def report(command):
    result = subprocess.run(command + ["--report", "json"], capture_output=True, text=True,
                            check=False)
    try:
        return json.loads(result.stdout)
    except json.JSONDecodeError:
        sys.exit(f"{' '.join(command)}: {result.stdout}{result.stderr}")


def row(name, target, whose, made, totals):
    if not made.get("right"):
        return f"| {name} | {target} | {whose} | not right | | | | |"
    emulated = made["emulated"]
    mix = emulated["mix"]
    counted = emulated["profiled_workgroups"] or 1
    lds = emulated["lds"]
    scale = emulated["workgroups"] / counted
    extra = round(sum(one["extra_passes"] for one in lds) * scale)
    passes = round(sum(one["ideal_passes"] for one in lds) * scale) + extra
    products = sum(count for opcode, count in mix["opcodes"].items() if "mfma" in opcode or "wmma" in opcode)
    share = 100 * products / mix["wavefront_instructions"]
    resources = made["resources"]
    total = totals.setdefault((target, whose), [0] * 5)
    for i, figure in enumerate((1, mix["wavefront_instructions"], products, passes,
                                resources["vgprs"])):
        total[i] += figure
    return (f"| {name} | {target} | {whose} | {mix['wavefront_instructions']} | {products} "
            f"({share:.1f}%) | {passes} ({extra}) | {resources['vgprs']} | "
            f"{resources['lds_bytes'] + resources['dynamic_lds_bytes']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heddle")
    parser.add_argument("data")
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--plan")
    arguments = parser.parse_args()
    heddle, data, targets = arguments.heddle, arguments.data, arguments.targets
    cases = json.loads(gzip.decompress(pathlib.Path(data).read_bytes()))["kernels"]
    print("| product | target | compiler | instructions | matrix | LDS passes (extra) | VGPRs | LDS |")
    print("|---|---|---|---:|---:|---:|---:|---:|")
    totals = {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        for case in cases:
            target = case["target"]
            arrays = {name: (kind, int(rows), int(columns))
                      for name, kind, rows, columns in LINE.findall(case["launch"])}
            is_scaled = "sa" in arrays
            if (targets and target not in targets) or not {"a", "b", "c"} <= arrays.keys():
                continue
            if not is_scaled and (
                    not re.search(r"^expect c = a @ b'?$", case["launch"], re.MULTILINE)
                    or any(kind not in MLIR_TYPES for kind, _, _ in arrays.values())):
                continue
            (path / "triton.hsaco").write_bytes(base64.b64decode(case["code"]))
            (path / "triton.launch").write_text(case["launch"])
            name = case["name"].removeprefix("matmul_")
            print(row(name, target, "Triton",
                      report([heddle, "run", str(path / "triton.hsaco"),
                              str(path / "triton.launch")]), totals), flush=True)
            matrices = [arrays[letter] for letter in "abc"]
            for whose, is_dynamic in (("Heddle", False), ("Heddle, dynamic", True)):
                a, b, c = matrices
                (path / "product.mlir").write_text(
                    scaled_text(a, b, arrays["sa"], c, is_dynamic) if is_scaled
                    else product_text(a, b, c, is_dynamic))
                command = [heddle, "run", str(path / "product.mlir"), "--target", target]
                if arguments.plan:
                    command += ["--plan", arguments.plan]
                if is_dynamic:
                    k = 32 * arrays["sa"][2] if is_scaled else a[2]
                    command += ["--sizes", str(c[1]), str(c[2]), str(k)]
                print(row(name, target, whose, report(command), totals), flush=True)
    for (target, whose), (count, *figures) in sorted(totals.items()):
        print(f"| all {count} | {target} | {whose} | " + " | ".join(map(str, figures)) + " | |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
