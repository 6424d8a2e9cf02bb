"""Compiled products on a GPU beside what people would call instead: cuBLAS, cublasLt and torch.

    python3 bench/gpu/products.py write build/bin/heddle FOLDER LIST
    python3 bench/gpu/products.py measure FOLDER [--rounds N] [--json FILE] [--sustained] [--only TEXT]
    python3 bench/gpu/products.py repeat FOLDER SECONDS
    python3 bench/gpu/products.py table RESTED.json [SUSTAINED.json]
    python3 bench/gpu/products.py chosen build/bin/heddle PLANS.json

`write` compiles each product of the list (bench/gpu/products.txt, or the lines of a JSON that
`measure` wrote) for sm_90a: FOLDER/NAME.ptx, and FOLDER/NAME.json with its form and its launch. `table`
prints what was measured as Markdown. `chosen` compares what the planner chooses with the fastest
plan that was measured of each product. `repeat` launches each for so long, into memory that holds
NaN before, with its module loaded anew each time, and counts launches that do not give the bits of
the first. `measure` needs a GPU and PyTorch; without them it says so, with status 77.
Every contestant is timed in each of N rounds, in an order drawn anew: a CUDA graph of calls for some
2 ms, that go through as many sets of operands as exceed the L2 cache. Ratios are medians of the
rounds' ratios of the peer's time to ours. Every element is compared with the product in float64.
Exit status: 0; 1 a wrong result or a kernel that fails; 2 wrong arguments; 77 nothing measured.
"""
import ctypes
import datetime
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from driver import Driver, Ours, plan_for
from form import Form

SKIPPED = 77
TYPES = ("f16", "bf16", "f8E4M3FN", "f32", "i8")


def write(heddle, folder, forms):
    """Compiles all products; says which cannot be."""
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for form in forms:
        base = folder / form.file()
        text = base.with_suffix(".mlir")
        text.write_text(form.text())
        command = [heddle, "compile", str(text), "--target", "sm_90a"]
        if form.plan:
            plan = base.with_suffix(".plan")
            plan.write_text(json.dumps(form.plan))
            command += ["--plan", str(plan)]
        if form.input == "f32":
            command += [word for path in ("tf32", "tf32-cut") if form.has(path)
                        for word in ("--f32", path)]
        if form.has("fast"):
            command += ["--f8", "fast"]
        made = subprocess.run(command + ["--emit", "plan", "--format", "json"], capture_output=True,
                              text=True)
        if made.returncode == 0:
            made2 = subprocess.run(command + ["--emit", "ptx", "-o", f"{base}.ptx"],
                                   capture_output=True, text=True)
        if made.returncode != 0 or made2.returncode != 0:
            print(f"{form.key()}: {(made.stderr or made2.stderr).strip()[:300]}", file=sys.stderr)
            failed += 1
            continue
        record = {"line": " ".join([form.name, form.input, "x".join(map(str, form.sizes)),
                                    *form.options]), "plan": json.loads(made.stdout)}
        pathlib.Path(f"{base}.json").write_text(json.dumps(record))
    print(f"{len(forms) - failed} of {len(forms)} products written to {folder}")
    return 1 if failed else 0


# ---- on the machine with the GPU ---------------------------------------------------------------
class Product:
    """The operands of a form, its right result, and its peers."""

    def __init__(self, torch, form):
        self.torch, self.form = torch, form
        t = torch
        self.kinds = {"f16": t.float16, "bf16": t.bfloat16, "f32": t.float32, "i8": t.int8,
                      "f8E4M3FN": t.float8_e4m3fn, "i32": t.int32}
        self.result = self.kinds[form.result()]
        size = (form.m * form.k + form.k * form.n) * form.batch * (1 if "8" in form.input else 2)
        self.sets = [self.operands(lambda *shape: t.randn(shape, device="cuda"))
                     for _ in range(max(1, min(24, math.ceil(200e6 / size))))]

    def operands(self, draw):
        form, t = self.form, self.torch
        batch = (form.batch,) if form.batch > 1 else ()
        kind = self.kinds[form.input]

        def made(*shape):
            values = draw(*shape)
            if kind == t.int8:
                values = (values * 20).clamp(-128, 127).round()
            return values.to(kind)
        inputs = [made(*batch, form.m, form.k),
                  made(*batch, *((form.n, form.k) if form.has("bt") else (form.k, form.n)))]
        if form.has("weights=i8"):
            inputs[1] = (inputs[1].float() * 20).clamp(-128, 127).round().to(t.int8)
        if form.has("blocks"):
            inputs += [draw(*form.scales_of_a()), draw(form.n // 128, form.k // 128)]
        if form.has("rows"):
            inputs += [draw(form.m), draw(form.n)]
        if form.has("bias"):
            inputs.append(draw(form.n).to(self.result))
        if form.has("residual"):
            inputs.append(draw(*batch, form.m, form.n).to(self.result))
        return {"inputs": inputs,
                "d": t.empty((*batch, form.m, form.n), dtype=self.result, device="cuda")}

    def b(self, operands):
        b = operands["inputs"][1]
        if self.form.has("weights=i8"):
            b = b.to(self.kinds[self.form.input])
        return b.transpose(-1, -2) if self.form.has("bt") else b

    def worst(self, operands, exact):
        """The largest error over what is allowed: right up to 1."""
        t, form = self.torch, self.form
        a, b = operands["inputs"][0].double(), self.b(operands).double()
        if form.has("blocks"):
            of_a, of_b = (scales.double() for scales in operands["inputs"][2:4])
            of_a = of_a.t() if form.has("columns") else of_a
            a = a * of_a.repeat_interleave(128, 1)
            b = b * of_b.repeat_interleave(128, 0).repeat_interleave(128, 1).t()
        if form.has("rows"):
            a = a * operands["inputs"][2].double().unsqueeze(1)
            b = b * operands["inputs"][3].double().unsqueeze(0)
        got = operands["d"].double()
        value = a @ b
        roundings = 0.0 if exact or form.input == "i8" else (form.k + 1) * 2.0 ** -24
        if form.input == "f32":
            roundings += 2.0 ** -10 + 2.0 ** -22 if form.has("tf32") else 0
            roundings += 2.0 ** -9 + 2.0 ** -20 if form.has("tf32-cut") else 0
        if form.input == "f8E4M3FN" and not exact:  # plan/problem.h, F8Sums
            depth = form.k if form.has("fast") else min(form.k, 128)
            roundings += (depth + depth // 32) * 2.0 ** -13
        allowed = roundings * (a.norm(dim=-1).unsqueeze(-1) * b.norm(dim=-2).unsqueeze(-2))
        del a, b
        scales = 2 if form.has("blocks") or form.has("rows") else 0
        for extra in operands["inputs"][2 + scales:]:
            value += extra.double()
        if form.has("relu"):
            value = value.relu()
        if form.has("gelu"):
            value = t.nn.functional.gelu(value, approximate="tanh")
            allowed = allowed * 1.2 + 2.0 ** -20 * (1 + value.abs())
        digits = {t.float16: 11, t.bfloat16: 8, t.float32: 24, t.int32: 60}[self.result]
        allowed += 2.0 ** -digits * (value.abs() + allowed) * 1.001 + (2.0 ** -25 if digits == 11 else 0)
        self.rms_error = float(f"{((got - value).norm() / value.norm()).item():.3g}")
        share = (got - value).abs() / allowed.clamp(min=1e-300)
        share = t.where(got == value, t.zeros_like(share), share)
        return float("inf") if t.isnan(got).any() else share.max().item()

    def peers(self):
        t, form, sets = self.torch, self.form, self.sets
        made = {}

        def with_library(library, work):
            def call(number):
                t.backends.cuda.preferred_blas_library(library)
                work(number)
            return call
        at = lambda number: sets[number % len(sets)]
        inputs = lambda number: (at(number)["inputs"][0], self.b(at(number)))
        if form.input == "f8E4M3FN":
            one = t.ones((), device="cuda")
            if form.has("rows"):
                made["_scaled_mm"] = lambda number: t._scaled_mm(
                    inputs(number)[0], inputs(number)[1], out=at(number)["d"],
                    scale_a=at(number)["inputs"][2].unsqueeze(1),
                    scale_b=at(number)["inputs"][3].unsqueeze(0), out_dtype=self.result,
                    use_fast_accum=form.has("fast"))
                return made
            if form.has("blocks"):
                # cublasLt reads scales of A by columns, and those of B with k in whole groups of 4.
                by_columns = lambda scales: scales.t().contiguous().t()
                rows = lambda scales: scales.t() if form.has("columns") else scales
                of_a = [by_columns(rows(each["inputs"][2])) for each in sets]
                of_b = [each["inputs"][3].t() for each in sets]
                for each in range(len(sets)):
                    groups = of_b[each].shape[0]
                    padded = t.zeros((of_b[each].shape[1], -(-groups // 4) * 4), device="cuda")
                    padded[:, :groups] = of_b[each].t()
                    of_b[each] = padded[:, :groups].t()
                made["_scaled_mm"] = lambda number: t._scaled_mm(
                    inputs(number)[0], inputs(number)[1], out=at(number)["d"],
                    scale_a=of_a[number % len(sets)], scale_b=of_b[number % len(sets)],
                    out_dtype=self.result)
                return made
            fast = form.has("fast")
            # It takes B by columns alone, so one that lies otherwise is copied first.
            by_columns = lambda b: b if form.has("bt") else b.t().contiguous().t()
            name = "_scaled_mm" + (" fast" if fast else "")
            made[name if form.has("bt") else "copy and " + name] = lambda number: t._scaled_mm(
                inputs(number)[0], by_columns(inputs(number)[1]), scale_a=one, scale_b=one,
                out_dtype=self.result, use_fast_accum=fast, out=at(number)["d"])
            return made
        if form.input == "i8":
            made["_int_mm"] = lambda number: t._int_mm(*inputs(number), out=at(number)["d"])
            return made
        if form.input == "f32":
            t.backends.cuda.matmul.allow_tf32 = form.has("tf32") or form.has("tf32-cut")
        for library in ("cublas", "cublaslt"):
            if form.has("bias") and (form.has("relu") or form.has("gelu")):
                made["fused " + library] = with_library(library, lambda number: t._addmm_activation(
                    at(number)["inputs"][2], *inputs(number), use_gelu=form.has("gelu")))
            elif form.has("bias") or form.has("residual"):
                made["addmm " + library] = with_library(library, lambda number: t.addmm(
                    at(number)["inputs"][2], *inputs(number), out=at(number)["d"]))
            else:
                made["matmul " + library] = with_library(library, lambda number: t.matmul(
                    *inputs(number), out=at(number)["d"]))
        return made


def milliseconds(torch, graph, calls):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / calls


def times_of(torch, contestants, calls, rounds, sustained):
    """The milliseconds of each contestant in each round, in an order drawn anew; a first round is not counted."""
    times = {name: [] for name in contestants}
    order = list(contestants)
    for round_number in range(-1, rounds):
        random.shuffle(order)
        for name in order:
            if not sustained:
                time.sleep(0.02)
            spent = milliseconds(torch, contestants[name], calls)
            if round_number >= 0:
                times[name].append(spent)
    return times


def captured(torch, work, calls):
    stream = torch.cuda.Stream()
    # Operands may still be drawn, from memory that the first result then lies in.
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        work(0), work(1)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for number in range(calls):
            work(number)
    return graph


def measure_product(torch, driver, folder, records, rounds, sustained):
    """All plans of a product beside its peers: a row each."""
    form = Form(records[0]["line"])
    product = Product(torch, form)
    seconds = 2.0 * form.m * form.n * form.k * form.batch / 600e12
    read = sum(x.numel() * x.element_size() for x in product.sets[0]["inputs"]) / 3e12
    calls = max(4, min(200, int((40e-3 if sustained else 2e-3) / max(seconds, read, 4e-6))))
    contestants, rows, loaded = {}, [], []
    for name, work in product.peers().items():
        try:
            contestants[name] = captured(torch, work, calls)
        except Exception as error:  # a peer that does not take the form is no contestant
            print(f"  {name}: {str(error)[:100]}", file=sys.stderr)
    peers = list(contestants)
    eighths = product.operands(
        lambda *shape: torch.randint(-8, 9, shape, device="cuda").float() / 8)
    for record in records:
        own = Form(record["line"])
        plan = record["plan"]
        if "kernels" in plan:  # those around the product have no instruction
            plan = next(kernel for kernel in plan["kernels"] if "instruction" in kernel)
        else:
            plan = plan_for(plan, form)
        row = {"line": record["line"], "instruction": plan["instruction"]} | {
            key: plan.get(key) for key in ("computes", "block", "cluster", "stages", "split_k")}
        try:
            check = [eighths] if not own.has("gelu") else []
            worst = 0.0
            for operands, exact in [(each, True) for each in check] + [(product.sets[0], False)]:
                operands["d"].view(torch.uint8).fill_(0xff)
                checked = Ours(torch, driver, folder, record, own, [operands])
                checked(0)
                torch.cuda.synchronize()
                worst = max(worst, product.worst(
                    operands, exact and own.k <= 1 << 18 and not own.has("fast")))
                row["rms_error"] = product.rms_error
                checked.unload()
            row["error_of_limit"] = worst
            ours = Ours(torch, driver, folder, record, own, product.sets)
            loaded.append(ours)
            contestants[record["line"]] = captured(torch, ours, calls)
        except RuntimeError as error:
            row["failed"] = str(error)[:200]
            if "700" in row["failed"] or "illegal" in row["failed"]:
                raise
        rows.append(row)
    times = times_of(torch, contestants, calls, rounds, sustained)
    median = lambda values: sorted(values)[len(values) // 2]
    for row in rows:
        if row["line"] not in times:
            continue
        ours = times[row["line"]]
        row["condition"] = "sustained" if sustained else "rested"
        row["microseconds"] = round(1e3 * median(ours), 2)
        row["tflops"] = round(2e-9 * form.m * form.n * form.k * form.batch / median(ours), 1)
        row["peers"] = {name: {"microseconds": round(1e3 * median(times[name]), 2), "ratio": round(
            median([peer / own for peer, own in zip(times[name], ours)]), 3)} for name in peers}
    for ours in loaded:
        ours.unload()
    return rows


def measure(folder, rounds, json_file, sustained, only):
    try:
        import torch
        if not torch.cuda.is_available():
            raise ImportError("there is no GPU here")
    except ImportError as error:
        print(f"nothing was measured: {error}")
        return SKIPPED
    torch.zeros(1, device="cuda")
    driver = Driver()
    products = {}
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text())
        if only and only not in record["line"]:
            continue
        products.setdefault(Form(record["line"]).key(), []).append(record)
    version = ctypes.c_int()
    driver.call("cuDriverGetVersion", ctypes.byref(version))
    driver_text = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                                 capture_output=True, text=True).stdout.strip()
    result = {"what": "products of `heddle compile` beside cuBLAS, cublasLt and torch, by "
                      "bench/gpu/products.py; ratio: median over the rounds of the peer's time over "
                      "the kernel's",
              "gpu": torch.cuda.get_device_name(), "driver": driver_text,
              "cuda": f"{version.value // 1000}.{version.value % 1000 // 10}",
              "torch": torch.__version__, "date": datetime.date.today().isoformat(),
              "rounds": rounds, "rows": []}
    right = True
    begin = time.time()
    for key, records in products.items():
        try:
            rows = measure_product(torch, driver, folder, records, rounds, sustained)
        except torch.cuda.OutOfMemoryError:
            print(f"{key}: no memory")
            torch.cuda.empty_cache()
            continue
        torch.cuda.empty_cache()
        for row in rows:
            good = row.get("error_of_limit", 9e9) <= 1 and "failed" not in row
            right = right and good
            best = min((peer["ratio"] for peer in row.get("peers", {}).values()), default=0)
            print(f"{row['line']:60} {str(row['block']):16} {row.get('microseconds', 0):9} us "
                  f"{row.get('tflops', 0):6} of the best {best:.3f}"
                  f"{'' if good else ' WRONG ' + str(row.get('failed', row.get('error_of_limit')))}",
                  flush=True)
        result["rows"] += rows
        if json_file:
            save(result, pathlib.Path(json_file))
    print(f"{len(result['rows'])} rows in {time.time() - begin:.0f} s")
    return 0 if right else 1


def save(result, path):
    """Rows are a line each, so that a difference shows which."""
    head = {key: value for key, value in result.items() if key != "rows"}
    rows = ",\n".join("  " + json.dumps(row) for row in result["rows"])
    path.write_text(json.dumps(head, indent=1)[:-2] + ',\n "rows": [\n' + rows + "\n ]\n}\n")


def repeat(folder, seconds):
    """Every launch gives the same bits: blocks add in one order."""
    import torch
    torch.zeros(1, device="cuda")
    driver = Driver()
    failed = 0
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text())
        form = Form(record["line"])
        product = Product(torch, form)
        first, runs, others = {}, 0, 0
        end = time.time() + seconds
        while time.time() < end:
            number = runs % len(product.sets)
            operands = product.sets[number]
            bits = operands["d"].view(torch.uint8)
            bits.fill_(0xff)
            ours = Ours(torch, driver, folder, record, form, [operands])
            ours(0)
            torch.cuda.synchronize()
            ours.unload()
            runs += 1
            if not torch.equal(bits, first.setdefault(number, bits.clone())):
                others += 1
        failed += others > 0
        print(f"{record['line']}: {runs} launches, {others} with other bits", flush=True)
    return 1 if failed else 0


def lines_of(path):
    """A list's products: of text, or of what was measured."""
    text = pathlib.Path(path).read_text()
    if path.endswith(".json"):
        return [row["line"] for row in json.loads(text)["rows"]]
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def nearest_peer(row):
    """The fastest peer: its name, and its time over ours."""
    return min(((name, peer["ratio"]) for name, peer in row["peers"].items()),
               key=lambda pair: pair[1])


def table(rested, sustained=None):
    """Of every product the planned kernel: Markdown."""
    result = json.loads(pathlib.Path(rested).read_text())
    under_load = {}
    if sustained:
        under_load = {row["line"]: row for row in json.loads(pathlib.Path(sustained).read_text())["rows"]}
    print(f"{result['gpu']}, driver {result['driver']}, CUDA {result['cuda']}, torch "
          f"{result['torch']}, {result['date']}, {result['rounds']} rounds.\n")
    print("| product | instruction, block, cluster, split of k | us | TFLOP/s | to the best peer "
          "| sustained |")
    print("| --- | --- | --- | --- | --- | --- |")
    ratios = {}
    for row in result["rows"]:
        form = Form(row["line"])
        if form.plan or not row.get("peers"):
            continue
        peer, ratio = nearest_peer(row)
        loaded = under_load.get(row["line"])
        pair = ratios.setdefault(form.input, ([], []))
        pair[0].append(ratio)
        if loaded:
            pair[1].append(nearest_peer(loaded)[1])
        numbers = lambda values: "x".join(map(str, values or []))
        plan = [row["instruction"].split(".")[0], "D^T" if row.get("computes") == "D^T" else "",
                numbers(row["block"]), numbers(row["cluster"]),
                str(row["split_k"] or "")]
        name = " ".join([form.input, "x".join(map(str, form.sizes)), *form.options])
        print(f"| {name} | {', '.join(word for word in plan if word)} | {row['microseconds']} "
              f"| {row['tflops']} | {ratio:.3f} ({peer}) "
              f"| {f'{nearest_peer(loaded)[1]:.3f}' if loaded else ''} |")
    for kind, pair in ratios.items():
        for condition, values in zip(("rested", "sustained"), pair):
            values.sort()
            if values:
                print(f"\n{kind}: {len(values)} products, {condition}: median "
                      f"{values[len(values) // 2]:.3f}, least {values[0]:.3f}, "
                      f"{sum(value >= 0.95 for value in values)} at least 0.95")
    return 0


def decisions(plan):
    """What tells plans apart. Rows of before 2026-11-27 do not say what is computed: D."""
    return plan.get("computes", "D"), tuple(plan["block"]), tuple(plan["cluster"]), plan["split_k"]


def chosen(heddle, plans):
    """What the planner's choices cost, where they and others were measured."""
    measured = {}
    for row in json.loads(pathlib.Path(plans).read_text())["rows"]:
        plan = decisions(row)
        times = measured.setdefault(Form(row["line"]).key(), {})
        times[plan] = min(row["microseconds"], times.get(plan, math.inf))
    costs = []
    for key, times in measured.items():
        form = Form(key)
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(form.text())
            file.flush()
            plan = json.loads(subprocess.check_output(
                [heddle, "compile", file.name, "--target", "sm_90a", "--emit", "plan", "--format",
                 "json"]))
        if "kernels" in plan:  # those around the product have no instruction
            plan = next(kernel for kernel in plan["kernels"] if "instruction" in kernel)
        plan = decisions(plan)
        fastest = min(times, key=times.get)
        show = lambda p: f"{p[0]} by {'x'.join(map(str, p[1]))}, {'x'.join(map(str, p[2]))}, {p[3]}"
        if plan not in times:
            print(f"{key}: {show(plan)} was not measured; {show(fastest)} takes {times[fastest]} us")
            continue
        costs.append(times[plan] / times[fastest])
        print(f"{key}: {show(plan)} takes {times[plan]} us, {costs[-1]:.3f} times {show(fastest)}")
    print(f"{len(costs)} products: the planner's choice takes {sum(costs) / len(costs):.3f} times the "
          f"fastest plan's time, at most {max(costs):.3f} times")
    return 0


def main(words):
    flags = {"--rounds": "5", "--json": "", "--only": ""}
    sustained = "--sustained" in words
    words = [word for word in words if word != "--sustained"]
    for flag in flags:
        if flag in words:
            at = words.index(flag)
            flags[flag] = words[at + 1]
            del words[at:at + 2]
    if len(words) == 4 and words[0] == "write":
        return write(words[1], pathlib.Path(words[2]), [Form(line) for line in lines_of(words[3])])
    if len(words) == 2 and words[0] == "measure":
        return measure(pathlib.Path(words[1]), int(flags["--rounds"]), flags["--json"], sustained,
                       flags["--only"])
    if len(words) == 3 and words[0] == "repeat":
        return repeat(pathlib.Path(words[1]), float(words[2]))
    if len(words) in (2, 3) and words[0] == "table":
        return table(*words[1:])
    if len(words) == 3 and words[0] == "chosen":
        return chosen(*words[1:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
