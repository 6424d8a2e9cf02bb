#!/usr/bin/env python3
"""try_calls.py FOLDER [--clang CLANG] [--ptxas PTXAS] [--nvcc NVCC] [--only hip|cu] [--few-sizes] [--jobs N]

Has every call in FOLDER, which write_calls wrote, assembled for its processor: HIP by clang, CUDA by
nvcc, or by clang and ptxas. Without both of these CUDA goes through clang alone, which does not look
at the PTX in an asm statement. Processors that ptxas or nvcc no longer knows are named and skipped.
On a machine with CUDA alone:

    python3 try_calls.py FOLDER --nvcc nvcc

--few-sizes leaves out the calls of wgmma whose n is neither the smallest, the largest nor 24: they differ in
the number of registers alone, and are most of all calls.

Exit status: 0, or 1 where a call is refused; then each is named with the names that lead to it.
"""
import argparse
import collections
import concurrent.futures
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--clang")
parser.add_argument("--ptxas")
parser.add_argument("--nvcc")
parser.add_argument("--only", choices=["hip", "cu"])
parser.add_argument("--few-sizes", action="store_true")
parser.add_argument("--jobs", type=int, default=os.cpu_count())
options = parser.parse_args()


# What an assembler older than the instruction refuses: a part of its name, and the first release of
# ptxas that has it. PTX ISA 9.1, "Changes": kind::mxf4nvf4 takes 4X of ue8m0.
NEWER = [(re.compile(r"scale_vec::4X.*ue8m0$"), (13, 1))]


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


def processor_of(file):
    return re.match(r"(.*)_w\d+_\d+$", file.stem)[1]


def clang_to_ptx(file, ptx):
    # clang 22 takes the version of PTX from a CUDA toolkit, which users lack.
    version = "+ptx90" if processor_of(file).startswith(("sm_88", "sm_110")) else "+ptx88"
    return run(options.clang, "-x", "cuda", "--cuda-path=/nowhere", f"--cuda-feature={version}",
               f"--cuda-gpu-arch={processor_of(file)}", "--cuda-device-only",
               "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version", "-O1", "-S", file, "-o", ptx)


def cuda(file, scratch):
    processor = processor_of(file)
    if options.nvcc:
        return run(options.nvcc, f"-arch={processor}", "-cubin", file, "-o", scratch / "out")
    done = clang_to_ptx(file, scratch / "ptx")
    if done.returncode != 0 or not options.ptxas or processor in unknown:
        return done
    # What it takes does not depend on how well it optimises.
    return run(options.ptxas, "-O0", f"--gpu-name={processor}", "-c", scratch / "ptx", "-o",
               scratch / "out")


def hip(file, scratch):
    wave64 = file.stem.split("_w")[1].startswith("64") and file.name.startswith("gfx1")
    return run(options.clang, "-x", "hip", f"--offload-arch={processor_of(file)}",
               *["-mwavefrontsize64"] * wave64, "--cuda-device-only", "-nogpulib", "-nogpuinc",
               "-O1", "-c", "--no-gpu-bundle-output", file, "-o", scratch / "out")


def compiled(file):
    """What is wrong with a file; nothing if it is right."""
    with tempfile.TemporaryDirectory() as scratch:
        done = (cuda if file.suffix == ".cu" else hip)(file, pathlib.Path(scratch))
    return done.stderr or str(done.returncode) if done.returncode != 0 else ""


def part(file, name, functions):
    """The file with some of its calls, in a folder of that name."""
    head, *calls = re.split(r"^(?=namespace )", file.read_text(), flags=re.MULTILINE)
    wanted = {f"namespace {function} " for function in functions}
    folder = file.parent / "parts" / name
    folder.mkdir(parents=True, exist_ok=True)
    some = folder / file.name
    some.write_text(head + "".join(call for call in calls if call[:call.index("{")] in wanted))
    return some


@functools.cache
def release():
    """(13, 0) of ptxas 13.0."""
    found = re.search(r"release (\d+)\.(\d+)", run(options.ptxas or options.nvcc, "--version").stdout)
    return tuple(int(number) for number in found.groups())


def is_newer(of_call):
    """Whether the assembler at hand is too old for a call of these names."""
    if not options.ptxas and not options.nvcc:
        return False
    return any(release() < first and any(name.search(one) for one in of_call)
               for name, first in NEWER)


def unknown_processors(files):
    """Those that the assembler says it does not know, before it has read a line."""
    missing = set()
    for processor in sorted({processor_of(file) for file in files if file.suffix == ".cu"}):
        if options.nvcc:
            done = run(options.nvcc, f"-arch={processor}", "--dryrun", "-cubin", "x.cu")
        elif options.ptxas:
            done = run(options.ptxas, f"--gpu-name={processor}", "-c", "/dev/null", "-o",
                       "/dev/null")
        else:
            continue
        if "is not defined" in done.stderr or "Unsupported gpu architecture" in done.stderr:
            missing.add(processor)
    return missing


names = collections.defaultdict(dict)
for line in (options.folder / "names.tsv").read_text().splitlines():
    file, function, *of_call = line.split("\t")
    names[options.folder / file][function] = of_call

unknown = unknown_processors(names)
for processor in sorted(unknown):
    print(f"not assembled, since the assembler does not know it: {processor}")
files = [file for file in names
         if file.suffix == ".cu" and (options.clang or processor_of(file) not in unknown)
         or file.suffix == ".hip" and options.clang]
if options.only:
    files = [file for file in files if file.suffix == "." + options.only]
whole = {file: len(names[file]) for file in files}
if options.few_sizes:
    for file in files:
        names[file] = {function: of_call for function, of_call in names[file].items()
                       if not any(size[1] not in ("8", "24", "256") for name in of_call
                                  if (size := re.search(r"(?:^wgmma.*\.m64n|^SM90.*_64x)(\d+)[kx]", name)))}
    files = [file for file in files if names[file]]
refused, newer = 0, 0
# A call that the assembler is too old for is tried alone: where it stands with others, every one of
# them would have to be tried alone to learn which was refused.
singles = [(file, function) for file in files for function in names[file]
           if is_newer(names[file][function])]
with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
    others = {file: file if len(names[file]) == whole[file] else part(file, "some", names[file])
              for file in files}
    for file in {file for file, function in singles}:
        rest = set(names[file]) - {function for one, function in singles if one == file}
        others[file] = part(file, "rest", rest)
    wrong = {file for file, error in zip(others, pool.map(compiled, others.values())) if error}
    singles += [(file, function) for file in wrong for function in names[file]
                if not is_newer(names[file][function])]
    errors = pool.map(compiled, [part(file, function, [function]) for file, function in singles])
    for (file, function), error in zip(singles, errors):
        if error and is_newer(names[file][function]):
            newer += 1
        elif error:
            refused += 1
            lines = [line for line in error.splitlines() if "error" in line] or error.splitlines()
            print(f"REFUSED for {processor_of(file)}: {', '.join(names[file][function])}\n"
                  f"  {lines[0]}")
calls = sum(len(names[file]) for file in files)
asked = sum(len(of_call) for file in files for of_call in names[file].values())
print(f"{calls} calls under {asked} names tried in {len(files)} files, {refused} refused"
      + (f", {newer} newer than the assembler" if newer else ""))
sys.exit(refused != 0)
