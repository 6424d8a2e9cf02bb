"""Functions without a product that elements.py times: their text, operands and PyTorch's own."""
import math


def type_of(sizes, element):
    return "tensor<" + "".join(f"{size}x" for size in sizes) + element + ">"


def generic(result, ins, outs, loops, maps, kinds, body):
    dims = ", ".join(f"d{i}" for i in range(loops))
    said = ", ".join(f"affine_map<({dims}) -> ({each})>" for each in maps)
    names, types = zip(*ins) if ins else ((), ())
    read = f"ins({', '.join(names)} : {', '.join(types)}) " if ins else ""
    made, made_types = zip(*outs)
    out_types = ", ".join(made_types)
    results = f"({out_types})" if len(outs) > 1 else out_types
    return (f"  {result} = linalg.generic {{indexing_maps = [{said}], "
            f"iterator_types = [{', '.join(chr(34) + kind + chr(34) for kind in kinds)}]}} "
            f"{read}outs({', '.join(made)} : {out_types}) {{\n{body}  }} -> {results}\n")


class Case:
    """`inputs` and `results` are (sizes, element); `read` and `written` are bytes."""
    BYTES = {"f16": 2, "bf16": 2, "f32": 4, "i8": 1, "i64": 8, "i32": 4}

    def __init__(self, name, inputs, results, body, torch_call, tolerance=0.0):
        self.name, self.inputs, self.results = name, inputs, results
        self.body, self.torch_call, self.tolerance = body, torch_call, tolerance

    def text(self):
        arguments = ", ".join(f"%a{i}: {type_of(*each)}" for i, each in enumerate(self.inputs))
        types = ", ".join(type_of(*each) for each in self.results)
        return (f"func.func @{self.name}({arguments}) -> ({types}) {{\n{self.body}}}\n")

    def moved(self):
        return sum(math.prod(sizes) * self.BYTES[element]
                   for sizes, element in self.inputs + self.results)


def elementwise(name, shape, source, result, count, lines, torch_call, tolerance=0.0):
    """`lines` compute %r of %x0, %x1 …"""
    rank = len(shape)
    every = ", ".join(f"d{i}" for i in range(rank))
    ins = [(f"%a{i}", type_of(shape, source)) for i in range(count)]
    block = ", ".join([f"%x{i}: {source}" for i in range(count)] + [f"%o: {result}"])
    body = f"  ^bb0({block}):\n" + "".join(f"    {line}\n" for line in lines)
    body += f"    linalg.yield %r : {result}\n"
    out = type_of(shape, result)
    text = f"  %e = tensor.empty() : {out}\n"
    text += generic("%d", ins, [("%e", out)], rank, [every] * (count + 1), ["parallel"] * rank, body)
    return Case(name, [(shape, source)] * count, [(shape, result)],
                text + f"  return %d : {out}\n", torch_call, tolerance)


def filled(name, value, sizes, element):
    out = type_of(sizes, element)
    return (f"  %{name}_c = arith.constant {value} : {element}\n"
            f"  %{name}_e = tensor.empty() : {out}\n"
            f"  %{name} = linalg.fill ins(%{name}_c : {element}) outs(%{name}_e : {out}) -> {out}\n")


def to_f32(source, name, out):
    return f"    {out} = arith.extf {name} : {source} to f32\n" if source != "f32" else ""


def reduced(result, shape, source, dims, operation, initial, square=False, extra=None):
    """A reduction of %a0 along `dims` in f32; `extra`: (tensor, of the kept dims) subtracted before
    the exponential that is summed."""
    rank = len(shape)
    every = ", ".join(f"d{i}" for i in range(rank))
    kept = [i for i in range(rank) if i not in dims]
    kept_map = ", ".join(f"d{i}" for i in kept)
    sizes = [shape[i] for i in kept]
    out = type_of(sizes, "f32")
    text = filled(result[1:] + "_i", initial, sizes, "f32")
    ins = [("%a0", type_of(shape, source))]
    maps = [every]
    block = f"%x: {source}"
    wide = "%x" if source == "f32" else "%w"
    body = to_f32(source, "%x", "%w")
    if extra:
        ins.append((extra, out))
        maps.append(kept_map)
        block += ", %m: f32"
        body += f"    %s = arith.subf {wide}, %m : f32\n    %v = math.exp %s : f32\n"
        wide = "%v"
    if square:
        body += f"    %v = arith.mulf {wide}, {wide} : f32\n"
        wide = "%v"
    body = f"  ^bb0({block}, %o: f32):\n" + body
    body += f"    %r = arith.{operation} %o, {wide} : f32\n    linalg.yield %r : f32\n"
    kinds = ["reduction" if i in dims else "parallel" for i in range(rank)]
    return text + generic(result, ins, [(f"%{result[1:]}_i", out)], rank, maps + [kept_map], kinds,
                          body)


def row_function(name, shape, element, before, kept, lines, torch_call, tolerance):
    """Elements of %x and the rows' values `kept`, after `before`; `lines` compute %y in f32."""
    m = shape[0]
    ins = [("%a0", type_of(shape, element))] + [(value, type_of([m], "f32")) for value in kept]
    block = ", ".join([f"%x: {element}"] + [f"%k{i}: f32" for i in range(len(kept))] +
                      [f"%o: {element}"])
    body = f"  ^bb0({block}):\n" + to_f32(element, "%x", "%w")
    wide = "%x" if element == "f32" else "%w"
    body += "".join(f"    {line.replace('WIDE', wide)}\n" for line in lines)
    result = "%y"
    if element != "f32":
        body += f"    %n = arith.truncf %y : f32 to {element}\n"
        result = "%n"
    body += f"    linalg.yield {result} : {element}\n"
    out = type_of(shape, element)
    text = before + f"  %e = tensor.empty() : {out}\n"
    text += generic("%d", ins, [("%e", out)], 2, ["d0, d1"] + ["d0"] * len(kept) + ["d0, d1"],
                    ["parallel"] * 2, body)
    return Case(name, [(shape, element)], [(shape, element)], text + f"  return %d : {out}\n",
                torch_call, tolerance)


def transpose(name, shape, order, element):
    sizes = [shape[i] for i in order]
    out = type_of(sizes, element)
    text = (f"  %e = tensor.empty() : {out}\n  %d = linalg.transpose ins(%a0 : "
            f"{type_of(shape, element)}) outs(%e : {out}) permutation = {list(order)}\n"
            f"  return %d : {out}\n")
    return Case(name, [(shape, element)], [(sizes, element)], text,
                lambda torch, a: a.permute(*order).contiguous())


def reduction(name, shape, element, dims, operation, initial, torch_call, tolerance):
    kept = [shape[i] for i in range(len(shape)) if i not in dims]
    text = reduced("%d", shape, element, dims, operation, initial)
    return Case(name, [(shape, element)], [(kept, "f32")],
                text + f"  return %d : {type_of(kept, 'f32')}\n", torch_call, tolerance)


def argmax(name, shape):
    m, n = shape
    value, place = type_of([m], "f32"), type_of([m], "i64")
    text = filled("v", "0xFF800000", [m], "f32") + filled("p", "0", [m], "i64")
    body = ("  ^bb0(%x: f32, %m: f32, %q: i64):\n    %i = linalg.index 1 : index\n"
            "    %j = arith.index_cast %i : index to i64\n    %r = arith.maximumf %x, %m : f32\n"
            "    %c = arith.cmpf ogt, %x, %m : f32\n    %s = arith.select %c, %j, %q : i64\n"
            "    linalg.yield %r, %s : f32, i64\n")
    text += generic("%d:2", [("%a0", type_of(shape, "f32"))], [("%v", value), ("%p", place)], 2,
                    ["d0, d1", "d0", "d0"], ["parallel", "reduction"], body)
    return Case(name, [(shape, "f32")], [([m], "f32"), ([m], "i64")],
                text + f"  return %d#0, %d#1 : {value}, {place}\n",
                lambda torch, a: tuple(torch.max(a, dim=1)))


def softmax(name, shape, element, tolerance):
    before = reduced("%top", shape, element, [1], "maximumf", "0xFF800000")
    before += reduced("%sum", shape, element, [1], "addf", "0.0", extra="%top")
    return row_function(name, shape, element, before, ["%top", "%sum"],
                        ["%s = arith.subf WIDE, %k0 : f32", "%p = math.exp %s : f32",
                         "%y = arith.divf %p, %k1 : f32"],
                        lambda torch, a: torch.softmax(a, dim=1), tolerance)


def rms_norm(name, shape, element, tolerance):
    before = reduced("%sum", shape, element, [1], "addf", "0.0", square=True)
    before += (f"  %count = arith.constant {float(shape[1])} : f32\n"
               "  %eps = arith.constant 1.0e-6 : f32\n")
    return row_function(name, shape, element, before, ["%sum"],
                        ["%q = arith.divf %k0, %count : f32", "%h = arith.addf %q, %eps : f32",
                         "%t = math.rsqrt %h : f32", "%y = arith.mulf WIDE, %t : f32"],
                        lambda torch, a: torch.nn.functional.rms_norm(a, a.shape[1:], eps=1e-6),
                        tolerance)


GELU = ["%w = arith.extf %x0 : bf16 to f32", "%c = arith.constant 0.707106781 : f32",
        "%h = arith.constant 0.5 : f32", "%one = arith.constant 1.0 : f32",
        "%s = arith.mulf %w, %c : f32", "%f = math.erf %s : f32", "%g = arith.addf %f, %one : f32",
        "%k = arith.mulf %w, %h : f32", "%y = arith.mulf %k, %g : f32",
        "%r = arith.truncf %y : f32 to bf16"]


def cases(scale=1):
    """At `scale` 1 tensors have 256 to 512 MiB; smaller ones are for tests."""
    n = 16384 // scale
    inf = "0xFF800000"
    a, b, c, d = 64 // min(scale, 8), 128 // min(scale, 8), 256 // min(scale, 16), 128 // min(scale, 8)
    listed = [
        elementwise("add_f32", [n, n // 4], "f32", "f32", 2, ["%r = arith.addf %x0, %x1 : f32"],
                    lambda torch, x, y: x + y),
        elementwise("gelu_bf16", [n, n // 2], "bf16", "bf16", 1, GELU,
                    lambda torch, x: torch.nn.functional.gelu(x), 0.01),
        elementwise("cast_f16_f32", [n, n // 2], "f16", "f32", 1,
                    ["%r = arith.extf %x0 : f16 to f32"], lambda torch, x: x.float()),
        elementwise("cast_f32_f16", [n, n // 2], "f32", "f16", 1,
                    ["%r = arith.truncf %x0 : f32 to f16"], lambda torch, x: x.half()),
        reduction("row_sum_f32", [n, n // 4], "f32", [1], "addf", "0.0",
                  lambda torch, x: x.sum(1), 1e-3),
        reduction("row_sum_bf16", [n, n // 2], "bf16", [1], "addf", "0.0",
                  lambda torch, x: x.sum(1, dtype=torch.float32), 1e-3),
        reduction("column_sum_f32", [n, n // 4], "f32", [0], "addf", "0.0",
                  lambda torch, x: x.sum(0), 1e-3),
        reduction("column_max_bf16", [n, n // 2], "bf16", [0], "maximumf", inf,
                  lambda torch, x: x.amax(0).float(), 1e-3),
        reduction("few_rows_sum_f32", [16, n * n // 64], "f32", [1], "addf", "0.0",
                  lambda torch, x: x.sum(1), 1e-2),
        reduction("sum_all_f32", [n, n // 4], "f32", [0, 1], "addf", "0.0",
                  lambda torch, x: x.sum(), 1e-2),
        softmax("softmax_f32", [n, n // 4], "f32", 1e-5),
        softmax("softmax_bf16", [n, n // 2], "bf16", 1e-2),
        softmax("softmax_long_f32", [n // 8, n * 2], "f32", 1e-5),
        rms_norm("rms_norm_bf16", [n, n // 2], "bf16", 3e-2),
        argmax("argmax_f32", [n, n // 4]),
        transpose("transpose_f16", [n, n], (1, 0), "f16"),
        transpose("transpose_bf16", [n, n], (1, 0), "bf16"),
        transpose("transpose_f32", [n, n // 2], (1, 0), "f32"),
        transpose("transpose_i64", [n // 2, n // 2], (1, 0), "i64"),
        transpose("transpose_i8", [n, 2 * n], (1, 0), "i8"),
    ]
    shape = [a, b, c, d]
    for order in ((0, 2, 1, 3), (3, 1, 2, 0), (2, 3, 0, 1), (0, 3, 1, 2)):
        listed.append(transpose("permute_f16_" + "".join(map(str, order)), shape, order, "f16"))
    listed.append(transpose("permute_f32_2301", [a, b, c, d // 2], (2, 3, 0, 1), "f32"))
    listed.append(transpose("permute_i8_0312", [a, 2 * b, c, d], (0, 3, 1, 2), "i8"))
    return listed
