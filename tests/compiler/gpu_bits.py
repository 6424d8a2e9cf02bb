#!/usr/bin/env python3
"""Whether an NVIDIA GPU computes compiled products as the simulator does, to the last bit.

  gpu_bits.py write HEDDLE BUNDLE [TEXT]  compiles products, runs them on the simulator, and writes their
                                          PTX, launches and the hashes of the results (no GPU needed)
  gpu_bits.py run BUNDLE [TEXT]           runs them on the first GPU through libcuda.so.1 and compares;
                                          exit status 1 if a bit differs, 77 without a GPU
  gpu_bits.py again HEDDLE BUNDLE         runs the products of a bundle on the simulator once more

TEXT selects the products with it in their names. It needs numpy, and to run neither the CUDA toolkit nor
Heddle. The products are those whose result Hopper's rules decide (bench/records/matrix_sums.md): every type
of operands by mma.sync (sm_90) and wgmma (sm_90a), with bias, residual and relu, deep k and odd sizes; no
function that the simulator takes from the host. The GPU has to be of sm_90.
"""
import base64
import ctypes
import gzip
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "bench" / "gpu"), str(ROOT / "tests" / "emulator" / "ptx")]
from driver import Driver, known  # noqa: E402
from drawn_sums import STEP, key_of, mix  # noqa: E402
from form import Form  # noqa: E402
from record import Gpu  # noqa: E402

TARGETS = ("sm_90", "sm_90a")
FORMS = ["product {t} 128x128x64", "product {t} 256x192x512 bt", "product {t} 129x72x200",
         "product {t} 64x64x4096", "product {t} 128x64x256 bias relu", "product {t} 64x128x320 residual bt"]
TYPES = ["f16", "bf16", "f8E4M3FN", "i8", "f32", "f64"]
F32_PATHS = ("tf32", "tf32-cut", "bf16x3")
F8_SUMS = ("fast", "exact")


def cases():
    """(name, target, form, options of the compiler)."""
    for target in TARGETS:
        for element in TYPES:
            for text in FORMS:
                form = Form(text.format(t=element))
                if element in ("i8", "f64") and len(form.options) > form.has("bt"):
                    continue  # their epilogues are of floats of 32 bits
                ways = [[]]
                if element == "f32":
                    ways += [["--f32", path] for path in F32_PATHS]
                if element == "f8E4M3FN" and target == "sm_90a" and form.has("bt"):
                    ways += [["--f8", sums] for sums in F8_SUMS]
                for way in ways:
                    yield " ".join([target, form.key()] + way), target, form, way


def text_of(form):
    if form.input != "f64":
        return form.text()
    return Form(form.key().replace("f64", "f32")).text().replace("f32", "f64")


# --- operands -------------------------------------------------------------------------------------

WIDTH = {"f64": 64, "f32": 32, "i32": 32, "f16": 16, "bf16": 16, "f8E4M3FN": 8, "i8": 8}


def drawn(name, number, element, count):
    """Elements as bits. Floats have exponents between -6 and 1 and any fraction, and one in 64 is 0."""
    r = mix(key_of(name, "operand %d" % number) + STEP * np.arange(1, count + 1, dtype=np.uint64))
    if element.startswith("i"):
        return r & np.uint64((1 << WIDTH[element]) - 1)
    exponent, fraction = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7), "f8E4M3FN": (4, 3)}[element]
    q = mix(r + STEP)
    field = np.uint64((1 << exponent - 1) - 1 - 6) + q % np.uint64(8)
    bits = field << np.uint64(fraction) | r & np.uint64((1 << fraction) - 1)
    bits = np.where(q >> np.uint64(8) & np.uint64(63), bits, np.uint64(0))
    return bits | (r >> np.uint64(63)) << np.uint64(exponent + fraction)


def bytes_of(name, number, element, sizes):
    bits = drawn(name, number, element, int(np.prod(sizes)))
    return bits.astype("<u%d" % (WIDTH[element] // 8)).tobytes()


def arguments_of(text):
    """(element, sizes) of each argument of the function, and of its result."""
    head = text[:text.index("{\n")]
    found = [(kind.split("x")[-1], [int(size) for size in kind.split("x")[:-1]])
             for kind in re.findall(r"tensor<([^>]+)>", head)]
    return found[:-1], found[-1]


def write_npy(path, element, sizes, data):
    descr = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<u2", "f8E4M3FN": "|u1", "i8": "|i1", "i32": "<i4"}[element]
    np.save(path, np.frombuffer(data, descr).reshape(sizes))


# --- without a GPU --------------------------------------------------------------------------------


def simulated(heddle, folder, name, target, text, way):
    """The result's bytes by `heddle run`."""
    arguments, _ = arguments_of(text)
    source = folder / "product.mlir"
    source.write_text(text)
    result = folder / "D.npy"
    result.unlink(missing_ok=True)
    command = [heddle, "run", str(source), "--target", target, "--dump", "D=%s" % result] + way
    for number, (element, sizes) in enumerate(arguments):
        path = folder / ("%d.npy" % number)
        write_npy(path, element, sizes, bytes_of(name, number, element, sizes))
        command += ["--input", "%d=%s" % (number, path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if not result.exists():
        raise RuntimeError((done.stderr or done.stdout).strip()[:300])
    wrong = [line for line in done.stdout.splitlines() if re.match(r"result +(WRONG|NOT)", line)]
    return np.load(result).tobytes(), wrong


def compiled(heddle, folder, target, way):
    command = [heddle, "compile", str(folder / "product.mlir"), "--target", target] + way
    plan = subprocess.run(command + ["--emit", "plan", "--format", "json"], capture_output=True, text=True)
    ptx = subprocess.run(command + ["--emit", "ptx", "-o", str(folder / "product.ptx")], capture_output=True, text=True)
    if plan.returncode or ptx.returncode:
        raise RuntimeError((plan.stderr or ptx.stderr).strip()[:300])
    return json.loads(plan.stdout), (folder / "product.ptx").read_text()


def write(heddle, path, chosen):
    rows, refused, wrong = [], 0, 0
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        for name, target, form, way in cases():
            if chosen not in name:
                continue
            text = text_of(form)
            try:
                data, judged_wrong = simulated(heddle, folder, name, target, text, way)
                plan, ptx = compiled(heddle, folder, target, way)
            except RuntimeError as error:
                refused += 1
                print("%s: %s" % (name, error), flush=True)
                continue
            wrong += bool(judged_wrong)
            rows.append(dict(name=name, target=target, way=way, text=text, plan=plan, ptx=ptx, bytes=len(data),
                             result=hashlib.sha256(data).hexdigest(),
                             rows=[hashlib.sha256(row).hexdigest()[:8] for row in by_rows(text, data)]))
            print("%-70s %s" % (name, judged_wrong or "right"), flush=True)
    with gzip.open(path, "wt") as file:
        json.dump(dict(products=rows), file)
    print("%d products written, %d refused, %d not right" % (len(rows), refused, wrong))
    return wrong != 0 or not rows


def by_rows(text, data):
    _, (_, sizes) = arguments_of(text)
    step = len(data) // sizes[0]
    return [data[at:at + step] for at in range(0, len(data), step)]


def again(heddle, path):
    bad = 0
    with tempfile.TemporaryDirectory() as made, gzip.open(path, "rt") as file:
        for row in json.load(file)["products"]:
            data, _ = simulated(heddle, pathlib.Path(made), row["name"], row["target"], row["text"], row["way"])
            same = hashlib.sha256(data).hexdigest() == row["result"]
            bad += not same
            print("%-70s %s" % (row["name"], "the same" if same else "ANOTHER RESULT"), flush=True)
    return bad != 0


# --- on the GPU -----------------------------------------------------------------------------------


class Memory:
    """Allocations of one product."""

    def __init__(self, gpu):
        self.gpu, self.all = gpu, []

    def of(self, data):
        address = ctypes.c_uint64()
        self.gpu.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(len(data), 16)))
        self.gpu.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
        self.all.append(address)
        return address.value

    def free(self):
        for address in self.all:
            self.gpu.call("cuMemFree_v2", address)


def addresses_of(kernel, inputs, result, between, memory):
    found = []
    for at, buffer in enumerate(kernel["launch"]["buffers"]):
        if buffer["role"] == "workspace":
            found.append(memory.of(bytes(known(buffer["bytes"], {}))))
        elif between:
            found.append(between[kernel["buffers"][at]])
        elif buffer.get("constant"):
            found.append(memory.of(bytes.fromhex(buffer["constant"])))
        else:
            number = buffer["function_argument"]
            found.append(result if number is None else inputs[number])
    return found


def values_of(driver, launch, addresses):
    values = []
    for argument in launch["arguments"]:
        if argument["kind"] == "pointer":
            values.append(ctypes.c_uint64(addresses[argument["buffer"]]))
        else:  # sizes are known here
            aligned = ctypes.create_string_buffer(128)
            aligned.raw = driver.tensor_map(argument["map"], addresses[argument["buffer"]])
            values.append(aligned)
    return values


def computed(gpu, driver, row):
    """The result's bytes by the GPU."""
    memory, plan = Memory(gpu), row["plan"]
    arguments, _ = arguments_of(row["text"])
    inputs = [memory.of(bytes_of(row["name"], number, element, sizes))
              for number, (element, sizes) in enumerate(arguments)]
    result = memory.of(b"\xff" * row["bytes"])
    between = []
    for buffer in plan.get("buffers", []) if "kernels" in plan else []:
        between.append(inputs[buffer["number"]] if buffer["kind"] == "argument" else
                       result if buffer["kind"] == "result" else memory.of(b"\xff" * buffer["bytes"]))
    modules = []
    for kernel in plan.get("kernels") or [plan]:
        launch = kernel["launch"]
        module, function = driver.function(row["ptx"], launch["kernel"], launch["dynamic_shared_bytes"])
        modules.append(module)
        values = values_of(driver, launch, addresses_of(kernel, inputs, result, between, memory))
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        gpu.call("cuLaunchKernel", function, *[known(number, {}) for number in launch["grid"]], *launch["block"],
                 launch["dynamic_shared_bytes"], None, pointers, None)
        gpu.call("cuCtxSynchronize")
    data = ctypes.create_string_buffer(row["bytes"])
    gpu.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(result), ctypes.c_size_t(row["bytes"]))
    for module in modules:
        gpu.call("cuModuleUnload", module)
    memory.free()
    return data.raw


def run(path, chosen):
    try:
        gpu, driver = Gpu(), Driver()
    except (OSError, RuntimeError) as error:
        print("no GPU: %s" % error)
        return 77
    with gzip.open(path, "rt") as file:
        rows = [row for row in json.load(file)["products"] if chosen in row["name"]]
    bad = failed = 0
    for row in rows:
        try:
            data = computed(gpu, driver, row)
        except RuntimeError as error:
            failed += 1
            print("%-70s %s" % (row["name"], error), flush=True)
            continue
        same = hashlib.sha256(data).hexdigest() == row["result"]
        bad += not same
        differing = [number for number, (line, expected) in enumerate(zip(by_rows(row["text"], data), row["rows"]))
                     if hashlib.sha256(line).hexdigest()[:8] != expected]
        print("%-70s %s" % (row["name"], "the same bits" if same else "%d of %d rows differ, first %d: %s" % (
            len(differing), len(row["rows"]), differing[0],
            base64.b64encode(by_rows(row["text"], data)[differing[0]][:48]).decode())), flush=True)
    described = gpu.described("tests/compiler/gpu_bits.py")
    print("%d products on %s (%s, %s): %d differ, %d failed" % (
        len(rows), described["gpu"], described["driver"], described["date"], bad, failed))
    return 1 if bad or failed or not rows else 0


def main():
    arguments = sys.argv[1:] + [""]
    if arguments[0] == "write" and len(arguments) > 3:
        sys.exit(write(arguments[1], arguments[2], arguments[3]))
    if arguments[0] == "run" and len(arguments) > 2:
        sys.exit(run(arguments[1], arguments[2]))
    if arguments[0] == "again" and len(arguments) > 3:
        sys.exit(again(arguments[1], arguments[2]))
    sys.exit(__doc__)


if __name__ == "__main__":
    main()
