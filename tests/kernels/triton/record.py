#!/usr/bin/env python3
"""Records kernels as Triton compiles them, for tests/kernels/triton_test.py.

    python3 tests/kernels/triton/record.py compile FOLDER [FILE]   # needs Triton, and no GPU
    python3 tests/kernels/triton/record.py pack FOLDER [FILE]      # into tests/data/FILE.json.gz

FILE: one of cases.FILES, or all of them.
"""
import base64
import concurrent.futures
import gzip
import json
import multiprocessing
import os
import pathlib
import sys

from cases import FILES, cases_of

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent.parent / "data"


def compile_one(case, processor):
    """The object or PTX of a case, with what its launch needs to know."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    signature = {k: v if isinstance(v, str) else "constexpr" for k, v in case.arguments.items()}
    constants = {(i,): v for i, v in enumerate(case.arguments.values()) if not isinstance(v, str)}
    # Pointers and mostly sizes are multiples of 16, as the launches have them.
    attributes = {(i,): [["tt.divisibility", 16]] for i, (k, v) in
                  enumerate(case.arguments.items())
                  if isinstance(v, str) and v != "fp32" and k != "programs" and
                  (case.multiples or v.startswith("*"))}
    if case.gluon:
        import gluon_kernels
        from triton.experimental.gluon._runtime import GluonASTSource
        source = GluonASTSource(getattr(gluon_kernels, case.kernel), signature, constants,
                                attributes)
    else:
        import kernels
        source = ASTSource(getattr(kernels, case.kernel), signature, constants, attributes)
    compiled = triton.compile(source, target=GPUTarget(*processor),
                              options={"num_warps": case.warps, "num_stages": case.stages})
    code = compiled.asm["hsaco" if "hsaco" in compiled.asm else "ptx"]
    return {"triton": triton.__version__, "warps": compiled.metadata.num_warps,
            "shared": compiled.metadata.shared}, code if isinstance(code, bytes) else code.encode()


def compile_in_child(folder, case, target, processor):
    """In a process of its own: Triton asserts on what it cannot do."""
    def body():
        os.environ.update(case.environment)  # before Triton is imported
        about, code = compile_one(case, processor)
        stem = os.path.join(folder, f"{case.name}.{target}")
        with open(stem + ".code", "wb") as file:
            # Where the sources lie is nobody's business; the length stays.
            import triton
            for folder_of_source in (HERE, pathlib.Path(triton.__file__).parents[1]):
                path = str(folder_of_source).encode()
                code = code.replace(path, b"/".ljust(len(path), b"k"))
            file.write(code)
        with open(stem + ".json", "w") as file:
            json.dump(about, file)
    process = multiprocessing.get_context("fork").Process(target=body)
    process.start()
    process.join()
    return os.path.exists(os.path.join(folder, f"{case.name}.{target}.json"))


def pack(folder, file):
    """Of each case that was compiled; those that Triton cannot compile are left out."""
    kernels = []
    for case, target in cases_of(file):
        stem = os.path.join(folder, f"{case.name}.{target}")
        if not os.path.exists(stem + ".json"):
            print(case.name, target, "was not compiled")
            continue
        about = json.loads(pathlib.Path(stem + ".json").read_text())
        code = pathlib.Path(stem + ".code").read_bytes()
        lanes = FILES[file][target][2]
        kernels.append({"name": case.name, "target": target, "finding": case.finding_on(target),
                        "launch": case.launch(about["warps"], lanes, about["shared"]),
                        "code": base64.b64encode(code).decode()})
    text = json.dumps({"triton": about["triton"], "kernels": kernels}, indent=0)
    (DATA / f"{file}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def main(what, folder, only=None):
    files = [only] if only else list(FILES)
    if what == "pack":
        for file in files:
            pack(folder, file)
        return
    os.makedirs(folder, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {f"{case.name}.{target}":
                pool.submit(compile_in_child, folder, case, target, FILES[file][target])
                for file in files for case, target in cases_of(file)}
    for name, job in jobs.items():
        if not job.result():
            print(name, "was not compiled")


if __name__ == "__main__":
    main(*sys.argv[1:])
