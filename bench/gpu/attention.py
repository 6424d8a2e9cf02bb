"""Compiled attention on a GPU beside scaled_dot_product_attention of torch, by cuDNN and by flash.

    python3 bench/gpu/attention.py write build/bin/heddle FOLDER LIST
    python3 bench/gpu/attention.py measure FOLDER [--rounds N] [--json FILE] [--sustained]
    python3 bench/gpu/attention.py table FILE.json
    python3 bench/gpu/attention.py drawn write build/bin/heddle FOLDER COUNT
    python3 bench/gpu/attention.py drawn measure FOLDER [--json FILE]

`write` compiles each problem of a list (bench/gpu/attention*.txt) for sm_90a: FOLDER/NAME.ptx, and
FOLDER/NAME.json with its line and its launch. `measure` needs a GPU and PyTorch; without them it says
so, with status 77. `table` prints what was measured as Markdown. `drawn` judges drawn problems
(attention_drawn.py).
TYPE is f16, bf16 or fp8 (e4m3, with a result in bf16).
A line of the list: TYPE BATCHxHEADS[:HEADS OF K AND V] QUERIESxKEYS DEPTHxCOLUMNS [causal] [window=KEYS]
[alibi=SLOPE] [softcap=CAP] [bias] [length=KEYS] [sinks] [lse] [fast] [plan=JSON]: a query sees the keys up to its own,
at most so many; a score gets SLOPE times the distance of its key, or is CAP tanh(score / CAP), or is added to an
operand in f32; keys from an argument on are not seen, which is KEYS in the launch; each head has one more score,
of no key; the log-sum-exp is a second result. fast: sums of fp8 as the instruction adds them.
The peers do not compute all of these: of windows and formulas the peer is our kernel without them, and
the ratio is that of the operations per second. Of fp8 the peers have the same numbers in bf16, as has our
kernel that is called plain; its error is the root mean square over the result's, and 2^-4 its limit.
Of heads above 256, which cuDNN and flash do not take, the peers are torch's other two; heads that share K
and V and have a query each are then rows of one head, so that these read K and V once.
Every contestant is timed in each of N rounds, in an order drawn anew: a CUDA graph of calls for some
4 ms (sustained: 40). Ratios are medians of the rounds' ratios of the peer's time to ours. Sampled rows
are compared with float64, and all of the result with cuDNN's.
Exit status: 0; 1 a wrong result or a kernel that fails; 2 wrong arguments; 77 nothing measured.
"""
import datetime
import json
import math
import pathlib
import subprocess
import sys

from driver import Driver, Ours
from products import SKIPPED, captured, lines_of, nearest_peer, save, times_of


PEERS = ("cuDNN", "flash", "efficient", "math")


class Problem:
    """A line of the list, and its text in MLIR."""

    def __init__(self, line):
        self.line = line
        words = line.split()
        self.type = words[0]
        self.element = {"fp8": "f8E4M3FN"}.get(self.type, self.type)
        self.result = "bf16" if self.type == "fp8" else self.type
        heads, _, shared = words[1].partition(":")
        self.outer, self.heads = map(int, heads.split("x"))
        self.kv_heads = int(shared or self.heads)
        self.queries, self.keys = map(int, words[2].split("x"))
        self.depth, self.columns = map(int, words[3].split("x"))
        options = dict(word.partition("=")[::2] for word in words[4:])
        self.plan = json.loads(options.pop("plan", "{}"))
        self.causal, self.bias = "causal" in options, "bias" in options
        self.window = int(options.get("window", 0))
        self.slope, self.cap = float(options.get("alibi", 0)), float(options.get("softcap", 0))
        self.length = int(options.get("length", 0))
        self.fast = "fast" in options
        self.sinks, self.lse = "sinks" in options, "lse" in options
        # What a launch asks of a form (driver.py).
        self.m, self.n, self.k = self.queries, self.columns, self.keys
        self.batch = self.outer * self.kv_heads

    def key(self):
        return self.line.split(" plan=")[0].replace(" fast", "")

    def plain(self):
        """The line of the problem without what the peers do not compute; none if they compute it."""
        if self.type == "fp8":
            return "bf16" + self.key()[3:]
        if self.window or self.slope or self.cap or self.inputs() or self.lse:
            return " ".join(self.line.split()[:4])
        return None

    def inputs(self):
        """The arguments besides Q, K and V: name, axes, type."""
        group = ["g"] if self.heads > self.kv_heads else []
        return ([("bias", ["m", "n"], "f32")] * self.bias + [("length", ["h"], "i32")] * (self.length > 0) +
                [("sink", ["h"] + group, "f32")] * self.sinks)

    def tensor(self, axes, kind):
        sizes = {"h": self.batch, "g": self.heads // self.kv_heads, "m": self.queries, "n": self.keys}
        return f"tensor<{''.join(f'{sizes[axis]}x' for axis in axes)}{kind}>"

    def file(self):
        plan = "".join(f"_{key}{value}" for key, value in self.plan.items())
        return (self.key() + "_fast" * self.fast + plan).translate(str.maketrans(" ,[]:=", "______")).replace("__", "_")

    def flops(self):
        keys = self.length or self.keys
        seen = sum(max(0, min(keys, row + 1 if self.causal else keys) -
                       (max(0, row + 1 - self.window) if self.window else 0))
                   for row in range(self.queries)) if self.causal or self.window else keys * self.queries
        return 2.0 * self.outer * self.heads * seen * (self.depth + self.columns)

    def scores(self, loops, s):
        """From %sums to %scores: scale, cap, bias, mask."""
        rank = len(loops)
        operands = [one for one in self.inputs() if one[0] != "sink"]
        maps = "".join(f"{self.map(loops, axes)}, " for _, axes, _ in operands)
        parallel = ", ".join(['"parallel"'] * rank)
        body = [f"%scale = arith.constant {self.depth ** -0.5:.9f} : f32", "%x0 = arith.mulf %x, %scale : f32"]
        last = "%x0"
        if self.cap:
            body += [f"%cap = arith.constant {self.cap} : f32", f"%x1 = arith.divf {last}, %cap : f32",
                     "%x2 = math.tanh %x1 : f32", "%x3 = arith.mulf %x2, %cap : f32"]
            last = "%x3"
        body += [f"%query = linalg.index {rank - 2} : index", f"%key = linalg.index {rank - 1} : index"]
        if self.slope:
            body += ["%away = arith.subi %key, %query : index", "%away_i = arith.index_cast %away : index to i32",
                     "%away_f = arith.sitofp %away_i : i32 to f32", f"%slope = arith.constant {self.slope} : f32",
                     "%distance = arith.mulf %away_f, %slope : f32", f"%x4 = arith.addf {last}, %distance : f32"]
            last = "%x4"
        if self.bias:
            body.append(f"%x5 = arith.addf {last}, %of_bias : f32")
            last = "%x5"
        if self.causal or self.window or self.length:
            body.append("%lowest = arith.constant 0xFF800000 : f32")
        if self.causal:
            body += ["%sees = arith.cmpi sle, %key, %query : index",
                     f"%x6 = arith.select %sees, {last}, %lowest : f32"]
            last = "%x6"
        if self.window:
            body += [f"%width = arith.constant {self.window} : index", "%back = arith.subi %query, %key : index",
                     "%is_near = arith.cmpi slt, %back, %width : index",
                     f"%x7 = arith.select %is_near, {last}, %lowest : f32"]
            last = "%x7"
        if self.length:
            body += ["%end = arith.index_cast %of_length : i32 to index", "%is_used = arith.cmpi slt, %key, %end : index",
                     f"%x8 = arith.select %is_used, {last}, %lowest : f32"]
            last = "%x8"
        same = self.map(loops, loops)
        values = "".join(f", %{name}" for name, _, _ in operands)
        types = "".join(f", {self.tensor(axes, kind)}" for _, axes, kind in operands)
        arguments = "".join(f"%of_{name}: {kind}, " for name, _, kind in operands)
        return "\n".join(
            [f"  %scores = linalg.generic {{indexing_maps = [{same}, {maps}{same}], iterator_types = [{parallel}]}} "
             f"ins(%sums{values} : {s}{types}) outs(%se : {s}) {{",
             f"  ^bb0(%x: f32, {arguments}%unused: f32):",
             *("    " + line for line in body), f"    linalg.yield {last} : f32", f"  }} -> {s}"])

    @staticmethod
    def map(loops, axes):
        return f"affine_map<({', '.join(loops)}) -> ({', '.join(axes)})>"

    def elementwise(self, name, loops, inputs, body, kind="f32"):
        """%name of elements %x0, %x1, …; `body` gives %y."""
        maps = ", ".join(self.map(loops, axes) for _, axes in inputs + [("", loops)])
        types = ", ".join(self.tensor(axes, "f32") for _, axes in inputs)
        arguments = "".join(f"%x{at}: f32, " for at in range(len(inputs)))
        parallel, made = ", ".join(['"parallel"'] * len(loops)), self.tensor(loops, kind)
        return f"""  %{name}_e = tensor.empty() : {made}
  %{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{parallel}]}} ins({", ".join(
      value for value, _ in inputs)} : {types}) outs(%{name}_e : {made}) {{
  ^bb0({arguments}%unused: {kind}):
    {body}
    linalg.yield %y : {kind}
  }} -> {made}
"""

    def shares(self, loops):
        """From %scores to %shares, and %lse."""
        rows, last = loops[:-1], len(loops) - 1
        s, r = self.tensor(loops, "f32"), self.tensor(rows, "f32")
        if not self.sinks and not self.lse:
            return f"  %shares = linalg.softmax dimension({last}) ins(%scores : {s}) outs(%se : {s}) -> {s}\n"

        def reduced(name, operation, value, start):
            return f"""  %{name}_s = arith.constant {start} : f32
  %{name}_e = tensor.empty() : {r}
  %{name}_i = linalg.fill ins(%{name}_s : f32) outs(%{name}_e : {r}) -> {r}
  %{name} = linalg.reduce {{ {operation} }} ins(%{value} : {s}) outs(%{name}_i : {r}) dimensions = [{last}]
"""
        text, most, total = reduced("most", "arith.maximumf", "scores", "0xFF800000"), "%most", "%total"
        if self.sinks:
            sink = [axes for name, axes, _ in self.inputs() if name == "sink"][0]
            text += self.elementwise("larger", rows, [(most, rows), ("%sink", sink)],
                                     "%y = arith.maximumf %x0, %x1 : f32")
            most = "%larger"
        text += self.elementwise("below", loops, [("%scores", loops), (most, rows)], "%y = arith.subf %x0, %x1 : f32")
        text += f"  %powers = math.exp %below : {s}\n" + reduced("total", "arith.addf", "powers", "0.0")
        if self.sinks:
            text += self.elementwise("whole", rows, [(total, rows), (most, rows), ("%sink", sink)],
                                     "%d = arith.subf %x2, %x1 : f32\n    %e = math.exp %d : f32\n"
                                     "    %y = arith.addf %x0, %e : f32")
            total = "%whole"
        if self.lse:
            text += self.elementwise("lse", rows, [(most, rows), (total, rows)],
                                     "%l = math.log %x1 : f32\n    %y = arith.addf %x0, %l : f32")
        return text + self.elementwise("shares", loops, [("%powers", loops), (total, rows)],
                                       "%y = arith.divf %x0, %x1 : f32")

    def bytes(self):
        """Of K and V, which a decoding step reads once."""
        return (1.0 if self.type == "fp8" else 2.0) * self.batch * (self.length or self.keys) * (self.depth + self.columns)

    def text(self):
        """softmax(scores of Q K^T) V; heads of Q that share one of K and V are a loop g."""
        group = self.heads // self.kv_heads
        lead = "h, g, " if group > 1 else "h, "
        rows = f"{self.batch}x{group}x{self.queries}" if group > 1 else f"{self.batch}x{self.queries}"
        q = f"tensor<{rows}x{self.depth}x{self.element}>"
        k = f"tensor<{self.batch}x{self.keys}x{self.depth}x{self.element}>"
        v = f"tensor<{self.batch}x{self.keys}x{self.columns}x{self.element}>"
        s, p = (f"tensor<{rows}x{self.keys}x{kind}>" for kind in ("f32", self.element))
        o, d = (f"tensor<{rows}x{self.columns}x{kind}>" for kind in ("f32", self.result))
        others = "".join(f", %{name}: {self.tensor(axes, kind)}" for name, axes, kind in self.inputs())
        loops = ["h"] + ["g"] * (group > 1) + ["m", "n"]
        second = f", {self.tensor(loops[:-1], 'f32')}" if self.lse else ""

        def contract(loops, maps, inputs, types, result):
            all_maps = ", ".join(f"affine_map<({lead}{loops}) -> ({axes})>" for axes in maps)
            return (f"linalg.contract indexing_maps = [{all_maps}] ins({inputs} : {types}) "
                    f"outs({result})")
        scores = contract("m, n, d", [lead + "m, d", "h, n, d", lead + "m, n"], "%q, %k",
                          f"{q}, {k}", f"%s0 : {s}")
        values = contract("m, c, n", [lead + "m, n", "h, n, c", lead + "m, c"], "%p, %v",
                          f"{p}, {v}", f"%o0 : {o}")
        return f"""func.func @attention(%q: {q}, %k: {k}, %v: {v}{others}) -> ({d}{second}) {{
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : {s}
  %s0 = linalg.fill ins(%zero : f32) outs(%se : {s}) -> {s}
  %sums = {scores} -> {s}
{self.scores(loops, s)}
{self.shares(loops)}  %p = arith.truncf %shares : {s} to {p}
  %oe = tensor.empty() : {o}
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : {o}) -> {o}
  %o = {values} -> {o}
  %d = arith.truncf %o : {o} to {d}
  return %d{", %lse" if second else ""} : {d}{second}
}}
"""


def write(heddle, folder, problems):
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    lines = {problem.line for problem in problems}
    plain = dict.fromkeys(problem.plain() for problem in problems)
    problems = problems + [Problem(line) for line in plain if line and line not in lines]
    for problem in problems:
        base = folder / problem.file()
        pathlib.Path(f"{base}.mlir").write_text(problem.text())
        command = [heddle, "compile", f"{base}.mlir", "--target", "sm_90a"] + ["--f8", "fast"] * problem.fast
        if problem.plan:
            pathlib.Path(f"{base}.plan").write_text(json.dumps(problem.plan))
            command += ["--plan", f"{base}.plan"]
        made = [subprocess.run(command + ["--emit", *words], capture_output=True, text=True)
                for words in (["plan", "--format", "json"], ["ptx", "-o", f"{base}.ptx"])]
        plan = json.loads(made[0].stdout) if made[0].returncode == 0 else {}
        kernels = plan.get("kernels", [plan])  # of several results: a list of one
        if any(one.returncode for one in made) or len(kernels) != 1:
            print(f"{problem.line}: {(made[0].stderr or 'several kernels').strip()[:300]}",
                  file=sys.stderr)
            failed += 1
            continue
        pathlib.Path(f"{base}.json").write_text(json.dumps({"line": problem.line, "plan": plan}))
    print(f"{len(problems) - failed} of {len(problems)} problems written to {folder}")
    return 1 if failed else 0


# ---- on the machine with the GPU ---------------------------------------------------------------
class Operands:
    def __init__(self, torch, problem):
        self.torch, self.problem = torch, problem
        self.kind = {"f16": torch.float16, "bf16": torch.bfloat16}[problem.result]
        drawn = lambda heads, rows, columns: torch.randn(
            (problem.outer, heads, rows, columns), device="cuda", dtype=self.kind)
        if problem.type == "fp8":
            in_bf16, self.of_bytes = drawn, {}
            drawn = lambda *sizes: in_bf16(*sizes).to(torch.float8_e4m3fn).to(self.kind)
        self.q = drawn(problem.heads, problem.queries, problem.depth)
        self.k = drawn(problem.kv_heads, problem.keys, problem.depth)
        self.v = drawn(problem.kv_heads, problem.keys, problem.columns)
        self.bias = torch.randn((problem.queries, problem.keys), device="cuda") if problem.bias else None
        self.sink = torch.randn((problem.outer, problem.heads), device="cuda")
        self.length = torch.full((problem.batch,), problem.length, device="cuda", dtype=torch.int32)
        self.lse, self.exact_lse = torch.full(self.q.shape[:-1], float("nan"), device="cuda"), []

    def result(self):
        shape = (*self.q.shape[:-1], self.problem.columns)
        return self.torch.full(shape, float("nan"), device="cuda", dtype=self.kind)

    def inputs(self, of):
        matrices = [self.q, self.k, self.v]
        if of.type == "fp8":
            matrices = [self.of_bytes.setdefault(at, x.to(self.torch.float8_e4m3fn))
                        for at, x in enumerate(matrices)]
        return matrices + [getattr(self, name) for name, _, _ in of.inputs()]

    def peers(self):
        plain = self.problem.plain()
        if plain and (self.problem.type != "fp8" or Problem(plain).plain()):
            return {}
        from torch.nn.attention import SDPBackend, sdpa_kernel
        run = self.torch.nn.functional.scaled_dot_product_attention

        is_large = max(self.problem.depth, self.problem.columns) > 256
        q = self.q
        if is_large and self.problem.queries == 1 and not self.problem.causal:
            q = q.view(self.problem.outer, self.problem.kv_heads, -1, self.problem.depth)

        def by(backend):
            def work(_):
                with sdpa_kernel(backend):
                    return run(q, self.k, self.v, is_causal=self.problem.causal,
                               enable_gqa=q.shape[1] != self.problem.kv_heads).reshape(
                                   *self.q.shape[:-1], self.problem.columns)
            return work
        large = {"efficient": by(SDPBackend.EFFICIENT_ATTENTION), "math": by(SDPBackend.MATH)}
        return {"cuDNN": by(SDPBackend.CUDNN_ATTENTION), "flash": by(SDPBackend.FLASH_ATTENTION)} | (
            large if is_large else {})

    def sample(self):
        """Rows of some heads in float64, and what rounding may change in them: P and the result are
        rounded to 16 bits, and an f16 below 2^-14 has no relative precision."""
        t, problem = self.torch, self.problem
        unit = 2.0 ** -11 if problem.type == "f16" else 2.0 ** -8
        rows = t.arange(64, device="cuda") * 911 % problem.queries
        group = problem.heads // problem.kv_heads
        for number in range(min(6, problem.outer * problem.heads)):
            at = number * 37 % (problem.outer * problem.heads)
            outer, head = divmod(at, problem.heads)
            q = self.q[outer, head, rows].double()
            k, v = (x[outer, head // group].double() for x in (self.k, self.v))
            scores = q @ k.t() * problem.depth ** -0.5
            if problem.cap:
                scores = problem.cap * t.tanh(scores / problem.cap)
            back = rows[:, None] - t.arange(problem.keys, device="cuda")
            if problem.slope:
                scores -= problem.slope * back
            if problem.bias:
                scores += self.bias[rows]
            if problem.length:
                scores[:, problem.length:] = -math.inf
            if problem.causal:
                scores.masked_fill_(back < 0, -math.inf)
            if problem.window:
                scores.masked_fill_(back >= problem.window, -math.inf)
            if problem.sinks:
                scores = t.cat([scores, self.sink[outer, head].double().expand(len(rows), 1)], -1)
            shares = t.softmax(scores, -1)[:, :problem.keys]
            if problem.lse:
                self.exact_lse.append((outer, head, rows, t.logsumexp(scores, -1)))
            exact, size = shares @ v, shares @ v.abs()
            allowed = unit * exact.abs() + (unit + 2.0 ** -15) * size
            if problem.type == "f16":
                allowed += 2.0 ** -25 * v.abs().sum(0) * shares.amax(-1, keepdim=True)
            yield outer, head, rows, exact, allowed

    def worst(self, result, samples):
        """The largest error over what is allowed: of the log-sum-exp, 2^-16."""
        if self.torch.isnan(result).any():
            return float("inf")
        of_lse = [((self.lse[outer, head, rows].double() - exact).abs() / exact.abs().clamp(min=1)).max().item() *
                  2.0 ** 16 for outer, head, rows, exact in self.exact_lse]
        if any(math.isnan(error) for error in of_lse):
            return float("inf")
        if self.problem.type == "fp8":
            square = lambda x: (x ** 2).sum().item()
            errors = sum(square(result[outer, head, rows].double() - exact) for outer, head, rows, exact, _ in samples)
            sizes = sum(square(exact) for *_, exact, _ in samples)
            return max(of_lse + [(errors / sizes) ** 0.5 / 2.0 ** -4])
        return max(of_lse + [((result[outer, head, rows].double() - exact).abs() / allowed).max().item()
                   for outer, head, rows, exact, allowed in samples])


def measure_problem(torch, driver, folder, records, rounds, sustained):
    """All plans of a problem beside its peers: a row each."""
    problem = Problem(records[0]["line"])
    operands = Operands(torch, problem)
    samples = list(operands.sample())
    seconds = max(problem.flops() / 600e12, problem.bytes() / 4e12) + 4e-6
    calls = max(2, min(200, int((40e-3 if sustained else 4e-3) / seconds)))
    contestants, rows, loaded, results, reference = {}, [], [], [], None
    flops = {}
    for name, work in operands.peers().items():
        try:
            reference = work(0) if reference is None else reference
            contestants[name] = captured(torch, work, calls)
            flops[name] = problem.flops()
        except Exception as error:  # a peer that does not take the problem is no contestant
            print(f"  {name}: {str(error)[:100]}", file=sys.stderr)

    def load(record):
        results.append(operands.result())  # launches know its address alone
        of = Problem(record["line"])
        loaded.append(Ours(torch, driver, folder, record, of, [
            {"inputs": operands.inputs(of), "d": results[-1], "more": [operands.lse]}]))
        loaded[-1](0)
        torch.cuda.synchronize()
        return loaded[-1], results[-1]
    if problem.plain():
        other = Problem(problem.plain())
        ours, _ = load(json.loads((folder / (other.file() + ".json")).read_text()))
        contestants["plain"] = captured(torch, ours, calls)
        flops["plain"] = other.flops()
    peers = list(contestants)
    for record in records:
        plan = record["plan"].get("kernels", [record["plan"]])[0]
        row = {"line": record["line"]} | {
            key: plan.get(key) for key in ("instruction", "block", "stages", "schedule")}
        ours, result = load(record)
        row["error_of_limit"] = operands.worst(result, samples)
        if reference is not None:
            row["largest_difference"] = (result.float() - reference.float()).abs().max().item()
        contestants[record["line"]] = captured(torch, ours, calls)
        rows.append(row)
    if reference is not None:
        peer_error = operands.worst(reference, samples)
    times = times_of(torch, contestants, calls, rounds, sustained)
    median = lambda values: sorted(values)[len(values) // 2]
    tflops = lambda values, of=problem.flops(): round(of * 1e-9 / median(values), 1)
    for row in rows:
        ours = times[row["line"]]
        row |= {"condition": "sustained" if sustained else "rested",
                "microseconds": round(1e3 * median(ours), 2), "tflops": tflops(ours),
                "terabytes_per_second": round(problem.bytes() * 1e-9 / median(ours), 3)}
        row["peers"] = {name: {"microseconds": round(1e3 * median(times[name]), 2),
                               "tflops": tflops(times[name], flops[name]), "ratio": round(
            median([peer / own for peer, own in zip(times[name], ours)]) *
            problem.flops() / flops[name], 3)} for name in peers}
        if reference is not None:
            row["peer_error_of_limit"] = peer_error
    for ours in loaded:
        ours.unload()
    return rows


def driver_version():
    asked = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    return subprocess.run(asked, capture_output=True, text=True).stdout.split("\n")[0]


def measure(folder, rounds, json_file, sustained):
    try:
        import torch
        if not torch.cuda.is_available():
            raise ImportError("there is no GPU here")
    except ImportError as error:
        print(f"nothing was measured: {error}")
        return SKIPPED
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    driver = Driver()
    problems = {}
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text())
        problems.setdefault(Problem(record["line"]).key(), []).append(record)
    result = {"what": "attention of `heddle compile` beside torch's scaled_dot_product_attention, by "
                      "bench/gpu/attention.py; ratio: median over the rounds of the peer's time over "
                      "the kernel's",
              "gpu": torch.cuda.get_device_name(), "driver": driver_version(), "torch": torch.__version__,
              "cudnn": torch.backends.cudnn.version(), "date": datetime.date.today().isoformat(),
              "rounds": rounds, "rows": []}
    right = True
    for records in problems.values():
        rows = measure_problem(torch, driver, folder, records, rounds, sustained)
        torch.cuda.empty_cache()
        for row in rows:
            good = row["error_of_limit"] <= 1
            right = right and good
            print(f"{row['line']:52} {str(row['block']):15} {row['microseconds']:9} us "
                  f"{row['tflops']:6} {row['terabytes_per_second']:6} TB/s " + " ".join(
                      f"{name} {peer['tflops']} {peer['ratio']:.3f}"
                      for name, peer in row["peers"].items()) +
                  f" error {row['error_of_limit']:.2f} ({row.get('peer_error_of_limit', 0):.2f}), to "
                  f"cuDNN {row.get('largest_difference', 0):.1e}{'' if good else ' WRONG'}",
                  flush=True)
        result["rows"] += rows
        if json_file:
            save(result, pathlib.Path(json_file))
    return 0 if right else 1


def table(path):
    result = json.loads(pathlib.Path(path).read_text())
    driver = f"driver {result['driver']}, " if "driver" in result else ""
    print(f"{result['gpu']}, {driver}torch {result['torch']}, cuDNN {result['cudnn']}, {result['date']}, "
          f"{result['rounds']} rounds.\n")
    groups = {}
    for row in result["rows"]:
        problem = Problem(row["line"])
        if row["peers"] and not problem.plan:
            of = "formulas" if problem.plain() else "decoding" if problem.queries <= 16 else (
                "causal" if problem.causal else "all keys")
            groups.setdefault(of, []).append((problem, row))
    for of, rows in groups.items():
        table_of(of, rows)
    return 0


def table_of(of, rows):
    peers = ["plain kernel"] if of == "formulas" else [
        name for name in PEERS if any(name in row["peers"] for _, row in rows)]
    decodes = of == "decoding"
    unit, speed = ("TB/s of K and V", "terabytes_per_second") if decodes else ("TFLOP/s", "tflops")
    names = [name + ", us" for name in peers] if decodes else peers
    print(f"| {of} | queries, columns, keys of a step | us | {unit} | {' | '.join(names)} | to the best "
          "peer | error / limit |")
    print("| --- | --- | --- | --- |" + " --- |" * len(peers) + " --- | --- |")
    ratios = []
    for problem, row in rows:
        peer, ratio = nearest_peer(row)
        ratios.append(ratio)
        of_peer = lambda name: row["peers"].get(name.split()[0], {}).get(
            "microseconds" if decodes else "tflops", "")
        print(f"| {problem.key()}{' fast' * problem.fast} | {', '.join(map(str, row['block']))} | {row['microseconds']} "
              f"| {row[speed]} | {' | '.join(str(of_peer(name)) for name in peers)} | {ratio:.3f} ({peer}) "
              f"| {row['error_of_limit']:.2f} |")
    ratios.sort()
    print(f"\n{len(ratios)} problems: median {ratios[len(ratios) // 2]:.3f}, least {ratios[0]:.3f}, "
          f"{sum(ratio >= 1 for ratio in ratios)} at least 1\n")


def main(words):
    flags = {"--rounds": "5", "--json": ""}
    sustained = "--sustained" in words
    words = [word for word in words if word != "--sustained"]
    for flag in flags:
        if flag in words:
            at = words.index(flag)
            flags[flag] = words[at + 1]
            del words[at:at + 2]
    if words and words[0] == "drawn":
        import attention_drawn
        return attention_drawn.main(words[1:], flags["--json"]) or 0
    if len(words) == 4 and words[0] == "write":
        return write(words[1], pathlib.Path(words[2]),
                     [Problem(line) for line in lines_of(words[3])])
    if len(words) == 2 and words[0] == "measure":
        return measure(pathlib.Path(words[1]), int(flags["--rounds"]), flags["--json"], sustained)
    if len(words) == 2 and words[0] == "table":
        return table(words[1])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
