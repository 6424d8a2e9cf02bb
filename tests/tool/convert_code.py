"""Whether the code that `heddle convert --code c|cuda|hip` writes converts.

    convert_code.py HEDDLE CLANG FOLDER

Every element of a tile gets its number, each register of the source those that the layout's bases say,
and each register of the destination must end up with its own. C is called for every register; CUDA
and HIP are whole programs, which `heddle run` runs on the simulator of PTX and on the emulator.
"""

import ctypes
import itertools
import json
import re
import subprocess
import sys

HEDDLE, CLANG, FOLDER = sys.argv[1:]
BLOCKED = "#ttg.blocked<{{sizePerThread = {}, threadsPerWarp = {}, warpsPerCTA = {}, order = {}}}>"

MFMA = "#ttg.amd_mfma<{{version = 4, warpsPerCTA = [1, 1], instrShape = [{}], isTransposed = true}}>"
DOT = "#ttg.dot_op<{{opIdx = 0, parent = " + MFMA + ", kWidth = 8}}>"

CASES = [  # processor, language, from, to, further options, way
    ("gfx1151", "hip", "v_wmma_f32_16x16x16_f16.D", "v_wmma_f32_16x16x16_f16.B", [], "lanes"),
    ("gfx1151", "hip", BLOCKED.format([1, 4], [8, 4], [1, 1], [1, 0]),
     BLOCKED.format([4, 1], [4, 8], [1, 1], [0, 1]), ["--tile", "16x16", "--type", "i8"], None),
    ("gfx1151", "hip", "rows:8", "v_wmma_f32_16x16x16_f16.A",
     ["--tile", "64x64", "--warps", "4"], "shared memory"),
    ("gfx1201", "hip", "v_wmma_f32_16x16x16_f16.D", "v_wmma_f32_16x16x16_f16.B",
     ["--k-order", "contiguous"], "nothing"),
    ("gfx942", "hip", "rows:8", "v_mfma_f32_32x32x8_f16.A",
     ["--tile", "64x64", "--warps", "2x2"], "shared memory"),
    ("gfx942", "hip", "v_mfma_f32_32x32x8_f16.D", "v_mfma_f32_32x32x8_f16.A",
     ["--tile", "32x32"], None),
    # A result as the operand of the next product: registers and lanes change places.
    ("gfx950", "hip", MFMA.format("32, 32, 16"), DOT.format("32, 32, 16"),
     ["--tile", "32x32", "--type", "bf16"], "lanes"),
    ("gfx950", "hip", MFMA.format("16, 16, 32"), DOT.format("16, 16, 32"),
     ["--tile", "16x32", "--type", "f16"], "lanes"),
    ("gfx950", "hip", "register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,8) -> m: 32, k: 16",
     "register: (0,1) (0,2) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,4) -> m: 32, k: 16",
     ["--type", "i8"], "lanes"),
    ("gfx950", "hip", "register: (0,1) (0,2); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,4) -> m: 32, k: 8",
     "register: (0,4) (0,1); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,2) -> m: 32, k: 8",
     ["--type", "f64"], "lanes"),
    ("gfx1250", "hip", "register: (0,1) (0,2); lane: (1,0) (2,0) (4,0) (8,0) (0,4) -> m: 16, k: 8",
     "register: (0,1) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,2) -> m: 16, k: 8",
     ["--type", "f32"], "lanes"),
    ("sm_80", "cuda", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.D",
     BLOCKED.format([1, 4], [16, 2], [1, 1], [1, 0]), ["--tile", "16x8", "--type", "f32"], "lanes"),
    ("sm_80", "cuda", BLOCKED.format([1, 8], [8, 4], [1, 1], [1, 0]),
     BLOCKED.format([4, 2], [4, 8], [1, 1], [0, 1]), ["--tile", "32x32", "--type", "f64"], None),
    ("sm_90", "cuda", "rows:8", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.A",
     ["--tile", "64x64", "--warps", "4"], "shared memory"),
    ("sm_90", "cuda", "rows:16", "columns:4", ["--tile", "64x64", "--type", "i8", "--warps", "2"],
     "shared memory"),
    ("sm_90", "cuda", "register: (0,1) (1,0); lane: (0,2) (0,4) (2,0) (4,0) (8,0) -> m: 16, n: 8",
     "register: (1,0) (0,1); lane: (0,2) (0,4) (2,0) (4,0) (8,0) -> m: 16, n: 8", ["--type", "f16"],
     "registers"),
]


def ask(*words):
    run = subprocess.run([HEDDLE, *words], capture_output=True, text=True, check=False)
    assert run.returncode == 0, (words, run.stdout, run.stderr)
    return run.stdout


class Map:
    """A linear map, from the text that it is written as."""

    def __init__(self, text):
        inputs, outputs = text.split("->")
        self.outputs = re.findall(r"(\w+): (\d+)", outputs)
        self.bases = {}
        for part in inputs.split(";"):
            name, words = part.split(":")
            self.bases[name.strip()] = [tuple(map(int, re.findall(r"\d+", word)))
                                        for word in re.findall(r"\(([^)]*)\)", words)]

    def size(self, axis):
        return 1 << len(self.bases.get(axis, []))

    def at(self, **point):
        sums = [0] * len(self.outputs)
        for axis, index in point.items():
            for bit, basis in enumerate(self.bases.get(axis, [])):
                if index >> bit & 1:
                    sums = [a ^ b for a, b in zip(sums, basis)]
        return sums

    def number(self, **point):
        """Of an element: its coordinates as one number."""
        number = 0
        for coordinate, (_, size) in zip(self.at(**point), self.outputs):
            number = number * int(size) + coordinate
        return number


def check_c(number, source, arguments):
    code = ask("convert", *arguments, "--code", "c")
    file, library = f"{FOLDER}/{number}.c", f"{FOLDER}/{number}.so"
    with open(file, "w", encoding="utf-8") as out:
        out.write(code.replace("static inline", "extern"))
    subprocess.run([CLANG, "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, file], check=True)
    loaded = ctypes.CDLL(library)
    axes = [axis for axis in ("register", "lane", "warp") if source.size(axis) > 1]
    compared = 0
    for point in itertools.product(*(range(source.size(axis)) for axis in axes)):
        wanted = source.at(**dict(zip(axes, point)))
        for (name, _), right in zip(source.outputs, wanted):
            if name == "block":
                continue
            found = getattr(loaded, "source_" + name.replace("register", "reg"))(*point)
            assert found == right, (arguments, point, name, found, right)
            compared += 1
    return compared


def gpu_check(number, language, plan, code):
    """The text of a function that returns how many registers agree, or -1: check() in a namespace."""
    start, end = Map(plan["from"]), Map(plan["to"])
    lanes, warps = start.size("lane"), start.size("warp")
    bits = plan["element_bits"]
    kind = {8: "unsigned char", 16: "unsigned short", 32: "unsigned int", 64: "unsigned long long"}[bits]

    def table(map_):
        return [map_.number(register=r, lane=l, warp=w) for w in range(warps) for l in range(lanes)
                for r in range(map_.size("register"))]

    shared = plan["chosen"]["shared_bytes"]
    further = "warp, shared" if shared else "warp"
    runtime = "hip" if language == "hip" else "cuda"
    return f"""namespace case{number} {{
{code}
constexpr int threads = {lanes * warps}, before = {start.size('register')}, after = {end.size('register')};
const unsigned first[] = {{{','.join(map(str, table(start)))}}};
const unsigned wanted[] = {{{','.join(map(str, table(end)))}}};
__global__ void move(const unsigned* in, unsigned* out, int shift) {{
  {f'__shared__ {kind} shared[{shared * 8 // bits}];' if shared else ''}
  const int thread = threadIdx.x, lane = thread % {lanes}, warp = thread / {lanes};
  {kind} source[before], destination[after];
  for (int r = 0; r < before; ++r) source[r] = in[thread * before + r] >> shift;
  convert(source, destination, lane, {further});
  for (int r = 0; r < after; ++r) out[thread * after + r] = destination[r];
}}
int check() {{
  unsigned *in, *out;
  static unsigned found[threads * after];
  {runtime}Malloc((void**)&in, sizeof first);
  {runtime}Malloc((void**)&out, sizeof found);
  {runtime}Memcpy(in, first, sizeof first, {runtime}MemcpyHostToDevice);
  int wrong = 0, compared = 0;
  for (int shift = 0; shift < 24; shift += 8) {{
    move<<<1, threads>>>(in, out, shift);
    {runtime}Memcpy(found, out, sizeof found, {runtime}MemcpyDeviceToHost);
    for (int i = 0; i < threads * after; ++i, ++compared)
      wrong += found[i] != ({kind})(wanted[i] >> shift);
  }}
  return wrong == 0 ? compared : -1;
}}
}}
"""


def check_gpu(language, arch, checks):
    """The checks of a processor are one program: its headers take longer to compile than they do."""
    calls = "".join(f'  std::printf("{number}: %d agree\\n", case{number}::check());\n' for number in checks)
    program = f"""
#include <{'hip/hip_runtime.h' if language == 'hip' else 'cuda_runtime.h'}>
#include <cstdio>
{''.join(checks.values())}
int main() {{
{calls}}}
"""
    file = f"{FOLDER}/{arch}.{'hip' if language == 'hip' else 'cu'}"
    with open(file, "w", encoding="utf-8") as out:
        out.write(program)
    said = ask("run", file, "--target", arch)
    found = {int(number): int(agree) for number, agree in re.findall(r"(\d+): (-?\d+) agree", said)}
    assert found.keys() == checks.keys() and min(found.values()) > 0, (arch, found, said[:2000])
    return sum(found.values())


compared = 0
programs = {}
for number, (arch, language, start, end, options, way) in enumerate(CASES):
    arguments = ["--arch", arch, "--from", start, "--to", end, *options]
    plan = json.loads(ask("convert", *arguments, "--format", "json"))
    assert way is None or plan["chosen"]["way"] == way, (number, plan["chosen"]["way"])
    compared += check_c(number, Map(plan["source"]), arguments)
    code = ask("convert", *arguments, "--code", language)
    programs.setdefault((language, arch), {})[number] = gpu_check(number, language, plan, code)
for (language, arch), checks in programs.items():
    compared += check_gpu(language, arch, checks)
print(f"{len(CASES)} conversions: {compared} registers agree")
