#!/usr/bin/env python3
"""calls.py HEDDLE CLANG FOLDER [PTXAS]: the calls that `heddle info` shows compile, and become
the instruction.

HIP: all rows of a processor and wave size are one translation unit, each in a namespace; the name
of every row must be in the assembly. CUDA: clang has asm statements only as far as their arguments;
with PTXAS the PTX is assembled as well.
"""
import json
import pathlib
import re
import subprocess
import sys

heddle, clang, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
ptxas = sys.argv[4] if len(sys.argv) > 4 else None
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
    for family in json.loads(run(heddle, "list", "--count", "--format", "json")):
        arch = family["processors"][0]
        for row in json.loads(run(heddle, "list", "--arch", arch, "--format", "json")):
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


def ptxas_knows(processor):
    """ptxas 13 has no sm_70 any more, and says so before it reads the file."""
    words = [ptxas, f"--gpu-name={processor}", "-c", "/dev/null", "-o", "/dev/null"]
    return "is not defined" not in subprocess.run(words, capture_output=True, text=True).stderr


def compile_cuda(processor, infos, file):
    ptx = file.with_suffix(".ptx")
    file.write_text(source(infos))
    run(clang, "-x", "cuda", f"--cuda-gpu-arch={processor}", "--cuda-device-only", "-nocudainc",
        "-nocudalib", "-Wno-unknown-cuda-version", "-O1", "-S", file, "-o", ptx)
    written = ptx.read_text()
    for info in infos:
        # Of tcgen05.mma the shape and the type of D stand in a descriptor.
        name = re.sub(r"^(tcgen05\.mma.*?)\.m\d.*", r"\1 ", info["name"])
        if name.replace("nNk", f"n{info['n']}k") not in written:
            sys.exit(f"{processor}: the call of {info['name']} is not in the PTX")
    return ptx


def cuda(arch, wave, infos):
    processor = arch + ("a" if arch in ("sm_90", "sm_100", "sm_120") else "")
    compile_cuda(processor, infos, folder / f"{arch}_{wave}.cu")
    # It was not asked about every tcgen05.mma, whose shapes stand in a descriptor.
    witnessed = [i for i in infos if "ptxas 13.0" in i["witnesses"]["registers_and_encoding"]
                 or i["name"].startswith("tcgen05.mma")]
    if ptxas and witnessed and ptxas_knows(processor):
        ptx = compile_cuda(processor, witnessed, folder / f"{arch}_{wave}_ptxas.cu")
        run(ptxas, f"--gpu-name={processor}", "-c", ptx, "-o", folder / "out.cubin")
        return len(witnessed)
    return 0


assembled = 0
compiled = 0
for (arch, wave), infos in rows().items():
    compiled += len(infos)
    assembled += (hip if arch.startswith("gfx") else cuda)(arch, wave, infos) or 0
print(f"{compiled} calls compiled")
if ptxas:
    print("assembled too:", assembled)
