#!/usr/bin/env python3
"""Whether MLIR's own lowering to the CPU gives what the product compiler's kernels give.

    cpu_witness.py --heddle PROGRAM [--llvm FOLDER] [--target gfx1151] FILE[,NAME=SIZES…]…

`heddle run` judges a kernel by a formula that the compiler itself read from the text, so a text that is
read wrongly is judged wrongly. This witness shares nothing with it: bufferisation, loops and clang for
the host. FILE has one function of tensors, memrefs and numbers; NAME=4x8 gives an argument with dynamic
sizes its own, which else are those that `heddle run` chooses, and NAME=8 an index its value. Inputs are
small and drawn from a fixed seed, of an argument %wide of all sizes. Results of bf16 may
differ by 10 %, which sums in bf16 owe, of f16 by 2 %, of f32 by 0.01 %, and floats of 8 bits and integers not at all. Prints a line for each result; the exit
status is 1 if one differs, and 2 if a text could not be lowered or run.
"""
import argparse
import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

PASSES = (
    "builtin.module(func.func(canonicalize),func.func(convert-elementwise-to-linalg),"
    "func.func(linalg-generalize-named-ops),one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops "
    "copy-before-write},func.func(scf-forall-to-for),func.func(convert-linalg-to-loops),"
    "func.func(llvm-request-c-wrappers),lower-affine,expand-strided-metadata,lower-affine,{apfloat}"
    "func.func(arith-expand{include-bf16=true}),convert-scf-to-cf,convert-complex-to-standard,"
    "convert-complex-to-llvm,convert-math-to-llvm,"
    "convert-math-to-libm,finalize-memref-to-llvm,convert-arith-to-llvm,convert-func-to-llvm,"
    "convert-cf-to-llvm,convert-index-to-llvm,reconcile-unrealized-casts)"
)
# What an element is in memory, on the CPU and in an .npy file alike.
TYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.uint16, "i64": np.int64,
         "i32": np.int32, "i16": np.int16, "i8": np.int8, "i4": np.int8, "i1": np.bool_,
         "f8E4M3FN": np.uint8, "f8E5M2": np.uint8, "f8E4M3FNUZ": np.uint8, "f8E5M2FNUZ": np.uint8,
         "complex<f32>": np.complex64, "complex<f64>": np.complex128}
ALLOWED = {"complex<f64>": 1e-9, "complex<f32>": 1e-4, "f64": 1e-9, "f32": 1e-4, "f16": 2e-2, "bf16": 1e-1}


ARRAY = r"(?:tensor|memref)<(?:[^<>]|<[^<>]*>)*>"
# A layout that any array has which is row-major.
TOLD_STRIDES = re.compile(r", strided<\[(\?, )*[?1]\], offset: \?>")


class Failed(Exception):
    """A text that cannot be compared, and why."""


def command(*words):
    run = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if run.returncode != 0:
        raise Failed(f"{words[0]}: {(run.stderr or run.stdout)[-800:]}")
    return run.stdout


def element_and_sizes(tensor):
    sizes, element = re.match(r"\w+<((?:[\d?]+x)*)(complex<\w+>|\w+)", tensor).groups()
    return element, sizes.split("x")[:-1]


def small_floats(element):
    """The number that each byte is (OCP 8-bit Floating Point Specification 1.0, section 5.1; FNUZ: LLVM's
    APFloat.h)."""
    fractions = 3 if "E4M3" in element else 2
    fnuz = element.endswith("FNUZ")
    bias = (1 << (6 - fractions)) - (0 if fnuz else 1)
    size = np.arange(128)
    exponent, fraction = size >> fractions, size & ((1 << fractions) - 1)
    numbers = np.where(exponent == 0, fraction, fraction + (1 << fractions)).astype(np.float64)
    numbers *= 2.0 ** (np.maximum(exponent, 1) - bias - fractions)
    if element == "f8E5M2":
        numbers[124:] = [np.inf, np.nan, np.nan, np.nan]
    if element == "f8E4M3FN":
        numbers[127] = np.nan
    negative = -numbers
    if fnuz:
        negative[0] = np.nan
    return np.concatenate([numbers, negative])


def drawn(random, element, sizes, is_wide=False):
    if is_wide:  # numbers of 13 bits and all sizes
        return (random.integers(-4096, 4097, sizes) * 2.0 ** random.integers(-40, 8, sizes)).astype(TYPES[element])
    if element.startswith("f8"):
        finite = np.nan_to_num(small_floats(element), nan=np.inf)
        return np.abs(finite - random.integers(-8, 9, (*sizes, 1)) / 8).argmin(-1).astype(np.uint8)
    if element == "bf16":  # the upper half of an f32
        wide = (random.integers(-8, 9, sizes) / 8).astype(np.float32)
        return (wide.view(np.uint32) >> 16).astype(np.uint16)
    if element.startswith("complex"):
        parts = random.integers(-8, 9, (*sizes, 2)) / 8
        return (parts[..., 0] + 1j * parts[..., 1]).astype(TYPES[element])
    if element.startswith("f"):
        return (random.integers(-8, 9, sizes) / 8).astype(TYPES[element])
    if element == "i1":
        return random.integers(0, 2, sizes).astype(np.bool_)
    limit = 8 if element == "i4" else 100
    return random.integers(-limit, limit, sizes).astype(TYPES[element])


def values(element, array):
    """As numbers that can be compared."""
    if element == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if element.startswith("f8"):
        return small_floats(element)[array]
    if element.startswith("complex"):
        return parts_of(array)
    return array.astype(np.float64) if element.startswith("f") else array.astype(np.int64)


def parts_of(array):
    """Complex numbers as Heddle has them in files: with a last dimension of 2."""
    return array.view(array.real.dtype).reshape(*array.shape, 2)


class Function:
    """The signature of the one function of a text."""

    def __init__(self, text, given):
        found = re.search(r"func\.func\s+(?:public\s+)?@([\w$.-]+)\s*\(((?:.|\n)*?)\)\s*(?:->\s*"
                          r"(\([^{]*\)|[^{]*?)\s*)?(?:attributes[^{]*)?\{", text)
        if not found:
            raise Failed("no function that is understood")
        self.name = found[1]
        self.results = re.findall(ARRAY, found[3] or "")
        self.arguments = {}
        self.memory = {}  # the types of arguments that a kernel may write
        random = np.random.default_rng(1)
        for name, type_ in re.findall(rf"%([\w$.-]+)\s*:\s*({ARRAY}|\w+)", found[2]):
            if type_ == "index":
                self.arguments[name] = (type_, int(given.get(name, 0)))
                continue
            if type_.startswith("memref"):
                self.memory[name] = type_
            element, sizes = element_and_sizes(type_ if "<" in type_ else f"tensor<{type_}>")
            if element not in TYPES or ("," in type_ and not TOLD_STRIDES.search(type_)):
                raise Failed(f"%{name} is {type_}, which is no array of NumPy's")
            if "?" in sizes:
                sizes = given[name].split("x")
            array = np.asarray(drawn(random, element, [int(size) for size in sizes], name == "wide"))
            self.arguments[name] = (element if "<" in type_ else "number", array)


def chosen_sizes(arguments, path, text, given, folder):
    """`given`, and the sizes that `heddle run` gives to the other arguments with dynamic ones."""
    given = dict(given)
    for name in re.findall(r"%([\w$.-]+)\s*:\s*(?:tensor|memref)<[\dx]*\?", text[: text.index("{")]):
        if name not in given:
            run = subprocess.run([arguments.heddle, "run", path, "--target", arguments.target, "--dump",
                                  f"%{name}={folder}/{name}.npy"], capture_output=True, text=True)
            if run.returncode != 0:
                raise Failed(f"%{name} has dynamic sizes: say {name}=4x8")
            given[name] = "x".join(str(size) for size in np.load(folder / f"{name}.npy").shape)
    return given


def by_heddle(arguments, path, function, folder):
    words = []
    for name, (element, value) in function.arguments.items():
        if element != "index":
            np.save(folder / f"{name}.npy", parts_of(value) if np.iscomplexobj(value) else value)
            words += ["--input", f"%{name}={folder}/{name}.npy"]
    names = ["D"] if len(function.results) == 1 else [f"D{i}" for i in range(len(function.results))]
    names += function.memory

    def after(name):  # no file that is read
        return folder / (f"{name}_after.npy" if name in function.memory else f"{name}.npy")

    for name in names:
        word = f"%{name}" if name in function.memory else name
        words += ["--dump", f"{word}={after(name)}"]
    while True:
        run = subprocess.run([arguments.heddle, "run", path, "--target", arguments.target, *words],
                             capture_output=True, text=True)
        # An argument that nothing reads is none of the kernel's.
        unused = re.search(r"no array '(%?[\w$.-]+)'", run.stdout + run.stderr)
        at = [i for i, word in enumerate(words) if unused and word.startswith(unused[1] + "=")]
        if run.returncode != 2 or not at:
            break
        if unused[1] == "D":  # beside results in arguments
            words[at[0]] = f"D0={folder}/D.npy"
            continue
        del words[at[0] - 1 : at[0] + 1]
    if run.returncode != 0:
        raise Failed(f"heddle run: {(run.stderr or run.stdout)[-800:]}")
    # A memref that no kernel knows is still the one of above.
    return [np.load(after(name) if after(name).exists() else folder / f"{name}.npy")
            for name in names]


def lowered(arguments, text, folder):
    """The text as a library of the host."""
    opt = f"{arguments.llvm}/bin/mlir-opt"
    source = folder / "text.mlir"
    source.write_text(text)
    if re.search(r"linalg\.((un)?pack|winograd)|tensor\.pad", text):
        lines = text.splitlines()
        schedule = "transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {\n"
        results = {"pack": ("tensor.pad", "tensor.expand_shape", "linalg.transpose"),
                   "unpack": ("tensor.empty", "linalg.transpose", "tensor.collapse_shape", "tensor.extract_slice")}
        for name, parts in results.items():
            if f"linalg.{name}" in text:
                made = ", ".join(f'!transform.op<"{part}">' for part in parts)
                schedule += (f'%{name} = transform.structured.match ops{{["linalg.{name}"]}} in %root : '
                             f'(!transform.any_op) -> !transform.op<"linalg.{name}">\n'
                             f'transform.structured.lower_{name} %{name} : (!transform.op<"linalg.{name}">) -> ({made})\n')
        for name in set(re.findall(r"linalg\.(winograd_\w+)", text)):
            schedule += (f'%{name} = transform.structured.match ops{{["linalg.{name}"]}} in %root : '
                         f'(!transform.any_op) -> !transform.any_op\n'
                         f'transform.structured.decompose_winograd_op %{name} : (!transform.any_op) -> (!transform.any_op)\n')
        module = [line for line in lines if line.startswith("#")]
        module += ["module attributes {transform.with_named_sequence} {"]
        module += [line for line in lines if not line.startswith("#")] + [schedule + "transform.yield } }"]
        source.write_text("\n".join(module))
        text = command(opt, source, "--canonicalize", "--transform-interpreter", "--convert-tensor-to-linalg")
        text = re.sub(r"transform\.named_sequence(.|\n)*?transform\.yield.*\n\s*}\n", "", text)
        source.write_text(text.replace("attributes {transform.with_named_sequence}", ""))
    for_llvm, code, library = folder / "llvm.mlir", folder / "code.ll", folder / "code.so"
    # LLVM has no floats of 8 bits: what computes with any goes to its APFloat.
    apfloat = "convert-arith-to-apfloat," if "f8E" in text else ""
    for_llvm.write_text(command(opt, source, f"--pass-pipeline={PASSES.replace('{apfloat}', apfloat)}"))
    code.write_text(command(f"{arguments.llvm}/bin/mlir-translate", "--mlir-to-llvmir", for_llvm))
    # What nobody writes is any number, and 0 in a kernel.
    code.write_text(code.read_text().replace("@malloc(", "@zeroed("))
    zeroed = folder / "zeroed.c"
    zeroed.write_text("#include <stdlib.h>\nvoid* zeroed(long bytes) { return calloc(1, bytes); }\n")
    command(f"{arguments.llvm}/bin/clang", "-O2", "-w", "-shared", "-fPIC", "-o", library, code, zeroed, "-lm",
            f"-L{arguments.llvm}/lib", "-lmlir_c_runner_utils", *["-lmlir_apfloat_wrappers"] * bool(apfloat), f"-Wl,-rpath,{arguments.llvm}/lib")
    return ctypes.CDLL(str(library))


def descriptor(rank):
    fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64)]
    if rank > 0:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type("Descriptor", (ctypes.Structure,), {"_fields_": fields})


def described(array):
    result = descriptor(array.ndim)(array.ctypes.data, array.ctypes.data, 0)
    for axis in range(array.ndim):
        result.sizes[axis] = array.shape[axis]
        result.strides[axis] = array.strides[axis] // array.itemsize
    return result


def learn_sizes(function, text, found):
    """Gives an index the value that is the size of a result, where the text says that it is one."""
    for names, type_ in re.findall(r"tensor\.empty\(([^)]+)\)\s*:\s*(tensor<[^>]*>)", text):
        if type_ not in function.results:
            continue
        shape = found[function.results.index(type_)].shape
        open_sizes = [axis for axis, size in enumerate(element_and_sizes(type_)[1]) if size == "?"]
        for name, axis in zip(re.findall(r"%([\w$.-]+)", names), open_sizes):
            if function.arguments.get(name, ("", 1)) == ("index", 0):
                function.arguments[name] = ("index", shape[axis])


def by_the_cpu(arguments, text, function, folder):
    library = lowered(arguments, text, folder)
    kinds = [element_and_sizes(result) for result in function.results]
    fields = [(f"result{i}", descriptor(len(sizes))) for i, (_, sizes) in enumerate(kinds)]
    returned = type("Results", (ctypes.Structure,), {"_fields_": fields})()
    kept, call = {}, [ctypes.byref(returned)] if kinds else []
    numbers = {np.dtype(np.float32): ctypes.c_float, np.dtype(np.float64): ctypes.c_double}
    for name, (element, value) in function.arguments.items():
        if element == "index":
            call.append(ctypes.c_int64(value))
        elif element == "number":
            call.append(numbers.get(value.dtype, ctypes.c_int64)(value.item()))
        else:
            # LLVM reads an i4 from a byte whose upper half is 0.
            kept[name] = value & 15 if element == "i4" else value.copy()
            call.append(ctypes.byref(described(kept[name])))
    getattr(library, "_mlir_ciface_" + function.name)(*call)
    results = []
    for i, (element, sizes) in enumerate(kinds):
        one, type_ = getattr(returned, f"result{i}"), np.dtype(TYPES[element])
        sizes, strides = (list(one.sizes), list(one.strides)) if sizes else ([], [])
        last = sum((size - 1) * stride for size, stride in zip(sizes, strides))
        raw = ctypes.string_at(one.aligned + one.offset * type_.itemsize, (last + 1) * type_.itemsize)
        results.append(np.lib.stride_tricks.as_strided(
            np.frombuffer(raw, type_), sizes, [stride * type_.itemsize for stride in strides]).copy())
    return results + [kept[name] for name in function.memory]


def compare(arguments, path, given):
    """A line for each result, and whether all agree."""
    # One vector of a scalable size has as many elements as its least.
    text = re.sub(r"= vector\.vscale", "= arith.constant 1 : index", pathlib.Path(path).read_text())
    text = re.sub(r", \d+ : i\d+>", ">", text)  # no tensor's memory depends on a number as its encoding
    agree = True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        function = Function(text, chosen_sizes(arguments, path, text, given, folder))
        found = by_heddle(arguments, path, function, folder)
        learn_sizes(function, text, found)
        wanted = by_the_cpu(arguments, text, function, folder)
    for result, ours, theirs in zip([*function.results, *function.memory.values()], found, wanted):
        element = element_and_sizes(result)[0]
        if element.startswith("complex"):
            ours = ours.view(TYPES[element]).reshape(ours.shape[:-1])
        if ours.shape != theirs.shape:
            print(f"DIFFERENT {path}: sizes {ours.shape} where the CPU has {theirs.shape}")
            agree = False
            continue
        a, b = values(element, ours), values(element, theirs)
        count = len(np.unique(b))
        differ = ~((a == b) | ((a != a) & (b != b)))
        a, b = a[differ], b[differ]
        scale = 1 + np.abs(b) if element in ALLOWED else 1
        error = np.max(np.abs(a - b) / scale, initial=0)
        good = error <= ALLOWED.get(element, 0)
        agree = agree and good
        print(f"{'same' if good else 'DIFFERENT'} {path}: {result}, error {error:.2g}, {count} different values")
    return agree


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--llvm", default="/usr/lib/llvm-22")
    parser.add_argument("--target", default="gfx1151")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    status, same = 0, 0
    for words in arguments.files:
        path, *given = words.split(",")
        try:
            agrees = compare(arguments, path, dict(one.split("=") for one in given))
            same += agrees
            status = status if agrees else 1
        except Failed as failure:
            print(f"not compared {path}: {failure}")
            status = status or 2
    print(f"{same} of {len(arguments.files)} texts agree with the CPU")
    sys.exit(status)


if __name__ == "__main__":
    main()
