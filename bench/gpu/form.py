"""What a product computes, and its text in MLIR: a line of bench/gpu/products.txt."""
import json
import math


class Form:
    """What is computed of A (m x k) and B (k x n, or n x k where it is transposed)."""

    def __init__(self, line):
        words = line.split()
        self.name, self.input = words[0], words[1]
        self.sizes = [int(number) for number in words[2].split("x")]  # m, n, k and the batch
        self.options = words[3:]
        self.plan = {}
        for option in self.options:
            if option.startswith("plan="):
                self.plan = json.loads(option[5:])
        self.batch = self.sizes[3] if len(self.sizes) > 3 else 1
        self.m, self.n, self.k = self.sizes[:3]

    def has(self, option):
        return option in self.options

    def key(self):
        """The same for all plans of a product."""
        kept = [option for option in self.options if not option.startswith("plan=")]
        return " ".join([self.name, self.input, "x".join(map(str, self.sizes))] + kept)

    def file(self):
        plan = "".join(f"_{key}{value}" for key, value in self.plan.items())
        return (self.key() + plan).translate(str.maketrans(" ,[]", "____")).replace("__", "_")

    def scales_of_a(self):
        """The sizes of the matrix of A's scales, one for 1x128 elements."""
        sizes = (self.m, self.k // 128)
        return sizes[::-1] if self.has("columns") else sizes

    # ---- the text ------------------------------------------------------------------------------
    def shape(self, *sizes):
        dynamic = {loop: self.has("dynamic") or self.has(f"dynamic={loop}") for loop in "mnk"}
        text = "x".join("?" if dynamic.get(loop) else str(getattr(self, loop)) for loop in sizes)
        return f"{self.batch}x{text}" if self.batch > 1 and sizes != ("n",) else text

    def text(self):
        """MLIR: sums in f32 (i32), the operations on them, the result in the type of the inputs."""
        batch = "batch_" if self.batch > 1 else ""
        loops = ["b"] * (self.batch > 1) + ["m", "n", "k"]
        sums = "i32" if self.input == "i8" else "f32"
        out = self.result()
        b = ("n", "k") if self.has("bt") else ("k", "n")
        a_type = f"tensor<{self.shape('m', 'k')}x{self.input}>"
        stored_b = "i8" if self.has("weights=i8") else self.input
        b_type = f"tensor<{self.shape(*b)}x{stored_b}>"
        s_type = f"tensor<{self.shape('m', 'n')}x{sums}>"
        d_type = f"tensor<{self.shape('m', 'n')}x{out}>"
        lead = loops[:-3]
        of_a = ("k floordiv 128", "m") if self.has("columns") else ("m", "k floordiv 128")
        scaled = [of_a, ("n floordiv 128", "k floordiv 128")]
        maps = [", ".join(lead + list(axes)) for axes in
                [("m", "k"), b, *(scaled if self.has("blocks") else []), ("m", "n")]]
        maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({axes})>" for axes in maps)
        iterators = ", ".join(f'"{"reduction" if loop == "k" else "parallel"}"' for loop in loops)
        arguments = [f"%a: {a_type}", f"%b: {b_type}"]
        inputs = [("a", a_type), ("b", b_type)]
        if self.has("blocks"):  # scales of 1x128 of A, perhaps by columns, and of 128x128 of B
            inputs += [("u", f"tensor<{'x'.join(map(str, self.scales_of_a()))}xf32>"),
                       ("v", f"tensor<{self.n // 128}x{self.k // 128}xf32>")]
            arguments += [f"%{name}: {kind}" for name, kind in inputs[2:]]
        extras = []
        if self.has("bias"):
            extras.append(("bias", f"tensor<{self.shape('n')}x{out}>", ("n",)))
        if self.has("residual"):
            extras.append(("residual", d_type, ("m", "n")))
        if self.has("rows"):  # scales of rows of A and of columns of B
            extras += [("u", f"tensor<{self.shape('m')}xf32>", ("m",)),
                       ("v", f"tensor<{self.shape('n')}xf32>", ("n",))]
        arguments += [f"%{name}: {kind}" for name, kind, _ in extras]
        zero = "0" if sums == "i32" else "0.0"
        lines = [f"func.func @product({', '.join(arguments)}) -> {d_type} {{",
                 f"  %zero = arith.constant {zero} : {sums}"]
        dynamic = []
        for number, loop in ((0, "m"), (1, "n")):
            if "?" in self.shape(loop):
                of, axis = ("a", 0) if loop == "m" else ("b", 0 if self.has("bt") else 1)
                axis += len(lead)
                kind = a_type if of == "a" else b_type
                lines += [f"  %c{loop} = arith.constant {axis} : index",
                          f"  %{loop} = tensor.dim %{of}, %c{loop} : {kind}"]
                dynamic.append(f"%{loop}")
        given = ", ".join(dynamic)
        lines += [f"  %se = tensor.empty({given}) : {s_type}",
                  f"  %init = linalg.fill ins(%zero : {sums}) outs(%se : {s_type}) -> {s_type}"]
        of_blocks = "%ub: f32, %vb: f32, " if self.has("blocks") else ""
        product = [f"^bb0(%x: {self.input}, %y{'i' * (stored_b != self.input)}: {stored_b}, "
                   f"{of_blocks}%s: {sums}):"]
        if stored_b != self.input:  # weights of 8 bits
            product.append(f"%y = arith.sitofp %yi : i8 to {self.input}")
        if self.input == sums:
            product += ["%p = arith.mulf %x, %y : f32", "%t = arith.addf %s, %p : f32"]
        else:
            widen = "extsi" if sums == "i32" else "extf"
            kind = "i" if sums == "i32" else "f"
            product += [f"%xw = arith.{widen} %x : {self.input} to {sums}",
                        f"%yw = arith.{widen} %y : {self.input} to {sums}",
                        f"%p = arith.mul{kind} %xw, %yw : {sums}"]
            if self.has("blocks"):
                product += ["%uv = arith.mulf %ub, %vb : f32", "%q = arith.mulf %p, %uv : f32"]
            term = "%q" if self.has("blocks") else "%p"
            product.append(f"%t = arith.add{kind} %s, {term} : {sums}")
        product.append(f"linalg.yield %t : {sums}")
        lines += [f"  %sum = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}"
                  f" ins({', '.join('%' + name for name, _ in inputs)} : "
                  f"{', '.join(kind for _, kind in inputs)}) outs(%init : {s_type}) {{",
                  *("    " + line for line in product), f"  }} -> {s_type}"]
        if out == sums and not extras:
            return "\n".join(lines + [f"  return %sum : {s_type}", "}"]) + "\n"
        outer = lead + ["m", "n"]
        of = lambda axes: (f"affine_map<({', '.join(outer)}) -> "
                           f"({', '.join(axes if len(axes) == 1 else tuple(outer))})>")
        maps = ", ".join([of(("m", "n"))] + [of(axes) for _, _, axes in extras] + [of(("m", "n"))])
        element = lambda kind: kind.rstrip(">").split("x")[-1]
        body = [f"^bb0(%s: {sums}, " +
                "".join(f"%{name}e: {element(kind)}, " for name, kind, _ in extras) +
                f"%o: {out}):"]
        value = "%s"
        for name, kind, _ in extras:
            if name in "uv":
                body.append(f"%{name}s = arith.mulf {value}, %{name}e : f32")
                value = f"%{name}s"
                continue
            if out != sums:
                body.append(f"%{name}w = arith.extf %{name}e : {out} to {sums}")
            wide = f"%{name}{'w' if out != sums else 'e'}"
            body.append(f"%{name}s = arith.addf {value}, {wide} : {sums}")
            value = f"%{name}s"
        if self.has("relu"):
            body += [f"%z = arith.constant 0.0 : {sums}",
                     f"%r = arith.maximumf {value}, %z : {sums}"]
            value = "%r"
        if self.has("gelu"):  # with tanh, as cublasLt's epilogue and torch's approximate="tanh"
            body += ["%half = arith.constant 0.5 : f32", "%one = arith.constant 1.0 : f32",
                     "%c0 = arith.constant 0.044715 : f32", "%c1 = arith.constant 0.7978845608 : f32",
                     f"%g2 = arith.mulf {value}, {value} : f32",
                     f"%g3 = arith.mulf %g2, {value} : f32", "%g4 = arith.mulf %g3, %c0 : f32",
                     f"%g5 = arith.addf %g4, {value} : f32", "%g6 = arith.mulf %g5, %c1 : f32",
                     "%g7 = math.tanh %g6 : f32", "%g8 = arith.addf %g7, %one : f32",
                     f"%g9 = arith.mulf {value}, %half : f32", "%g = arith.mulf %g9, %g8 : f32"]
            value = "%g"
        if out != sums:
            body.append(f"%d = arith.truncf {value} : {sums} to {out}")
            value = "%d"
        body.append(f"linalg.yield {value} : {out}")
        iterators = ", ".join(['"parallel"'] * len(outer))
        ins = ", ".join(["%sum"] + [f"%{name}" for name, _, _ in extras])
        kinds = ", ".join([s_type] + [kind for _, kind, _ in extras])
        lines += [f"  %de = tensor.empty({given}) : {d_type}",
                  f"  %res = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}"
                  f" ins({ins} : {kinds}) outs(%de : {d_type}) {{",
                  *("    " + line for line in body), f"  }} -> {d_type}", f"  return %res : {d_type}",
                  "}"]
        return "\n".join(lines) + "\n"

    def result(self):
        return {"f8E4M3FN": "bf16", "i8": "i32"}.get(self.input, self.input)
