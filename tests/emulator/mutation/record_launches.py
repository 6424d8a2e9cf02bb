"""Records launches of Triton's kernels for Hopper as ptx_mutation_table takes them: PTX, the bytes of the
arguments, and memory at fixed addresses.

    PYTHONPATH=build/python python3 tests/emulator/mutation/record_launches.py

It runs recorded code (tests/data/triton_recorded.xz), so that Triton itself need not be there. A launch is kept
if its kernel has an asynchronous copy, a barrier in memory or a matrix instruction of a warpgroup, and its result
is right by numpy.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import gzip
import io
import json
import mmap
import pathlib
import sys
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python" / "tests" / "triton_launches"))

import launched  # noqa: E402
import numpy as np  # noqa: E402
import recorded  # noqa: E402
import triton  # noqa: E402
from cases import CASES  # noqa: E402

import heddle.triton  # noqa: E402
from heddle.triton import Array  # noqa: E402

TARGET = "sm_90a"
WORDS = ("wgmma.", "mbarrier.", "cp.async")
LARGEST = 165_000  # bytes of the memory of a launch
BASE = 0x1000_0000_0000
MAP_FIXED_NOREPLACE = 0x100000

_next = BASE
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]


def fixed(array: Any) -> Any:
    """A copy of an array at the next fixed address."""
    global _next
    pages = (array.nbytes // 4096 + 2) * 4096
    at = _libc.mmap(
        _next, pages, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0
    )
    assert at == _next, "the fixed addresses are taken"
    _next += pages
    raw = (ctypes.c_uint8 * max(array.nbytes, 1)).from_address(at)
    copy = np.frombuffer(raw, np.uint8, array.nbytes).view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


_plain_init = Array.__init__


def _init(self: Array, array: Any, dtype: str = "") -> None:
    _plain_init(self, fixed(array), dtype)
    self.memory = (self.data_ptr(), int(array.nbytes))


class Kernel:
    """A kernel that notes what it is launched with."""

    def __init__(self, kernel: Any, rows: list[Any]) -> None:
        self._kernel, self._rows = kernel, rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)

    def launch(self, **words: Any) -> Any:
        memory = [
            {
                "address": start,
                "name": name,
                "bytes": base64.b64encode(ctypes.string_at(start, size)).decode(),
            }
            for start, size, name, *_ in words["memory"]
        ]
        self._rows.append(
            {
                "grid": list(words["grid"]),
                "threads": words["block"][0],
                "shared": words["shared"],
                "cluster": list(words["cluster"]),
                "image": base64.b64encode(bytes(words["arguments"])).decode(),
                "memory": memory,
            }
        )
        return self._kernel.launch(**words)


def main() -> None:
    Array.__init__ = _init  # type: ignore[method-assign]
    kernels = []
    for entry in recorded.read():
        text = entry.code.decode(errors="replace")
        case = CASES[entry.case]
        if entry.target != TARGET or case.fails or not any(word in text for word in WORDS):
            continue
        heddle.triton.activate(entry.target, check=False)
        triton.set_allocator(lambda size, align, stream: Array(np.zeros(size, np.int8)))
        rows: list[Any] = []
        driver = triton.runtime.driver.active
        plain = driver.utils.load_binary

        def load(*words: Any) -> Any:
            loaded = plain(*words)
            loaded[1].kernel = Kernel(loaded[1].kernel, rows)
            return loaded

        driver.utils.load_binary = load
        try:
            arguments = list(case.make(np.random.default_rng(len(entry.case))))
            with contextlib.redirect_stdout(io.StringIO()):
                launched.launch(entry, case, arguments)
            case.check(*arguments)
        except Exception as reason:  # noqa: BLE001
            print(f"{entry.case}: {type(reason).__name__}: {reason}")
            continue
        finally:
            driver.utils.load_binary = plain
        size = sum(len(part["bytes"]) * 3 // 4 for row in rows for part in row["memory"])
        if len(rows) != 1 or size > LARGEST:
            print(f"{entry.case}: {len(rows)} launches, {size} bytes")
            continue
        kernels.append({"name": f"{entry.case} {entry.target}", "target": entry.target, "ptx": text, **rows[0]})
    file = {"source": "Triton 3.6.0; tests/emulator/mutation/record_launches.py", "kernels": kernels}
    path = ROOT / "tests" / "data" / "hopper_kernels.json.gz"
    path.write_bytes(gzip.compress(json.dumps(file).encode(), 9, mtime=0))
    print(f"{len(kernels)} launches, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
