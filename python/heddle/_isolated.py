"""Devices whose code is loaded and run in a process of its own, for code objects and PTX that nobody vouches for."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO, Any, Optional, Union

from ._arguments import Memory
from ._core import Error
from ._run import Run, run_of

__all__ = ["Worker", "serve"]

# Python of the same kind without its site packages: the process imports this package, and no other.
_program = "import sys; sys.path.insert(0, sys.argv[1]); from heddle import _isolated; _isolated.serve()"
_page = 4096
# The addresses of the other process are random. It is started anew when the arrays' are taken there.
_tries = 8

Fields = dict[str, Any]


def _send(to: IO[bytes], fields: Fields, blobs: Sequence[Union[bytes, memoryview]] = ()) -> None:
    head = json.dumps({**fields, "blobs": [len(each) for each in blobs]}).encode()
    to.write(len(head).to_bytes(8, "little") + head)
    for each in blobs:
        to.write(each)
    to.flush()


def _read(source: IO[bytes], size: int) -> bytes:
    data = source.read(size)
    if len(data) != size:
        raise EOFError
    return data


def _receive(source: IO[bytes], sizes: Optional[Sequence[int]] = None) -> tuple[Fields, list[bytes]]:
    """A message. `sizes` are those that its blobs may have: what comes from the process is trusted in nothing."""
    size = int.from_bytes(_read(source, 8), "little")
    if sizes is not None and size > 1 << 30:
        raise ValueError("a message of more than 1 GiB")
    fields = json.loads(_read(source, size))
    found = fields.pop("blobs")
    if sizes is not None and found not in ([], list(sizes)):
        raise ValueError("other arrays than were given")
    return fields, [_read(source, each) for each in found]


# --- the process that asks -----------------------------------------------------------------------


class Worker:
    """The process of a device, which is started when it is needed, and again behind its end."""

    def __init__(self, target: str, threads: int, limits: Fields) -> None:
        self._opening = {"target": target, "threads": threads, **limits}
        self._lock = threading.Lock()
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._loaded: dict[int, int] = {}  # of modules of this process their numbers in the other
        with self._lock:
            self.wave = int(self._start()["wave"])

    def load(self, key: int, code: bytes, name: str) -> list[Fields]:
        """The kernels of some code: their names and parameters."""
        with self._lock:
            kernels: list[Fields] = self._load(key, code, name)["kernels"]
            return kernels

    def run(self, key: int, code: bytes, name: str, launch: Fields, memory: Sequence[Memory]) -> Run:
        """Runs a kernel of the module on copies of the memory, and brings back what may be written."""
        parts = list(memory)
        written = [(address, size) for address, size, _, writable in parts if writable]
        given = [_own_memory(address, size, name) for address, size, name, _ in parts]
        with self._lock:
            for _ in range(_tries):
                if self._process is None:
                    self._start()
                if key not in self._loaded:
                    self._load(key, code, name)
                fields = {**launch, "module": self._loaded[key], "memory": parts}
                answer, blobs = self._ask(fields, given, [size for _, size in written])
                if "taken" not in answer:
                    break
                self._end()
            else:
                raise Error(f"the process of the device has no room for the arrays where they are: {answer['taken']}")
        for (address, size), data in zip(written, blobs):
            ctypes.memmove(address, data, size)
        return run_of(answer["report"], {}, [])

    def close(self) -> None:
        with self._lock:
            self._end()

    def _start(self) -> Fields:
        if not sys.executable:
            raise Error("a device of a process of its own needs Python's program (sys.executable), which is not known")
        environment = {name: value for name, value in os.environ.items() if name != "HEDDLE_TRITON"}
        here = str(pathlib.Path(__file__).resolve().parent.parent)
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", _program, here], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        return self._ask(self._opening)[0]

    def _load(self, key: int, code: bytes, name: str) -> Fields:
        if self._process is None:
            self._start()
        answer = self._ask({"load": name}, [code])[0]
        self._loaded[key] = answer["module"]
        return answer

    def _ask(
        self, fields: Fields, blobs: Sequence[bytes] = (), sizes: Sequence[int] = ()
    ) -> tuple[Fields, list[bytes]]:
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        try:
            _send(process.stdin, fields, blobs)
            answer, got = _receive(process.stdout, sizes)
        except (OSError, EOFError, ValueError, KeyError, TypeError) as reason:
            raise Error(f"the process of the device {self._end() or 'gave no sensible answer'}") from reason
        except BaseException:  # Control-C: an answer would come to the wrong question
            self._end()
            raise
        if "error" in answer:
            raise Error(str(answer["error"]))
        return answer, got

    def _end(self) -> str:
        """Ends the process, and says how it ended if it did so by itself."""
        process, self._process = self._process, None
        self._loaded.clear()
        if process is None:
            return ""
        for pipe in (process.stdin, process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass
        try:
            status = process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return ""
        return f"was ended by signal {-status}" if status < 0 else f"ended with {status}" if status else ""


def _own_memory(address: int, size: int, name: str) -> bytes:
    """The bytes of an array of this process. Raises Error where there are none."""
    data, place = bytearray(), os.open("/proc/self/mem", os.O_RDONLY)
    try:
        while len(data) < size:
            data += os.pread(place, size - len(data), address + len(data))
    except (OSError, OverflowError):
        raise Error(f"array {name} would have {size} bytes at address {address:#x}: there is no such memory") from None
    finally:
        os.close(place)
    return bytes(data)


# --- the process of the device -------------------------------------------------------------------


def serve() -> None:
    """Answers a Worker until it closes the pipe."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else is written among the answers
    server = _Server()
    while True:
        try:
            fields, blobs = _receive(questions)
        except EOFError:
            return
        try:
            answer, back = server.answer(fields, blobs)
        except (Error, TypeError, ValueError) as reason:
            answer, back = {"error": str(reason)}, []
        _send(answers, answer, back)


class _Server:
    def __init__(self) -> None:
        self.device: Any = None
        self.modules: list[Any] = []
        self.mapped: list[tuple[int, int]] = []

    def answer(self, fields: Fields, blobs: list[bytes]) -> tuple[Fields, list[bytes]]:
        from ._device import Device

        if "target" in fields:
            self.device = Device(**fields)
            return {"wave": self.device.wave}, []
        if "load" in fields:
            self.modules.append(self.device.load(blobs[0], fields["load"]))
            kernels = [
                {"name": name, "parameters": kernel.parameters, "parameter_names": kernel.parameter_names}
                for name, kernel in self.modules[-1]._kernels.items()
            ]
            return {"module": len(self.modules) - 1, "kernels": kernels}, []
        memory = fields.pop("memory")
        kernel = self.modules[fields.pop("module")][fields.pop("kernel")]
        try:
            if taken := self.map(memory):
                return {"taken": taken}, []
            for (address, size, _, _), data in zip(memory, blobs):
                ctypes.memmove(address, data, size)
            fields["arguments"] = bytes.fromhex(fields["arguments"])
            run = kernel.launch(memory=[tuple(each) for each in memory], **fields)
            back = [ctypes.string_at(address, size) for address, size, _, writable in memory if writable]
            return {"report": run.report}, back
        finally:
            self.unmap()

    def map(self, memory: Sequence[Sequence[Any]]) -> str:
        """Makes memory where the arrays of the other process are. Returns what is taken, or nothing."""
        for first, end in _pages(memory):
            at = _libc.mmap(first, end - first, _readable | _writable, _private | _anonymous | _not_replacing, -1, 0)
            if at == first:
                self.mapped.append((first, end - first))
                continue
            if at not in (None, ctypes.c_void_p(-1).value):
                self.mapped.append((at, end - first))
            return f"{first:#x} to {end:#x}"
        return ""

    def unmap(self) -> None:
        for first, size in self.mapped:
            _libc.munmap(first, size)
        self.mapped.clear()


def _pages(memory: Sequence[Sequence[Any]]) -> list[tuple[int, int]]:
    """The pages of some arrays, where they touch together."""
    ranges: list[tuple[int, int]] = []
    for address, size, _, _ in sorted(memory, key=lambda each: int(each[0])):
        first, end = address // _page * _page, -(-(address + size) // _page) * _page
        if size == 0:
            continue
        if ranges and first <= ranges[-1][1]:
            ranges[-1] = ranges[-1][0], max(ranges[-1][1], end)
        else:
            ranges.append((first, end))
    return ranges


# Linux, <sys/mman.h>.
_readable, _writable, _private, _anonymous, _not_replacing = 1, 2, 2, 0x20, 0x100000
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
