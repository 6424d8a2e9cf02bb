"""Evaluates the layout functions of TileLang on their whole domain.

    record_tilelang.py TILELANG COMMIT OUTPUT.json.gz

TILELANG is a checkout of tile-ai/tilelang, of that commit; TVM is not needed. The domains stand in the
functions' names: "32x8" of threads and a thread's values, "16x16" of the tile. Left out are functions
that take a copy's number, those of addresses alone, and those that no bijection or copies make: a lane
for each element, but not an element for each lane.
"""

import gzip
import itertools
import json
import re
import sys
import types

MODULES = {
    "tilelang/cuda/intrinsics/layout/mma_layout.py": 32,
    "tilelang/cuda/intrinsics/layout/mma_sm70_layout.py": 32,
    "tilelang/rocm/intrinsics/mfma_layout.py": 64,
    "tilelang/rocm/intrinsics/wmma_layout.py": 32,
}


def import_stubs():
    """What the modules import besides each other: none of it computes an index."""
    names = ["tvm", "tvm.tirx", "tvm.runtime", "tilelang", "tilelang.language"]
    for name in names:
        sys.modules[name] = types.ModuleType(name)
    for name in names:
        sys.modules[name].__getattr__ = lambda attribute: None
    sys.modules["tvm"].DataType = object
    sys.modules["tvm.tirx"].const = lambda value: value
    sys.modules["tvm.runtime"].convert = lambda values: values


def evaluated(function, domain):
    """The results, last argument fastest; nothing where it is not for these arguments."""
    return [tuple(function(*arguments)) for arguments in itertools.product(*map(range, domain))]


def is_one_to_one(values, sizes):
    return sorted(values) == list(itertools.product(*map(range, sizes)))


def record(function, name, lanes):
    code = function.__code__
    sizes = [tuple(map(int, pair)) for pair in re.findall(r"(\d+)x(\d+)", name)]
    arguments = code.co_varnames[: code.co_argcount]
    if name.startswith("wmma_store"):
        sizes = [(32, 8), (16, 16)]
    if len(arguments) != 2 or len(sizes) != 2 or "smooth" in name:
        return None
    if arguments[0] == "thread_id":
        threads = next(pair for pair in sizes if pair[0] == lanes)
        tile = sizes[1] if sizes[0] == threads else sizes[0]
        values = evaluated(function, threads)
        # The tile of an operand B stands in the name with its sides exchanged.
        if not any(set(values) == set(itertools.product(*map(range, sides))) for sides in (tile, tile[::-1])):
            return None
        return {"args": ["thread_id", "local_id"], "domain": threads, "values": values}
    tile, threads = sizes
    domains = [tile, tile[::-1]]
    if "_trans" in name or "_rs_" in name:  # rows of the operand, 16 or 8, stand second; not so in the name
        domains.sort(key=lambda domain: domain[1] != (16 if 16 in domain else 8))
    for domain in domains:
        values = evaluated(function, domain)
        if threads[0] == lanes and is_one_to_one(values, threads):
            return {"args": ["i", "j"], "domain": domain, "values": values}
    return None


def main(root, commit, output):
    import_stubs()
    functions = {}
    for path, lanes in MODULES.items():
        scope = {}
        with open(f"{root}/{path}") as file:
            exec(compile(file.read(), path, "exec"), scope)
        for name, value in scope.items():
            if not isinstance(value, types.FunctionType) or name.startswith("_"):
                continue
            recorded = record(value, name, lanes)
            if recorded:
                functions[name] = {"module": path, **recorded}
    text = json.dumps({"source": f"tile-ai/tilelang commit {commit}", "functions": functions})
    with gzip.GzipFile(output, "wb", mtime=0) as file:
        file.write(text.encode())
    print(f"{len(functions)} functions")


if __name__ == "__main__":
    main(*sys.argv[1:])
