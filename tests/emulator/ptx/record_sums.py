#!/usr/bin/env python3
"""What an NVIDIA GPU computes, to the last bit, for each matrix instruction of sm_90a.

  record_sums.py check [TEXT]                     has ptxas assemble the kernels (no GPU needed)
  record_sums.py run RECORD [TEXT]                runs them on the first GPU through libcuda.so.1 and
                                                  writes RECORD, as tests/data/matrix_sums_h200.json.gz
  record_sums.py simulate HEDDLE RECORD [TEXT]    runs a quarter of them on the simulator, by the program
                                                  HEDDLE (no GPU needed)

TEXT selects the instructions with it in their names. It needs numpy, and neither the CUDA toolkit nor
Heddle. drawn_sums.py draws the operands. For every instruction and kind of operands the record holds a
hash of each block of 1024 sums, and the bits of 128 sums: those with the numbers
i * stride + i % stride, where stride = sums / 128. Sums are numbered by case, row and column.

Two kinds are proven by the recorder itself, and so the kernels and the places of elements: sums of
integers, and `whole`, small integers as floats. Each is compared with exact arithmetic.
"""
import base64
import ctypes
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import drawn_sums
from drawn_sums import FORMATS, INTEGERS, Sums, hash_of, kinds_of, width
from kernel_text import HEAD
from nvidia_gpu import Gpu, write
from sum_kernels import kernel

BLOCK = 1024  # sums of a hash
SUMS, SUMS_OF_INTEGERS = 16384, 4096  # of an instruction and a kind
SAMPLE = 128


@dataclasses.dataclass
class Instruction:
    mnemonic: str
    m: int
    n: int
    k: int
    a: str
    b: str
    c: str  # and D
    a_in_registers: bool = True
    blocks: int = 1  # products that one instruction does, each a case

    @property
    def name(self):
        return self.mnemonic + (", A in registers" if self.is_warpgroup and self.a_in_registers else "")

    @property
    def is_warpgroup(self):
        return self.mnemonic.startswith("wgmma")

    @property
    def is_sparse(self):
        """Then k counts the elements that A keeps, and B has twice as many."""
        return ".sp" in self.mnemonic

    @property
    def depth_of_b(self):
        return 2 * self.k if self.is_sparse else self.k

    @property
    def is_integer(self):
        return self.c in INTEGERS

    @property
    def saturates(self):
        return "satfinite" in self.mnemonic

    @property
    def threads(self):
        return 128 if self.is_warpgroup else 32

    @property
    def word_bytes(self):
        return 8 if self.c == "f64" else 4


def instructions():
    """mma.sync and wgmma of every type, dense and sparse, wgmma of three widths."""
    found = []

    def warp(m, k, c, a, b, saturates="", after="", blocks=1):
        found.append(Instruction("mma.sync.aligned.m%dn8k%d.row.col%s.%s.%s.%s.%s%s" % (
            m, k, saturates, c, a, b, c, after), m, 8, k, a, b, c, blocks=blocks))

    def warpgroup(n, k, c, a, b, in_registers, after=""):
        found.append(Instruction("wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s%s" % (
            n, k, c, a, b, after), 64, n, k, a, b, c, in_registers))

    def sparse(k, c, a, b):
        """Of `k` elements of a row of A half are kept."""
        if (c, width(a)) != ("f16", 8):  # which sm_90a has by wgmma alone
            found.append(Instruction("mma.sp::ordered_metadata.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s" % (
                k, c, a, b, c), 16, 8, k // 2, a, b, c))
        if k * width(a) == 512:
            found.append(Instruction("wgmma.mma_async.sp.sync.aligned.m64n64k%d.%s.%s.%s" % (
                k, c, a, b), 64, 64, k // 2, a, b, c))

    pairs = lambda types: [(a, b) for a in types for b in types]
    for k in (8, 16):
        warp(16, k, "f32", "f16", "f16")
        warp(16, k, "f16", "f16", "f16")
        warp(16, k, "f32", "bf16", "bf16")
    for k in (4, 8):
        warp(16, k, "f32", "tf32", "tf32")
    for m, k in ((8, 4), (16, 4), (16, 8), (16, 16)):
        warp(m, k, "f64", "f64", "f64")
    for k in (16, 32):
        for a, b in pairs(("e4m3", "e5m2")):
            warp(16, k, "f32", a, b)
            warp(16, k, "f16", a, b)
    for types, depths in ((("s8", "u8"), ((8, 16), (16, 16), (16, 32))),
                          (("s4", "u4"), ((8, 32), (16, 32), (16, 64)))):
        for m, k in depths:
            for a, b in pairs(types):
                for saturates in ("", ".satfinite"):
                    warp(m, k, "s32", a, b, saturates)
    for m, k in ((8, 128), (16, 128), (16, 256)):
        for operation in ("xor", "and"):
            warp(m, k, "s32", "b1", "b1", after=".%s.popc" % operation)

    for n, in_registers in ((8, False), (64, True), (256, False)):
        warpgroup(n, 16, "f32", "f16", "f16", in_registers)
        warpgroup(n, 16, "f16", "f16", "f16", in_registers)
        warpgroup(n, 16, "f32", "bf16", "bf16", in_registers)
        warpgroup(n, 8, "f32", "tf32", "tf32", in_registers)
        for a, b in pairs(("e4m3", "e5m2")):
            warpgroup(n, 32, "f32", a, b, in_registers)
            warpgroup(n, 32, "f16", a, b, in_registers)
        for a, b in pairs(("s8", "u8")):
            for saturates in ("", ".satfinite"):
                warpgroup(n, 32, "s32", a, b, in_registers, saturates)
        warpgroup(n, 256, "s32", "b1", "b1", in_registers, ".and.popc")

    for c in ("f32", "f16"):
        warp(8, 4, c, "f16", "f16", blocks=4)
    for scale in (1, 2):
        sparse(16 * scale, "f32", "f16", "f16")
        sparse(16 * scale, "f16", "f16", "f16")
        sparse(16 * scale, "f32", "bf16", "bf16")
        sparse(8 * scale, "f32", "tf32", "tf32")
        for a, b in pairs(("s8", "u8")):
            sparse(32 * scale, "s32", a, b)
    for a, b in pairs(("e4m3", "e5m2")):
        sparse(64, "f32", a, b)
        sparse(64, "f16", a, b)
    return found


# --- where elements lie ---------------------------------------------------------------------------


class Places:
    """For each operand the element that each part of each word holds: [word][part], words of registers
    being [register][thread]. These are the figures of the PTX ISA, sections of mma and wgmma fragments,
    and of shared memory without a swizzle: rows of 16 bytes, 8 rows to a core matrix, first all core
    matrices of 8 rows."""

    def __init__(self, instruction):
        i = instruction
        if i.blocks > 1:
            return self.quad_pairs(i)
        thread = np.arange(i.threads)
        row, column, warp = thread % 32 // 4, thread % 4, thread // 32
        bits = 8 * i.word_bytes

        parts = bits // width(i.a)
        part = np.arange(parts)
        if i.a_in_registers:
            self.a_registers = i.m * i.k // i.threads // parts
            r = np.arange(self.a_registers)
            high = r % 2 if i.m > 8 else r * 0
            step = r // 2 if i.m > 8 else r
            m = (16 * warp + row)[None, :, None] + 8 * high[:, None, None]
            k = part + parts * column[None, :, None] + 4 * parts * step[:, None, None]
            self.a = (m * i.k + k).reshape(-1, parts)
        else:
            self.a = self.core_matrices(i.m, i.k, width(i.a))
        if i.is_warpgroup:
            self.b = self.core_matrices(i.n, i.depth_of_b, width(i.b))
        else:
            parts = bits // width(i.b)
            r = np.arange(i.n * i.depth_of_b // 32 // parts)
            k = np.arange(parts) + parts * column[None, :, None] + 4 * parts * r[:, None, None]
            self.b = (row[None, :, None] * i.depth_of_b + k).reshape(-1, parts)
            self.b_registers = len(r)

        parts = bits // width(i.c)
        self.c_registers = i.m * i.n // i.threads // parts
        j = np.arange(self.c_registers)[:, None, None] * parts + np.arange(parts)
        high, block = (j // 2 % 2, j // 4) if i.m > 8 else (j * 0, j // 2)
        m = (16 * warp + row)[None, :, None] + 8 * high
        n = 2 * column[None, :, None] + j % 2 + 8 * block
        self.c = (m * i.n + n).reshape(-1, parts)
        # The metadata of a sparse A follow it as one more register.
        self.words = [len(self.a) + (i.threads if i.is_sparse else 0), len(self.b), len(self.c)]

    def quad_pairs(self, i):
        """m8n8k4: four lanes and the four 16 lanes behind them have a product."""
        lane = np.arange(32)
        block, row = lane % 16 // 4, lane % 4 + lane // 16 * 4
        parts = 32 // width(i.c)
        self.a_registers = self.b_registers = 2
        self.c_registers = 8 // parts
        k = np.arange(2)[:, None, None] * 2 + np.arange(2)
        self.a = self.b = ((block * 8 + row)[None, :, None] * 4 + k).reshape(-1, 2)
        j = np.arange(self.c_registers)[:, None, None] * parts + np.arange(parts)
        m, n = row[None, :, None] + 0 * j, j
        if i.c == "f32":
            m = (lane % 2 + lane // 16 * 4)[None, :, None] + (j & 2)
            n = (lane & 2)[None, :, None] + (j & 4) + (j & 1)
        self.c = ((block[None, :, None] * 8 + m) * 8 + n).reshape(-1, parts)
        self.words = [len(self.a), len(self.b), len(self.c)]

    @staticmethod
    def core_matrices(rows, depth, bits):
        parts, row_bytes = 32 // bits, depth * bits // 8
        at = np.arange(rows * row_bytes // 4) * 4  # the byte of a word
        row = at // (8 * row_bytes) * 8 + at % 128 // 16
        k = (at % (8 * row_bytes) // 128 * 16 + at % 16) * 8 // bits
        return (row * depth + k)[:, None] + np.arange(parts)


def packed(elements, places, bits, word_bytes):
    """Words [...][word] of elements [...][element]."""
    dtype = np.uint64 if word_bytes == 8 else np.uint32
    words = np.zeros(elements.shape[:-1] + (len(places),), dtype)
    for part in range(places.shape[1]):
        words |= elements[..., places[:, part]].astype(dtype) << dtype(part * bits)
    return words


def unpacked(words, places, bits, count):
    elements = np.zeros(words.shape[:-1] + (count,), words.dtype)
    mask = words.dtype.type((1 << bits) - 1)
    for part in range(places.shape[1]):
        elements[..., places[:, part]] = words >> words.dtype.type(part * bits) & mask
    return elements


# --- kernels --------------------------------------------------------------------------------------


def check(chosen):
    """With ptxas; kernels of one call are named apart."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernels.ptx")
        with open(path, "w") as file:
            file.write(HEAD)
            for number, i in enumerate(chosen):
                text = kernel(i, Places(i))[len(HEAD):].replace("entry k(", "entry k%d(" % number)
                file.write(re.sub(r"\bmemory\b", "memory%d" % number, text))
        done = subprocess.run(["ptxas", "-arch=sm_90a", "-O1", path, "-o", os.path.join(folder, "kernels.cubin")],
                              capture_output=True, text=True)
    print((done.stdout + done.stderr)[:4000], end="")
    print(len(chosen), "kernels,", "all taken by ptxas" if done.returncode == 0 else "refused")
    return done.returncode


# --- the record -----------------------------------------------------------------------------------


def element_values(element, bits):
    """Exact values of integers, and of floats that are whole."""
    if element in FORMATS:
        f = FORMATS[element]
        field = (bits >> np.uint64(f.fraction)).astype(np.int64) & f.ones
        fraction = (bits & np.uint64((1 << f.fraction) - 1)).astype(np.float64)
        value = np.where(field > 0, np.ldexp(fraction + 2.0 ** f.fraction, field - f.bias - f.fraction), 0)
        return np.where(bits >> np.uint64(f.bits - 1) & np.uint64(1), -value, value).astype(np.int64)
    value = bits.astype(np.int64)
    if element.startswith("s"):
        value -= (value >> INTEGERS[element] - 1) << INTEGERS[element]
    return value


def exact_sums(i, drawn):
    """D of sums that are exact, or of integers: [case][m][n]."""
    a, b = element_values(i.a, drawn.a), element_values(i.b, drawn.b)
    d = element_values(i.c, drawn.c)
    for step in range(drawn.steps):
        # Products of integers in float64 are exact here, and their matrix products quick.
        x, y = a[:, step].astype(np.float64), b[:, step].astype(np.float64).swapaxes(-1, -2)
        products = x @ y
        if ".xor." in i.mnemonic:
            products = x.sum(-1)[:, :, None] + y.sum(-2)[:, None, :] - 2 * products
        d = d + products.astype(np.int64)
        if i.is_integer:
            d = np.clip(d, -2 ** 31, 2 ** 31 - 1) if i.saturates else (d + 2 ** 31) % 2 ** 32 - 2 ** 31
    if i.is_integer:
        return d.astype(np.uint64) & np.uint64(0xffffffff)
    return Sums.whole(FORMATS[i.c], d)


class OnGpu:
    """Runs kernels through the driver."""

    def __init__(self):
        self.gpu = Gpu()
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        self.described = self.gpu.described("tests/emulator/ptx/record_sums.py")

    def load(self, text):
        if self.module:
            self.gpu.call("cuModuleUnload", self.module)
        self.gpu.call("cuModuleLoadData", ctypes.byref(self.module), text.encode() + b"\0")
        self.gpu.call("cuModuleGetFunction", ctypes.byref(self.function), self.module, b"k")

    def buffer(self, data):
        address, size = ctypes.c_uint64(), ctypes.c_size_t(data.nbytes)
        self.gpu.call("cuMemAlloc_v2", ctypes.byref(address), size)
        self.gpu.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(data.ctypes.data), size)
        return address

    def launch(self, arrays, steps, cases, threads, dynamic):
        addresses = [self.buffer(x) for x in arrays]
        arguments = addresses + [ctypes.c_uint32(steps)]
        pointers = (ctypes.c_void_p * len(arguments))(
            *[ctypes.cast(ctypes.byref(x), ctypes.c_void_p) for x in arguments])
        if dynamic > 49152:
            self.gpu.call("cuFuncSetAttribute", self.function, 8, dynamic)
        self.gpu.call("cuLaunchKernel", self.function, cases, 1, 1, threads, 1, 1, dynamic, None, pointers, None)
        self.gpu.call("cuCtxSynchronize")
        d = arrays[3]
        self.gpu.call("cuMemcpyDtoH_v2", ctypes.c_void_p(d.ctypes.data), addresses[3], ctypes.c_size_t(d.nbytes))
        for address in addresses:
            self.gpu.call("cuMemFree_v2", address)
        return d


class OnSimulator:
    """Runs kernels on Heddle's simulator of PTX, by `heddle run` and a launch file."""

    def __init__(self, heddle):
        self.heddle, self.folder = heddle, tempfile.TemporaryDirectory()
        self.described = dict(gpu="Heddle's simulator", by="tests/emulator/ptx/record_sums.py")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def load(self, text):
        with open(self.path("kernel.ptx"), "w") as file:
            file.write(text)

    def launch(self, arrays, steps, cases, threads, dynamic):
        lines = ["kernel k", "grid %d" % cases, "block %d" % threads, "lds %d" % dynamic]
        for name, x in zip("ABCD", arrays):
            x.tofile(self.path(name))
            lines.append("%s = u%d[%d] file %s" % (name, 8 * x.itemsize, x.size, self.path(name)))
        lines.append("arguments A B C D %d" % steps)
        with open(self.path("kernel.launch"), "w") as file:
            file.write("\n".join(lines) + "\n")
        done = subprocess.run([self.heddle, "run", self.path("kernel.ptx"), self.path("kernel.launch"), "--device",
                               "ptx:sm_90a", "--dump", "D=" + self.path("D.npy")], capture_output=True, text=True)
        if not os.path.exists(self.path("D.npy")):
            raise RuntimeError((done.stderr + done.stdout).split("\n")[0])
        d = np.load(self.path("D.npy")).reshape(arrays[3].shape)
        os.remove(self.path("D.npy"))
        return d


# Of four elements of a row (of two of tf32) the kept ones, and the metadata that say so.
KEPT = {(0, 1): 0x44444444, (0, 2): 0x88888888, (0, 3): 0xcccccccc, (1, 2): 0x99999999, (1, 3): 0xdddddddd,
        (2, 3): 0xeeeeeeee}
KEPT_OF_TF32 = {(0,): 0x44444444, (1,): 0xeeeeeeee}


def spread_over_dense(i, b):
    """Where a sparse A keeps the same elements everywhere: B with these rows, and NaN or 0xff between
    them, and the metadata. Case c has pattern c modulo their number."""
    patterns = KEPT_OF_TF32 if i.a == "tf32" else KEPT
    wide = np.full(b.shape[:-1] + (2 * i.k,), (1 << width(i.b)) - 1, np.uint64)
    metadata = np.zeros(len(b), np.uint32)
    j = np.arange(i.k)
    for number, (kept, word) in enumerate(patterns.items()):
        k = j // len(kept) * 2 * len(kept) + np.array(kept)[j % len(kept)]
        cases = np.arange(number, len(b), len(patterns))
        wide[cases[:, None], :, :, k[None, :]] = np.moveaxis(b[cases], -1, 1)
        metadata[cases] = word
    return wide, metadata


def computed(machine, i, places, drawn):
    """D of every case: [case][m * n]."""
    b, metadata = spread_over_dense(i, drawn.b) if i.is_sparse else (drawn.b, None)
    arrays = []
    for x, at, element in ((drawn.a, places.a, i.a), (b, places.b, i.b), (drawn.c[:, None], places.c, i.c)):
        # [case][step][element], or those of all cases of an instruction together.
        x = x.reshape(drawn.cases // i.blocks, i.blocks, x.shape[1], -1).swapaxes(1, 2)
        x = x.reshape(x.shape[:2] + (-1,))
        arrays.append(packed(x, at, width(element), i.word_bytes))
    if i.is_sparse:
        words = np.broadcast_to(metadata[:, None, None], arrays[0].shape[:2] + (i.threads,))
        arrays[0] = np.concatenate([arrays[0], words], -1)
    arrays = [np.ascontiguousarray(x) for x in arrays]
    arrays.append(np.full_like(arrays[2], 0xa5a5a5a5))
    dynamic = 0
    if i.is_warpgroup:
        dynamic = drawn.steps * 4 * (places.words[1] + (0 if i.a_in_registers else places.words[0]))
    d = machine.launch(arrays, drawn.steps, drawn.cases // i.blocks, i.threads, dynamic)
    return unpacked(d, places.c, width(i.c), i.blocks * i.m * i.n).reshape(drawn.cases, -1)


def sample_of(bits):
    """Numbers of the sums that a record holds as they are."""
    i = np.arange(SAMPLE, dtype=np.int64)
    stride = len(bits) // SAMPLE
    return bits[i * stride + i % stride]


def recorded(i, kind, drawn, d):
    bits = d.reshape(-1).astype(np.uint64)
    size = width(i.c) // 8
    return dict(kind=kind, steps=drawn.steps, sums=len(bits),
                operands=["%016x" % x for x in drawn.operands_hash()],
                hashes=["%016x" % int(x) for x in hash_of(bits.reshape(-1, BLOCK))],
                sample=base64.b64encode(sample_of(bits).astype("<u%d" % size).tobytes()).decode())


class Record:
    """What was recorded, and how many of the exact sums came out."""

    def __init__(self, machine, sums):
        self.machine, self.sums = machine, sums
        self.rows, self.total, self.proven, self.wrong, self.failed = [], 0, 0, 0, 0

    def add(self, i):
        places, kinds = Places(i), []
        text = kernel(i, places)
        self.machine.load(text)
        for kind in kinds_of(i):
            drawn = Sums(i, kind, SUMS_OF_INTEGERS if i.is_integer else self.sums)
            d = computed(self.machine, i, places, drawn)
            if i.is_integer or kind == "whole":
                self.prove(i, kind, d, exact_sums(i, drawn).reshape(d.shape))
            kinds.append(recorded(i, kind, drawn, d))
        count = sum(kind["sums"] for kind in kinds)
        self.total += count
        self.rows.append(dict(name=i.name, m=i.m, n=i.n, k=i.k, a=i.a, b=i.b, c=i.c, ptx=text, kinds=kinds))
        print("%-75s %7d sums, %d kinds" % (i.name, count, len(kinds)), flush=True)

    def prove(self, i, kind, got, expected):
        different = int((got != expected).sum())
        self.proven, self.wrong = self.proven + got.size, self.wrong + different
        if different:
            print("%s, %s: %d of %d sums are not the exact ones" % (i.name, kind, different, got.size))

    def finish(self, path, seconds):
        described = self.machine.described
        write(path, dict(described, block=BLOCK, sample=SAMPLE, instructions=self.rows))
        print("%d sums of %d instructions in %.0f s on %s; %d instructions failed; of %d exact sums %d differ" % (
            self.total, len(self.rows), seconds, described["gpu"], self.failed, self.proven, self.wrong))
        return self.wrong != 0 or self.failed != 0


def record(machine, path, chosen, sums):
    done, began = Record(machine, sums), time.time()
    for i in chosen:
        try:
            done.add(i)
        except RuntimeError as error:
            done.failed += 1
            print("%s: %s" % (i.name, error), flush=True)
    return done.finish(path, time.time() - began)


COMMANDS = {"check": 0, "run": 1, "simulate": 2}  # and their arguments


def main():
    if len(sys.argv) < 2 or len(sys.argv) < 2 + COMMANDS.get(sys.argv[1], 9):
        sys.exit(__doc__)
    command, arguments = sys.argv[1], sys.argv[2:]
    text = arguments[COMMANDS[command]:]
    chosen = [i for i in instructions() if not text or text[0] in i.name]
    if not chosen:
        sys.exit("no instruction has `%s` in its name" % text[0])
    if command == "check":
        sys.exit(check(chosen))
    if command == "run":
        sys.exit(record(OnGpu(), arguments[0], chosen, SUMS))
    sys.exit(record(OnSimulator(arguments[0]), arguments[1], chosen, SUMS // 4))


if __name__ == "__main__":
    main()
