#!/usr/bin/env python3
"""calls.py HEDDLE CLANG FOLDER: the calls that `heddle info` shows compile, and become the
instruction.

HIP: all rows of a processor and wave size are one translation unit, each in a namespace; the name
of every row must be in the assembly. CUDA: clang has asm statements only as far as their arguments;
calls_of_all_names.txt and calls_ptxas.txt look at the rest.
"""
import json
import pathlib
import re
import subprocess
import sys

heddle, clang, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
DEVICE = "#define __device__ __attribute__((device))\n"


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in words)}\n{done.stderr[:4000]}")
    return done.stdout


def rows():
    """(arch, wave) -> [info]: every row on the first processor of each of its families."""
    groups = {}
    for family in json.loads(run(heddle, "list", "--count", "--format", "json"))["families"]:
        arch = family["processors"][0]
        for row in json.loads(run(heddle, "list", "--arch", arch, "--format", "json"))["instructions"]:
            words = [heddle, "info", row["name"], "--arch", arch, "--format", "json"]
            words += ["--wave", row["wave"]] if row["wave"] in (32, 64) else []
            # The smallest n of an instruction for several keeps the text short.
            words += ["--n", min(row["n_sizes"])] if len(row["n_sizes"]) > 1 else []
            groups.setdefault((arch, row["wave"]), []).append(json.loads(run(*words)))
    return groups


def source(infos):
    text = DEVICE
    for number, info in enumerate(infos):
        function = re.search(r"__device__ \S+ (\w+)\(", info["call"]["source"])[1]
        text += f"namespace row{number} {{\n{info['call']['source']}"
        text += f"__attribute__((device, used)) auto* keep = &{function};\n}}\n"
    return text


def hip(arch, wave, infos):
    file = folder / f"{arch}_{wave}.hip"
    file.write_text(source(infos))
    waves = ["-mwavefrontsize64"] if wave == 64 and arch.startswith("gfx1") else []
    assembly = run(clang, "-x", "hip", f"--offload-arch={arch}", *waves, "--cuda-device-only",
                   "-nogpulib", "-nogpuinc", "-O1", "-S", "--no-gpu-bundle-output", file, "-o", "-")
    for info in infos:
        if not re.search(rf"\b{re.escape(info['name'])}\b", assembly):
            sys.exit(f"{arch} wave{wave}: the call of {info['name']} became another instruction")


def compile_cuda(processor, infos, file):
    ptx = file.with_suffix(".ptx")
    file.write_text(source(infos))
    # No CUDA toolkit of this machine says which version of PTX it is: users have none.
    run(clang, "-x", "cuda", "--cuda-path=/nowhere", "--cuda-feature=+ptx90",
        f"--cuda-gpu-arch={processor}", "--cuda-device-only", "-nocudainc", "-nocudalib",
        "-Wno-unknown-cuda-version", "-O1", "-S", file, "-o", ptx)
    written = ptx.read_text()
    for info in infos:
        # Of tcgen05.mma the shape and the type of D stand in a descriptor.
        name = re.sub(r"^(tcgen05\.mma.*?)\.m\d.*", r"\1 ", info["name"])
        if name.replace("nNk", f"n{info['n']}k") not in written:
            sys.exit(f"{processor}: the call of {info['name']} is not in the PTX")


def cuda(arch, wave, infos):
    processor = arch + ("a" if arch in ("sm_90", "sm_100", "sm_120") else "")
    compile_cuda(processor, infos, folder / f"{arch}_{wave}.cu")


compiled = 0
for (arch, wave), infos in rows().items():
    compiled += len(infos)
    (hip if arch.startswith("gfx") else cuda)(arch, wave, infos)
print(f"{compiled} calls compiled")
