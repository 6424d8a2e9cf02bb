"""The table of bench/gpu/before_after.json: two compilers' kernels in one run (docs/compiler_figures.md).

    python3 bench/gpu/before_after.py
"""
import json
import pathlib

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
