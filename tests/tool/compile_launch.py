"""The launch that `heddle compile` prints is the one that `heddle run` makes.

compile_launch.py HEDDLE EXAMPLES
"""
import json
import subprocess
import sys

from launch_numbers import launch_for, value

heddle, examples = sys.argv[1:]


def answer(*command):
    done = subprocess.run([heddle, *command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr + done.stdout)
    return json.loads(done.stdout)


for target in ("gfx1151", "gfx1201", "sm_80", "sm_90a"):
    for text, given in (("matmul.mlir", ()), ("matmul/dynamic.mlir", (70, 83, 500)),
                        ("matmul/dynamic.mlir", (72, 80, 512)), ("matmul/batch.mlir", ()),
                        ("matmul/fused.mlir", ())):
        path = f"{examples}/{text}"
        sizes = dict(zip("mnk", given))
        plan = answer("compile", path, "--target", target, "--emit", "plan", "--format", "json")
        launch = launch_for(plan, sizes)
        asked = ["--sizes", *map(str, given)] if given else []
        run = answer("run", path, "--target", target, "--report", "json", *asked)
        assert [value(x, sizes) for x in launch["grid"]] == run["grid"], (target, text)
        assert run["right"] and launch["block"] == run["block"], (target, text)
        assert launch["kernel"] == run["symbol"]
        buffers = launch["buffers"]
        used = {argument["buffer"] for argument in launch["arguments"] if "buffer" in argument}
        assert used == set(range(len(buffers))), (target, text)
        names = [argument["size"] for argument in launch["arguments"] if argument["kind"] == "size"]
        assert names == (["m", "n", "k"] if given else [])
        written = [buffer for buffer in buffers if buffer["written"] and buffer["role"] != "workspace"]
        assert [buffer["function_argument"] for buffer in written] == [None]
        if given:
            shapes = [[value(x, sizes) for x in buffer["sizes"]] for buffer in buffers]
            m, n, k = given
            assert shapes[:2] == [[m, k], [k, n]] and shapes[-1] == [m, n], shapes
        for argument in launch["arguments"]:
            if argument["kind"] != "tensor_map":
                continue
            form = argument["map"]
            assert len(form["sizes"]) == len(form["box"]) == len(form["stride_bytes"]) + 1
            elements = 1
            for x in form["sizes"]:
                elements *= max(value(x, sizes), 1)
            whole = 1
            for x in buffers[argument["buffer"]]["sizes"]:
                whole *= value(x, sizes)
            assert elements >= whole, (target, text)
print("equal")
