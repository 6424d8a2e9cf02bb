"""The tables of docs/nvidia.md, from the JSON that build/bench/gpu writes.

    python3 bench/gpu/results_table.py bench/gpu/results.json mma.sync|wgmma|other_plans|left_out
    python3 bench/gpu/results_table.py bench/gpu/before_after.json before_after

other_plans and left_out were added to the JSON by hand, from runs of their own.
"""
import json
import sys


def planned(results, what):
    print("| size | inputs, result | operands | condition | TFLOP/s | cublasGemmEx "
          "| ratio (least to most) | of torch, cuBLAS | of torch, cublasLt |")
    print("|" + " --- |" * 9)
    for row in results["rows"]:
        if not row["plan"].startswith(what + ":"):
            continue
        peers = row["peers"]
        cublas = peers["cublasGemmEx"]
        ratio = "{ratio:.3f} ({ratio_least:.2f} to {ratio_most:.2f})".format(**cublas)
        torch = [f"{peers[name]['ratio']:.3f}" if name in peers else ""
                 for name in ("torch.matmul cublas", "torch.matmul cublaslt")]
        line(size_text(row["size"]), row["input"], row["operands"], row["condition"],
             f"{row['tflops']:.0f}", f"{cublas['tflops']:.0f}", ratio, *torch)


def size_text(size):
    return str(size[0]) if len(set(size)) == 1 else "x".join(map(str, size))


def other_plans(results):
    print("| block | stages | blocks | 4096 rested | 4096 sustained | 8192 rested "
          "| 8192 sustained |")
    print("|" + " --- |" * 7)
    ratios = {}
    for row in results["other_plans"]:
        ratios.setdefault(row["plan"], []).append(f"{row['peers']['cublasGemmEx']['ratio']:.3f}")
    for plan, values in ratios.items():
        line(plan, *values)


def left_out(results):
    print("| left out | TFLOP/s | of cublasGemmEx |\n" + "|" + " --- |" * 3)
    for row in results["left_out"]:
        line(row["plan"], f"{row['tflops']:.0f}", f"{row['peers']['cublasGemmEx']['ratio']:.3f}")


def before_after(results):
    print("| size | inputs, result | condition | before, TFLOP/s | to cublasGemmEx "
          "| after, TFLOP/s | to cublasGemmEx |\n" + "|" + " --- |" * 7)
    rows = {(row["kernel"].split("_", 1)[0], row["kernel"].split("_", 1)[1], row["condition"]): row
            for row in results["rows"]}
    for (when, name, condition), row in rows.items():
        if when != "before":
            continue
        cells = [text for each in (row, rows["after", name, condition])
                 for text in (f"{each['tflops']:.0f}", f"{each['peers']['cublasGemmEx']['ratio']:.3f}")]
        line(size_text(row["size"]), row["input"], condition, *cells)


def line(*cells):
    print("| " + " | ".join(map(str, cells)) + " |")


with open(sys.argv[1]) as file:
    contents = json.load(file)
if sys.argv[2] == "before_after":
    before_after(contents)
elif sys.argv[2] == "other_plans":
    other_plans(contents)
elif sys.argv[2] == "left_out":
    left_out(contents)
else:
    planned(contents, sys.argv[2])
