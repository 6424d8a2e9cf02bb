"""Running compiled kernels in this process: code objects and PTX, on arrays of Python's where they are."""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import pathlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Optional, Union

from . import _native
from ._arguments import Memory, packed
from ._core import Error
from ._isolated import Worker
from ._run import Run, run_of

__all__ = ["Device", "Kernel", "Module"]

Sizes = Union[int, Sequence[int]]


class Device:
    """A device of software for one processor: ``Device("gfx942")``, ``Device("sm_90a")``.

    With `check` every launch is checked (docs/checker.md), unless it says otherwise. `threads` of the host run
    the workgroups of a launch; 0 are as many as there are cores. `wave` are the lanes of a wave.

    The budgets of a launch are as docs/trust.md says where they are 0: `limit` instructions of a workgroup,
    `limit_run` of all, `limit_memory` bytes of the host, and of PTX `limit_bulk_bytes` that bulk copies move and
    `limit_pending` operations that are not waited for.

    With `isolated` code is loaded and run in a process of its own, on copies of the arrays, which come back behind
    the launch: for code that nobody vouches for. Where that process ends, Error is raised, and the next launch has
    a new one, in which variables of modules have their first values.
    """

    def __init__(
        self,
        target: str,
        check: bool = False,
        threads: int = 0,
        limit: int = 0,
        *,
        limit_run: int = 0,
        limit_memory: int = 0,
        limit_bulk_bytes: int = 0,
        limit_pending: int = 0,
        isolated: bool = False,
    ) -> None:
        if not isinstance(target, str):
            raise TypeError(f"a target is a name such as 'gfx942', not {type(target).__name__}")
        self.target, self.check, self.threads, self.limit = target, check, threads, limit
        self._limits = {
            "limit": limit,
            "limit_run": limit_run,
            "limit_memory": limit_memory,
            "limit_bulk_bytes": limit_bulk_bytes,
            "limit_pending": limit_pending,
        }
        self._worker = Worker(target, threads, self._limits) if isolated else None
        if self._worker:
            self.wave = self._worker.wave
            return
        self._library = _native.library()
        self._handle = self._library.heddle_open(target.encode())
        if not self._handle:
            raise _native.refusal()
        self.wave = int(self._library.heddle_wave(self._handle))

    def load(self, code: Union[bytes, str, os.PathLike[str]], name: str = "") -> Module:
        """The kernels of a code object, an offload bundle, or the text of PTX; or of a file of these.

        `name` is the file that places in PTX without lines of a source are named by. Raises Error for code
        that is for another processor, or broken.
        """
        if isinstance(code, os.PathLike):
            path = pathlib.Path(code)
            try:
                return self.load(path.read_bytes(), name or path.name)
            except OSError as reason:
                raise Error(f"{path} cannot be read: {reason.strerror}") from None
        if isinstance(code, str):
            code = code.encode()
        elif not isinstance(code, (bytes, bytearray, memoryview)):
            raise TypeError(f"code is bytes, a text of PTX or a path, not {type(code).__name__}")
        return (_IsolatedModule if self._worker else Module)(self, bytes(code), name)

    def __repr__(self) -> str:
        return f"heddle.Device({self.target!r})"

    def __del__(self) -> None:
        if worker := getattr(self, "_worker", None):
            worker.close()
        if getattr(self, "_handle", None):
            self._library.heddle_close(self._handle)


class Module:
    """Loaded code. Its variables keep their values from launch to launch."""

    def __init__(self, device: Device, code: bytes, name: str) -> None:
        self.device = device
        self._library = device._library
        self._handle = self._library.heddle_load(
            device._handle, code, len(code), name.encode() if name else None
        )
        if not self._handle:
            raise _native.refusal()
        self._kernels = {
            kernel.name: kernel
            for kernel in (
                Kernel(self, self._library.heddle_kernel_at(self._handle, number))
                for number in range(self._library.heddle_kernel_count(self._handle))
            )
        }

    @property
    def kernels(self) -> list[str]:
        """The names (symbols) of the kernels."""
        return list(self._kernels)

    def __getitem__(self, name: str) -> Kernel:
        try:
            return self._kernels[name]
        except KeyError:
            names = ", ".join(self._kernels) or "none"
            raise Error(f"the module has no kernel {name!r}; it has {names}") from None

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.heddle_unload(self._handle)


class Parameter(NamedTuple):
    """A parameter: its place among the argument bytes."""

    offset: int
    size: int


class Kernel:
    """A kernel of a module."""

    def __init__(self, module: Module, handle: int) -> None:
        self._module, self._handle = module, handle
        self._library = library = module._library
        #: The symbol.
        self.name: str = library.heddle_kernel_name(handle).decode(errors="replace")
        found = [_native.Parameter() for _ in range(library.heddle_parameter_count(handle))]
        for number, each in enumerate(found):
            library.heddle_parameter_at(handle, number, ctypes.byref(each))
        #: Of each parameter its offset and size in bytes.
        self.parameters = [Parameter(each.offset, each.size) for each in found]
        #: Of each parameter its name; "" where the code has none.
        self.parameter_names = [each.name.decode(errors="replace") for each in found]

    def __call__(
        self,
        grid: Sizes,
        block: Sizes,
        *arguments: Any,
        shared: int = 0,
        cluster: Optional[Sizes] = None,
        cooperative: bool = False,
        check: Optional[bool] = None,
    ) -> Run:
        """Runs the kernel. Arrays of numpy, CPU tensors of torch, and others with DLPack are used where they
        are; numbers are converted to the size of their parameter.

        Raises Error for a launch that does not fit the kernel. What the kernel does wrong is in the result.
        """
        bytes_of, memory, alive = packed(self, arguments)
        run = self.launch(
            grid,
            block,
            bytes_of,
            memory,
            shared=shared,
            cluster=(0, 0, 0) if cluster is None else cluster,
            cooperative=cooperative,
            check=check,
        )
        del alive
        return run

    def launch(
        self,
        grid: Sizes,
        block: Sizes,
        arguments: bytes = b"",
        memory: Iterable[Memory] = (),
        shared: int = 0,
        cluster: Sizes = (0, 0, 0),
        cooperative: bool = False,
        check: Optional[bool] = None,
        raise_on_fault: bool = False,
    ) -> Run:
        """Runs the kernel on argument bytes, with pointers in them, and the memory that it may use: of each
        part its address, bytes, name, and whether the kernel may write it.

        Raises Error for a launch that does not fit the kernel; with `raise_on_fault` also for a fault.
        """
        library = self._library
        device = self._module.device
        parts = list(memory)
        table = (_native.Memory * len(parts))()
        for entry, (address, size, name, writable) in zip(table, parts):
            entry.address, entry.bytes = address, size
            entry.name = name.encode(errors="replace")
            entry.flags = _native.WRITABLE if writable else 0
        launch = _native.Launch()
        launch.size = ctypes.sizeof(launch)
        launch.grid, launch.block = _three(grid, 1, "grid"), _three(block, 1, "block")
        launch.cluster = _three(cluster, 1, "cluster")
        launch.shared_bytes = _word(shared, "shared")
        launch.threads, launch.most_instructions_of_workgroup = device.threads, device.limit
        launch.most_instructions = device._limits["limit_run"]
        launch.most_memory_bytes = device._limits["limit_memory"]
        launch.most_bulk_bytes = device._limits["limit_bulk_bytes"]
        launch.most_pending = device._limits["limit_pending"]
        if device.check if check is None else check:
            launch.flags |= _native.CHECK
        if cooperative:
            launch.flags |= _native.COOPERATIVE
        launch.arguments, launch.argument_bytes = bytes(arguments), len(arguments)
        launch.memory, launch.memory_count = table, len(parts)
        handle = library.heddle_run_kernel(self._handle, ctypes.byref(launch))
        if not handle:
            raise _native.refusal()
        run = _LazyRun(self._module, handle)
        if raise_on_fault and not run.finished:
            raise Error(str(run.findings[-1]))
        return run

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


_keys = itertools.count()


class _IsolatedModule(Module):
    """Code that only the process of its device has loaded."""

    def __init__(self, device: Device, code: bytes, name: str) -> None:
        self.device, self._code, self._name, self._key = device, code, name, next(_keys)
        self._kernels = {
            each["name"]: _IsolatedKernel(self, each) for each in self._worker.load(self._key, code, name)
        }

    @property
    def _worker(self) -> Worker:
        assert self.device._worker is not None
        return self.device._worker

    def __del__(self) -> None:
        pass


class _IsolatedKernel(Kernel):
    """A kernel in the process of its device."""

    def __init__(self, module: _IsolatedModule, told: dict[str, Any]) -> None:
        self._module = self._isolated = module
        self.name = str(told["name"])
        self.parameters = [Parameter(int(offset), int(size)) for offset, size in told["parameters"]]
        self.parameter_names = [str(each) for each in told["parameter_names"]]

    def launch(
        self,
        grid: Sizes,
        block: Sizes,
        arguments: bytes = b"",
        memory: Iterable[Memory] = (),
        shared: int = 0,
        cluster: Sizes = (0, 0, 0),
        cooperative: bool = False,
        check: Optional[bool] = None,
        raise_on_fault: bool = False,
    ) -> Run:
        module = self._isolated
        fields = {
            "kernel": self.name,
            "grid": _three(grid, 1, "grid"),
            "block": _three(block, 1, "block"),
            "arguments": bytes(arguments).hex(),
            "shared": _word(shared, "shared"),
            "cluster": _three(cluster, 1, "cluster"),
            "cooperative": bool(cooperative),
            "check": bool(module.device.check if check is None else check),
        }
        run = module._worker.run(module._key, module._code, module._name, fields, list(memory))
        if raise_on_fault and not run.finished:
            raise Error(str(run.findings[-1]))
        return run


def _word(value: int, what: str) -> int:
    if not isinstance(value, int) and not hasattr(value, "__index__"):
        raise TypeError(f"{what} is a whole number, not {type(value).__name__}")
    value = value.__index__()
    if not 0 <= value < 1 << 32:
        raise Error(f"{what} of {value}: 0 to 4294967295 are possible")
    return value


def _three(value: Sizes, rest: int, what: str) -> tuple[int, int, int]:
    """x, y and z; `rest` for what is not given."""
    if hasattr(value, "__index__"):
        value = (value,)  # type: ignore[assignment]
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise TypeError(f"{what} is a number or up to three, not {type(value).__name__}")
    sizes = [_word(each, what) for each in value]
    if not 1 <= len(sizes) <= 3:
        raise Error(f"{what} of {len(sizes)} sizes: 1 to 3 are possible")
    sizes += [rest] * (3 - len(sizes))
    return sizes[0], sizes[1], sizes[2]


class _LazyRun(Run):
    """A run whose report is read when it is asked for."""

    def __init__(self, module: Module, handle: int) -> None:
        library = module._library
        self.__dict__.update(
            _library=library,
            _handle=handle,
            _module=module,
            finished=bool(library.heddle_run_finished(handle)),
            arrays={},
            results=(),
        )
        if library.heddle_finding_count(handle) == 0:
            self.__dict__["findings"] = ()

    @property
    def printed(self) -> str:
        text: bytes = self._library.heddle_run_printed(self._handle)
        return text.decode(errors="replace")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "report" in self.__dict__:
            raise AttributeError(name)
        text = self._library.heddle_run_json(self._handle)
        if text is None:
            raise _native.refusal()
        known = dict(self.__dict__)
        self.__dict__.update(run_of(json.loads(text), {}, []).__dict__)
        self.__dict__.update(known)
        return getattr(self, name)

    def __del__(self) -> None:
        if handle := self.__dict__.get("_handle"):
            self.__dict__["_library"].heddle_free_run(handle)
