"""Two compilers' kernels in one run (bench/records/compiler_figures.md): the table of before_after.json, and
what nvvm_operations.json says in one line.

    python3 bench/gpu/before_after.py
"""
import json
import pathlib
import statistics

rows = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())["rows"]
kernels = {(*row["kernel"].split("_", 1), row["condition"]): row for row in rows}
print("| size | inputs, result | condition | before, TFLOP/s | to cublasGemmEx "
      "| after, TFLOP/s | to cublasGemmEx |\n" + "|" + " --- |" * 7)
for (when, name, condition), before in kernels.items():
    if when != "before":
        continue
    cells = [text for row in (before, kernels["after", name, condition])
             for text in (f"{row['tflops']:.0f}", f"{row['peers']['cublasGemmEx']['ratio']:.3f}")]
    print("| " + " | ".join([str(before["size"][0]), before["input"], condition, *cells]) + " |")

recorded = json.loads(pathlib.Path(__file__).with_name("nvvm_operations.json").read_text())
ratios = sorted(sum(row["before"]) / sum(row["after"]) for row in recorded["rows"])
print(f"\nNVVM's operations, {recorded['gpu']}, driver {recorded['driver']}, {recorded['date']}: time "
      f"before to time after, {len(ratios)} products: {ratios[0]:.3f} to {ratios[-1]:.3f}, median "
      f"{statistics.median(ratios):.3f}")
