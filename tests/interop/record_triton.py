#!/usr/bin/env python3
"""Records what Triton answers about layouts and conversions, for tests/interop and tests/plan.

    python3 tests/interop/record_triton.py OUT [--jobs 16] [--seconds 150] [--only layouts|conversions]

writes OUT/triton_layouts.json.gz and OUT/triton_conversions.json.gz, from a fixed seed:

layouts      random layouts of every kind, each with a shape: what Gluon's class mangles to, how
             Triton prints the attribute, the bases of its linear layout, and its two views where
             the shape is small; and what it says of wrong ones. Layouts of shared memory have no
             linear layout to ask for in Triton 3.6: a kernel stores the numbers of a tile's
             elements through the layout on the GPU, and reads the memory back as it lies there.
conversions  kernels that load a tile in one layout, convert it and store it, compiled to PTX or
             AMD assembly: bytes of shared memory and how often each instruction that moves data
             between lanes occurs.

Triton asserts on some inputs, which ends the process. So every case runs in a child: what a child
did not finish is recorded as a crash, and another child goes on behind it.
"""
import argparse
import collections
import datetime
import gzip
import inspect
import json
import math
import os
import platform
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

from triton_cases import (SEED, TARGETS, bases_of, conversion_cases, layout_cases, raw_view_cases,
                          wrong_cases)

# ------------------------------------------------------------------------------ asking Triton
class Triton:
    """Triton's modules, and its layouts from specs whatever this release calls the fields."""

    def __init__(self):
        import torch  # before the children are forked, and without touching the GPU
        import triton
        import triton.experimental.gluon.language as language
        from triton._C import libtriton
        self.torch = torch
        self.version = triton.__version__
        self.libtriton = libtriton
        self.ir = libtriton.ir
        self.language = language
        self.layouts = __import__("triton.experimental.gluon.language._layouts", fromlist=["x"])
        try:
            self.amd = __import__("triton.experimental.gluon.language.amd._layouts", fromlist=["x"])
        except ImportError:
            self.amd = language.amd
        self.linear_layout = None
        for name in dir(libtriton):
            module = getattr(libtriton, name)
            if hasattr(module, "LinearLayout"):
                self.linear_layout = module.LinearLayout
        self.classes = {}
        for kind, name in {"blocked": "BlockedLayout", "slice": "SliceLayout", "dot_op": "DotOperandLayout",
                           "nvidia_mma": "NVMMADistributedLayout", "amd_mfma": "AMDMFMALayout",
                           "amd_wmma": "AMDWMMALayout", "linear": "DistributedLinearLayout",
                           "swizzled_shared": "SwizzledSharedLayout", "nvmma_shared": "NVMMASharedLayout",
                           "shared_linear": "SharedLinearLayout", "padded_shared": "PaddedSharedLayout",
                           "auto": "AutoLayout"}.items():
            self.classes[kind] = getattr(self.layouts, name, None) or getattr(self.amd, name, None)

    def builder(self):
        context = self.ir.context()
        self.ir.load_dialects(context)
        builder = self.libtriton.gluon_ir.GluonOpBuilder(context)
        self.keep = (context, builder)
        try:
            builder.set_loc(builder.create_loc("layout", 0, 0)) if hasattr(builder, "create_loc") else None
        except Exception:
            pass
        return builder

    def fields(self, kind):
        return list(inspect.signature(self.classes[kind]).parameters)

    def make(self, spec):
        kind = spec["kind"]
        fields = self.fields(kind)
        given = {k: v for k, v in spec.items() if k in fields}
        if "parent" in spec:
            given["parent"] = self.make(spec["parent"])
        cga = spec.get("cga")
        rank = spec.get("rank") or len(spec.get("order") or spec.get("warps_per_cta") or [])
        if cga is not None:
            if "cga_layout" in fields:
                given["cga_layout"] = bases_of(cga, rank)
            else:
                given.update({k: v for k, v in cga.items() if k in fields})
        if kind == "padded_shared":
            return self.classes[kind].with_identity_for(spec["interval_padding_pairs"], spec["shape"],
                                                        spec["order"])
        if kind == "amd_wmma" and "warp_bases" in fields:
            given.update(wmma_bases(spec))
        if kind == "amd_mfma" and "tiles_per_warp" not in fields:
            given.pop("tiles_per_warp", None)
        try:
            return self.classes[kind](**given)
        except AssertionError:
            if kind == "amd_mfma" and len(given.get("instr_shape", [])) == 3 and not spec.get("strict"):
                return self.classes[kind](**dict(given, instr_shape=given["instr_shape"][:2]))
            raise


def wmma_bases(spec):
    """warps_per_cta and tiles_per_warp as the bases of newer releases: tiles first, n before m."""
    tiles, warps = spec["tiles_per_warp"], spec["warps_per_cta"]
    moved = [1, 1]
    registers, warp_bases = [], []
    for dim in (1, 0):
        for _ in range(int(math.log2(tiles[dim]))):
            registers.append([moved[0] if dim == 0 else 0, moved[1] if dim == 1 else 0])
            moved[dim] *= 2
    for dim in (1, 0):
        for _ in range(int(math.log2(warps[dim]))):
            warp_bases.append([moved[0] if dim == 0 else 0, moved[1] if dim == 1 else 0])
            moved[dim] *= 2
    return {"warp_bases": warp_bases, "reg_bases": registers}


def plain(value):
    """A layout's fields as JSON."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if value is None or isinstance(value, (int, str, bool, float)):
        return value
    if hasattr(value, "__dataclass_fields__"):
        return {"class": type(value).__name__,
                **{k: plain(getattr(value, k)) for k in value.__dataclass_fields__}}
    return str(value)


def said(error):
    return f"{type(error).__name__}: {error}"[:400]


SHARED = {"swizzled_shared", "nvmma_shared", "shared_linear", "padded_shared", "amd_rotating_shared"}


def answer_layout(triton, case):
    spec, shape = case["spec"], case["shape"]
    result = {}
    if spec["kind"] == "amd_rotating_shared":  # Gluon has no class for it
        result["text"] = memdesc_text(shape, "f16", "#ttg.amd_rotating_shared<{" + ", ".join([
            f"vec = {spec['vec']}", f"perPhase = {spec['per_phase']}", f"maxPhase = {spec['max_phase']}",
            f"order = {spec['order']}"]) + "}>")
        return measured(triton, spec, shape, result)
    try:
        layout = triton.make(spec)
    except BaseException as error:
        return {"make_error": said(error)}
    result["fields"] = plain(layout)
    try:
        result["mangle"] = layout.mangle()
    except BaseException as error:
        result["mangle_error"] = said(error)
    builder = triton.builder()
    try:
        attribute = layout._to_ir(builder)
    except BaseException as error:
        result["ir_error"] = said(error)
        return result
    try:
        half = builder.get_half_ty()
        if spec["kind"] in SHARED:
            kind = builder.get_shared_mem_desc_ty(half, shape, attribute, shape)
        else:
            kind = builder.get_distributed_ty(half, shape, attribute)
        result["text"] = str(kind)
    except BaseException as error:
        result["type_error"] = said(error)
    if spec["kind"] in SHARED:
        whole = "text" in result and not spec.get("cga") and not case.get("wrong")
        return measured(triton, spec, shape, result) if whole else result
    try:
        linear = builder.to_linear_layout(attribute, shape)
        result["linear"] = {k: v for k, v in plain(linear).items() if k != "class"}
    except BaseException as error:
        result["linear_error"] = said(error)
        return result
    if not case.get("wrong"):
        result.update(views_of(triton, result["linear"], shape))
    return result


def views_of(triton, linear, shape):
    """The views of a linear layout as Gluon's fields have it; nothing when they would be long."""
    if triton.linear_layout is None or math.prod(shape) > 128:
        return {}
    names = {"reg_bases": "register", "lane_bases": "lane", "warp_bases": "warp",
             "block_bases": "block", "offset_bases": "offset"}
    order = ["offset", "register", "lane", "warp", "block"]
    bases = sorted(((names[k], v) for k, v in linear.items() if k in names),
                   key=lambda pair: order.index(pair[0]))
    if sum(len(v) for _, v in bases) > 9:
        return {}
    return views(triton, bases, shape)


def views(triton, bases, shape):
    try:
        names = [f"dim{i}" for i in range(len(shape))]
        layout = triton.linear_layout.from_bases(bases, names, shape, True)
        shared = bases[0][0] == "offset"
        view = layout.get_shared_view if shared else layout.get_distributed_view
        return {"tensor_view": view(False), "hardware_view": view(True)}
    except BaseException as error:
        return {"view_error": said(error)}


def answer_raw_view(triton, case):
    return views(triton, list(case["raw"].items()), case["shape"])


# ------------------------------------------------------------------------------ conversions
def layout_text(type_text):
    """The encoding of `tensor<16x16xf16, #ttg.…>`."""
    return type_text[type_text.index(",") + 1:-1].strip()


def tensor_text(sizes, kind, encoding):
    return f"tensor<{'x'.join(map(str, sizes))}x{kind}, {encoding}>"


def memdesc_text(sizes, kind, encoding):
    return f"!ttg.memdesc<{'x'.join(map(str, sizes))}x{kind}, {encoding}, #ttg.shared_memory, mutable>"


def numbers(name, layout, shape):
    """Lines that number the elements of a tile row by row, in a layout; the result is %{name}o."""
    lines, sums, stride = [], [], math.prod(shape)
    for dim, size in enumerate(shape):
        stride //= size
        others = [d for d in range(len(shape)) if d != dim]
        encodings = [layout]
        for other in reversed(others):
            encodings.append(f"#ttg.slice<{{dim = {other}, parent = {encodings[-1]}}}>")
        value, sizes = f"%{name}{dim}r", [size]
        lines.append(f"{value} = tt.make_range {{start = 0 : i32, end = {size} : i32}} : "
                     f"{tensor_text(sizes, 'i32', encodings[-1])}")
        for step, other in enumerate(others):
            before = tensor_text(sizes, "i32", encodings[-1 - step])
            sizes = sizes[:other] + [1] + sizes[other:]
            after = tensor_text(sizes, "i32", encodings[-2 - step])
            lines.append(f"%{name}{dim}e{step} = tt.expand_dims {value} {{axis = {other} : i32}} : {before} -> {after}")
            value = f"%{name}{dim}e{step}"
        column, tile = tensor_text(sizes, "i32", layout), tensor_text(shape, "i32", layout)
        lines.append(f"%{name}{dim}c = arith.constant dense<{stride}> : {column}")
        lines.append(f"%{name}{dim}m = arith.muli {value}, %{name}{dim}c : {column}")
        value = f"%{name}{dim}m"
        if sizes != shape:
            lines.append(f"%{name}{dim}b = tt.broadcast {value} : {column} -> {tile}")
            value = f"%{name}{dim}b"
        sums.append(value)
    total = sums[0]
    for step, value in enumerate(sums[1:]):
        lines.append(f"%{name}s{step} = arith.addi {total}, {value} : {tensor_text(shape, 'i32', layout)}")
        total = f"%{name}s{step}"
    return lines, total


def pointers(name, pointer, layout, shape, element):
    """Lines that make the tile's pointers in a layout; the last value is %{name}p."""
    lines, offset = numbers(name, layout, shape)
    pointer_type = f"!tt.ptr<{element}>"
    tile = tensor_text(shape, pointer_type, layout)
    lines.append(f"%{name}q = tt.splat {pointer} : {pointer_type} -> {tile}")
    lines.append(f"%{name}p = tt.addptr %{name}q, {offset} : {tile}, {tensor_text(shape, 'i32', layout)}")
    return lines


LINE = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
FLAT = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>"


def measuring_kernel(shape, bits, layout, slots):
    """Fills `slots` elements of shared memory with ones, stores the numbers of a tile's elements,
    shifted, through `layout`, and copies the memory out as it lies there."""
    element, rank = f"i{bits}", len(shape)
    tile = ("#ttg.blocked<{" + f"sizePerThread = {[1] * rank}, threadsPerWarp = {[1] * (rank - 1) + [32]}, "
            f"warpsPerCTA = {[4] + [1] * (rank - 1)}, order = {list(reversed(range(rank)))}" + "}>")
    if rank == 1:
        tile = LINE
    memory, flat = memdesc_text(shape, element, layout), memdesc_text([slots], element, FLAT)
    words, line = tensor_text(shape, "i32", tile), tensor_text([slots], element, LINE)
    body, number = numbers("a", tile, shape)
    body += [f"%k = tt.splat %shift : i32 -> {words}", f"%n = arith.shrui {number}, %k : {words}"]
    value = "%n"
    if bits < 32:
        body.append(f"%v = arith.trunci %n : {words} to {tensor_text(shape, element, tile)}")
        value = "%v"
    body += [f"%ones = arith.constant dense<-1> : {line}",
             f"%flat = ttg.local_alloc : () -> {flat}",
             f"ttg.local_store %ones, %flat : {line} -> {flat}",
             f"%memory = ttg.memdesc_reinterpret %flat : {flat} -> {memory}",
             f"ttg.local_store {value}, %memory : {tensor_text(shape, element, tile)} -> {memory}",
             f"%back = ttg.local_load %flat : {flat} -> {line}"]
    body += pointers("b", "%out", LINE, [slots], element)
    body += [f"tt.store %bp, %back : {tensor_text([slots], f'!tt.ptr<{element}>', LINE)}", "tt.return"]
    lines = "\n    ".join(body)
    return f"""module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @measure(%out: !tt.ptr<{element}>, %shift: i32) attributes {{noinline = false}} {{
    {lines}
  }}
}}
"""


def measured(triton, spec, shape, result):
    """Where the elements of a tile lie in shared memory, as a kernel finds them on the GPU."""
    bits, count = spec.get("element_bitwidth", 16), math.prod(shape)
    if count > 8192 or bits not in (8, 16, 32):
        return result
    padding = sum(count // i * a for i, a in spec.get("interval_padding_pairs", []))
    slots = 1 << (count * (2 if spec.get("fp4_padded") else 1) + padding - 1).bit_length()
    try:
        import triton as module
        from triton.backends.compiler import GPUTarget
        text = result["text"]
        layout = text[text.index("#ttg."):text.rindex(", #ttg.shared_memory")]
        with tempfile.NamedTemporaryFile("w", suffix=".ttgir", delete=False) as file:
            file.write(measuring_kernel(shape, bits, layout, slots))
        kernel = module.compile(file.name, target=GPUTarget("cuda", 90, 32))
        os.unlink(file.name)
        torch = triton.torch
        kind = {8: torch.uint8, 16: torch.int16, 32: torch.int32}[bits]
        found = [0] * slots
        for shift in range(0, 32, bits):
            out = torch.zeros(slots, dtype=kind, device="cuda")
            kernel[(1, 1, 1)](out, shift)
            torch.cuda.synchronize()
            for slot, part in enumerate(out.tolist()):
                found[slot] |= (part & ((1 << bits) - 1)) << shift
        found = [-1 if word == 0xffffffff else word for word in found]
    except BaseException as error:
        if "CUDA" in str(error):  # the GPU is lost to this process: the next child goes on
            print("Error:", error, file=sys.stderr, flush=True)
            os.abort()
        result["measure_error"] = said(error)
        return result
    while found and found[-1] == -1:
        found.pop()
    linear = bases_of_places(found, shape)
    if linear is None or spec["kind"] == "padded_shared":
        result["places"] = found if len(found) <= 600 else None
    else:
        result["linear"] = linear
        result.update(views_of(triton, linear, shape))
    return result


def bases_of_places(found, shape):
    """The bases of a list slot -> element number, if it is linear; else None."""
    if len(found) & (len(found) - 1) or not found or found[0] != 0:
        return None
    words = [found[1 << bit] for bit in range(len(found).bit_length() - 1)]
    for slot, number in enumerate(found):
        word = 0
        for bit, basis in enumerate(words):
            word ^= basis if slot >> bit & 1 else 0
        if word != number:
            return None
    bases = []
    for word in words:
        basis = []
        for size in reversed(shape):
            basis.insert(0, word % size)
            word //= size
        bases.append(basis)
    return {"offset_bases": bases, "block_bases": [], "shape": list(shape)}


def kernel_text(case, source, destination):
    target, arch, lanes = TARGETS[case["target"]]
    element, shape = case["type"], case["shape"]
    sizes = "x".join(map(str, shape))
    body = pointers("a", "%source", source, shape, element)
    body += [f"%v = tt.load %ap : tensor<{sizes}x!tt.ptr<{element}>, {source}>",
             f"%w = ttg.convert_layout %v : tensor<{sizes}x{element}, {source}> -> tensor<{sizes}x{element}, {destination}>"]
    body += pointers("b", "%destination", destination, shape, element)
    body += [f"tt.store %bp, %w : tensor<{sizes}x!tt.ptr<{element}>, {destination}>", "tt.return"]
    lines = "\n    ".join(body)
    argument = f"!tt.ptr<{element}> {{tt.divisibility = 16 : i32}}"
    return f"""module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {case['warps']} : i32, ttg.target = "{target}:{arch}", "ttg.threads-per-warp" = {lanes} : i32}} {{
  tt.func public @convert(%source: {argument}, %destination: {argument}) attributes {{noinline = false}} {{
    {lines}
  }}
}}
"""


def compile_text(triton_module, text, target, warps):
    """The assembly and Triton's metadata; stage by stage, so that no assembler runs."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend
    ir = triton_module.ir
    with tempfile.NamedTemporaryFile("w", suffix=".ttgir", delete=False) as file:
        file.write(text)
    try:
        backend = make_backend(GPUTarget(*target))
        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        module = ir.parse_mlir_module(file.name, context)
        module.context = context
        options = backend.parse_options({"num_warps": warps})
        metadata = {"target": GPUTarget(*target), **options.__dict__}
        stages = {}
        try:
            from triton.backends.compiler import Language
            backend.add_stages(stages, options, Language.TRITON)
        except (ImportError, TypeError):
            backend.add_stages(stages, options)
        names = list(stages)
        for name in names[names.index("ttgir") + 1:]:
            module = stages[name](module, metadata)
            if name in ("ptx", "amdgcn"):
                break
        return str(module), metadata
    finally:
        os.unlink(file.name)


PTX = re.compile(r"^\s*(?:@!?%p\d+\s+)?((?:shfl|prmt|ld\.shared|st\.shared|ldmatrix|stmatrix|movmatrix|bar|barrier"
                 r"|selp|shf|ld\.global|st\.global)[\w.:]*)", re.M)
GCN = re.compile(r"^\s*((?:ds_|v_permlane|v_perm_|v_mov_b32_dpp|v_cndmask|v_alignb|s_barrier|v_swap|buffer_|global_)"
                 r"\w*)(.*)$", re.M)


def counts(text, target):
    found = collections.Counter()
    if target[0] == "cuda":
        for match in PTX.finditer(text):
            found[match.group(1)] += 1
    else:
        for match in GCN.finditer(text):
            found[match.group(1)] += 1
        found["dpp"] += len(re.findall(r"(?:quad_perm|row_\w+):", text))
    return dict(sorted(found.items()))


def answer_conversion(triton, case):
    result = {}
    builder = triton.builder()
    texts = []
    for side in ("source", "destination"):
        try:
            layout = triton.make(case[side])
            attribute = layout._to_ir(builder)
            kind = builder.get_distributed_ty(builder.get_half_ty(), case["shape"], attribute)
            texts.append(layout_text(str(kind)))
            result[side + "_text"] = texts[-1]
        except BaseException as error:
            return {**result, "error": side + ": " + said(error)}
        try:
            linear = plain(builder.to_linear_layout(attribute, case["shape"]))
            result[side + "_linear"] = {k: v for k, v in linear.items() if k.endswith("bases") or k == "shape"}
        except BaseException as error:
            result[side + "_linear_error"] = said(error)
    try:
        text = kernel_text(case, *texts)
        assembly, metadata = compile_text(triton, text, TARGETS[case["target"]], case["warps"])
        result["shared"] = metadata.get("shared")
        result["instructions"] = counts(assembly, TARGETS[case["target"]])
    except BaseException as error:
        result["error"] = said(error)
    return result


# ------------------------------------------------------------------------------ children
def run_cases(triton, cases, answer, jobs, deadline, folder, case_seconds):
    """The answers by case number; a case that ends its child is answered {"crash": …}."""
    answers = {}
    state = {}

    def spawn(child, begin):
        path = os.path.join(folder, f"{answer.__name__}_{child}_{begin}")
        pid = os.fork()
        if pid:
            state[pid] = (child, begin, path)
            return
        log = os.open(path + ".log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 2)
        os.dup2(log, 1)
        with open(path, "w") as out:
            for number in range(begin, len(cases), jobs):
                if time.time() > deadline:
                    break
                signal.alarm(case_seconds)
                out.write(f"start {number}\n")
                out.flush()
                try:
                    result = answer(triton, cases[number])
                except Exception as error:
                    result = {"recorder_error": said(error)}
                out.write(f"done {number} {json.dumps(result)}\n")
                out.flush()
        os._exit(0)

    for child in range(jobs):
        spawn(child, child)
    while state:
        pid, status = os.wait()
        if pid not in state:
            continue
        child, begin, path = state.pop(pid)
        started = None
        with open(path) as lines:
            for line in lines:
                word, number, *rest = line.rstrip("\n").split(" ", 2)
                if word == "start":
                    started = int(number)
                else:
                    answers[int(number)] = json.loads(rest[0])
                    started = None
        if status != 0 and started is not None:
            with open(path + ".log", errors="replace") as log:
                tail = [line for line in log.read().splitlines() if re.search("ssert|rror|nreachable|LLVM", line)]
            answers[started] = {"crash": status & 127, "log": " | ".join(tail[-2:])[-300:]}
            if time.time() < deadline:
                spawn(child, started + jobs)
    return answers


def save(path, header, cases, answers):
    rows = [{**cases[i], **answers[i]} for i in sorted(answers)]
    with gzip.open(path, "wt", compresslevel=9) as file:
        json.dump({**header, "seed": SEED, "cases": rows}, file, separators=(",", ":"))
    summary = collections.Counter()
    for row in rows:
        kind = row.get("target") or row.get("spec", {}).get("kind", "raw")
        state = next((k for k in ("crash", "recorder_error", "measure_error", "error", "make_error", "ir_error", "type_error", "linear_error",
                                  "view_error") if k in row), "ok")
        summary[f"{kind} {state}"] += 1
    print(path, os.path.getsize(path), "bytes,", len(rows), "of", len(cases), "cases", flush=True)
    for key in sorted(summary):
        print("   ", key, summary[key])
    examples = {}
    for row in rows:
        for key in ("crash", "recorder_error", "measure_error", "error", "make_error", "ir_error", "type_error", "linear_error", "view_error"):
            if key in row:
                text = str(row.get("log") or row[key])
                examples.setdefault(re.sub(r"\d+", "N", text)[:90], text)
    for text in list(examples.values())[:40]:
        print("    !", text[:300])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--only", choices=["layouts", "conversions"])
    arguments = parser.parse_args()
    begin = time.time()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["LLVM_DISABLE_SYMBOLIZATION"] = "1"
    triton = Triton()
    driver = subprocess.run("nvidia-smi --query-gpu=name,driver_version --format=csv,noheader", shell=True,
                            capture_output=True, text=True).stdout.strip()
    header = {"date": datetime.date.today().isoformat(), "triton": triton.version, "driver": driver,
              "python": platform.python_version()}
    print(header)
    print("linear layout:", triton.linear_layout, [n for n in dir(triton.linear_layout) if n[0] != "_"])
    print("builder:", [n for n in dir(triton.libtriton.gluon_ir.GluonOpBuilder) if "layout" in n or "_ty" in n])
    for kind, cls in triton.classes.items():
        print("class", kind, triton.fields(kind) if cls else "missing")
    print("imported after", round(time.time() - begin, 1), "s", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        end = begin + arguments.seconds
        if arguments.only != "conversions":
            cases = wrong_cases() + layout_cases()
            answers = run_cases(triton, cases, answer_layout, arguments.jobs,
                                begin + arguments.seconds * 0.6, folder, 40)
            raw = raw_view_cases()
            more = run_cases(triton, raw, answer_raw_view, arguments.jobs,
                             begin + arguments.seconds * 0.65, folder, 10)
            answers.update({len(cases) + i: a for i, a in more.items()})
            save(os.path.join(arguments.out, "triton_layouts.json.gz"), header, cases + raw, answers)
            print("layouts after", round(time.time() - begin, 1), "s", flush=True)
        if arguments.only != "layouts":
            cases = conversion_cases()
            answers = run_cases(triton, cases, answer_conversion, arguments.jobs, end, folder, 30)
            save(os.path.join(arguments.out, "triton_conversions.json.gz"), header, cases, answers)
            print("conversions after", round(time.time() - begin, 1), "s", flush=True)


if __name__ == "__main__":
    main()
