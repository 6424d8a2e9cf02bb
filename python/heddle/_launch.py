"""Running a kernel without a GPU: `heddle run` with arrays of Python's."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional

from ._core import Error
from ._picture import Drawn
from ._records import record_of

if TYPE_CHECKING:
    import numpy

__all__ = ["Finding", "Launch", "Result", "Run"]

# numpy's names of the types that a launch file has (docs/run.md).
_types = {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "float8_e4m3fn": "fp8",
    "float8_e5m2": "bf8",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
}


@dataclass(frozen=True)
class Finding:
    """An error that was found while the kernel ran (docs/checker.md), or why it is slow."""

    message: str
    fix: str  #: what would be right
    kind: str = ""  #: of an error: its name
    rule: str = ""  #: of a remark: its name
    source: Optional[str] = None  #: file:line:column
    instruction: Optional[str] = None

    def __str__(self) -> str:
        place = f"{self.source}: " if self.source else ""
        return f"{place}{self.kind or self.rule}: {self.message}; {self.fix}"


@dataclass(frozen=True)
class Result:
    """The verdict on one array, of which every element was compared with float64."""

    array: str
    expectation: str  #: the line of the launch file
    right: bool
    elements: int
    wrong: int
    largest_error: Any  #: a float; "nan" or "inf" where there is none
    note: str
    explanations: tuple[dict[str, Any], ...]  #: which mistake gives these numbers (docs/run.md)
    wrong_where: str = ""  #: in words
    unwritten: Optional[int] = None  #: None where only writing the right number counts
    unwritten_where: str = ""

    def __str__(self) -> str:
        if self.right:
            return f"{self.array} is RIGHT: all {self.elements} elements"
        faults = []
        for count, what, where in (
            (self.wrong, "wrong", self.wrong_where),
            (self.unwritten or 0, "never written", self.unwritten_where),
        ):
            if count:
                faults.append(f"{count} of {self.elements} elements {what}" + f" ({where})" * bool(where))
        return f"{self.array} is WRONG: " + ", ".join(faults)


@dataclass(frozen=True)
class Run(Drawn):
    """What a run has found."""

    right: Optional[bool]  #: the verdict; None when nothing was judged
    finished: bool  #: False when a fault ended the run: then nothing was judged
    results: tuple[Result, ...]
    findings: tuple[Finding, ...]  #: errors
    remarks: tuple[Finding, ...]  #: what is slow
    arrays: dict[str, Any]  #: the arrays after the run; bf16 and fp8 as integers of their size
    report: dict[str, Any] = field(repr=False)  #: everything: docs/json.md, "A run"

    @property
    def counts(self) -> dict[str, Any]:
        """What the emulator counted: instructions by class and line, LDS passes, bytes; else empty."""
        return self.report.get("emulated") or {}

    def __str__(self) -> str:
        lines = []
        for result in self.results:
            lines.append(str(result))
            lines += [f"  {each['message']}" for each in result.explanations if "message" in each]
        if not self.finished:
            lines.append("the run was ended by what was found")
        lines += [f"error: {each}" for each in self.findings]
        lines += [f"remark: {each}" for each in self.remarks]
        return "\n".join(lines) or "nothing was judged, and nothing was found"

def _program() -> str:
    """The program heddle: that of the environment variable HEDDLE_PROGRAM, or of the PATH."""
    found = os.environ.get("HEDDLE_PROGRAM") or shutil.which("heddle")
    if not found:
        raise Error(
            "running kernels needs the program heddle, which brings the compiler and the emulator: "
            "build it by ./dev build, and put build/bin into PATH or its path into HEDDLE_PROGRAM"
        )
    return found


def _as_array(value: Any) -> numpy.ndarray[Any, Any]:
    """An array of numpy's, also from one of another package, by DLPack."""
    import numpy

    if isinstance(value, numpy.ndarray):
        return value
    if hasattr(value, "__dlpack__"):
        try:
            return numpy.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as reason:
            raise Error(
                f"numpy cannot take a {type(value).__name__} by DLPack ({reason}): give a copy of it on "
                "the CPU; of types that numpy lacks their bits as integers, as (bits, 'bf16')"
            ) from None
    return numpy.asarray(value)


def _numbers(value: int | Iterable[int]) -> str:
    return " ".join(str(int(each)) for each in ([value] if isinstance(value, int) else value))


class Launch:
    """A kernel, its arrays, and what must come out: the launch file of docs/run.md, from Python.

    `kernel` is the path of a kernel (.hip, .cu, .s, a code object, .ptx), or its HIP source as a text
    of several lines. `arrays` has, by name, what the kernel gets:

    - an array of numpy's, or of another package by DLPack; of types that numpy lacks (array of their
      bits, type), as ``(bits, "bf16")``;
    - or a text in the words of the launch file: ``"f32[32x64]"`` is memory that the kernel must write,
      ``"f16[32x48] random"`` is filled, ``"f32 0.5"`` is a number.

    `arguments` are names of those, and numbers, in the kernel's order; without it all arrays in theirs.
    `expect` has for each result a formula, as ``{"C": "relu(A @ B)"}``. `grid` are workgroups and `block`
    threads of one, x y z; `lds` bytes of dynamic LDS; `name` that of the kernel where there are several.

    >>> copy = '''#include <hip/hip_runtime.h>
    ... __global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }
    ... '''
    >>> launch = Launch(copy, arrays={"X": "f32[32] iota", "Y": "f32[32]"}, expect={"Y": "2 * X"})
    >>> print(launch.text)
    grid 1
    block 32
    lds 0
    X = f32[32] iota
    Y = f32[32]
    arguments X Y
    expect Y = 2 * X
    <BLANKLINE>
    """

    def __init__(
        self,
        kernel: str | os.PathLike[str],
        *,
        arrays: Mapping[str, Any],
        arguments: Sequence[str | int | float] | None = None,
        expect: Mapping[str, str] | None = None,
        grid: int | Sequence[int] = 1,
        block: int | Sequence[int] = 32,
        lds: int = 0,
        name: str = "",
    ) -> None:
        for what, given_names in (("arrays", arrays), ("expect", expect or {})):
            if not isinstance(given_names, Mapping):
                raise TypeError(
                    f"{what} is a mapping from names of arrays, not {type(given_names).__name__}"
                )
        self.kernel = kernel
        self._data: dict[str, Any] = {}
        lines = [f"kernel {name}"] if name else []
        lines += [f"grid {_numbers(grid)}", f"block {_numbers(block)}", f"lds {int(lds)}"]
        declared = {each: self._declared(each, value) for each, value in arrays.items()}
        lines += [f"{each} = {words}" for each, words in declared.items()]
        self._arrays = [each for each, words in declared.items() if "[" in words.split(" ")[0]]
        given = list(arrays) if arguments is None else arguments
        lines.append("arguments " + " ".join(map(str, given)))
        lines += [f"expect {each} = {formula}" for each, formula in (expect or {}).items()]
        for line in lines:
            if "\n" in line or "#" in line:
                raise Error(f"'{line}' is no line of a launch file: it has a line end or a #")
        #: The launch file; arrays of Python's are files beside it.
        self.text = "\n".join(lines) + "\n"

    def _declared(self, name: str, value: Any) -> str:
        if not name.isidentifier():
            raise Error(f"'{name}' is no name of an array: letters, digits and underscores")
        if isinstance(value, str):
            return value
        type_name = ""
        if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], str):
            value, type_name = value
        array = _as_array(value)
        type_name = type_name or _types.get(array.dtype.name, "")
        if not type_name:
            raise Error(
                f"{name} is of {array.dtype.name}; a kernel's arrays are of {', '.join(_types)}"
            )
        if array.ndim == 0:
            raise Error(f"{name} has no dimensions; a number is a text, as '{type_name} 0.5'")
        self._data[name] = array
        return f"{type_name}[{'x'.join(map(str, array.shape))}] file {name}.bin"

    def __repr__(self) -> str:
        return f"Launch({str(self.kernel)!r}):\n{self.text}"

    def run(
        self,
        *,
        target: str = "",
        device: str = "emulator",
        check: bool = True,
        flags: Sequence[str] = (),
        options: Sequence[str] = (),
    ) -> Run:
        """Compiles the kernel, runs it, and judges every element of its results.

        `target` is the processor, gfx1151 without it. `device` is "emulator", of PTX the simulator;
        "hip" or "cuda" is a GPU. `check` watches every access, which a GPU does not let. `flags` are
        those of the kernel's compiler, and `options` more of `heddle run`.

        Raises Error where the kernel, the launch or the arrays are refused, and where there is no
        program `heddle`. Needs numpy.
        """
        import numpy

        program = _program()
        with tempfile.TemporaryDirectory(prefix="heddle-") as place:
            folder = pathlib.Path(place)
            kernel = str(self.kernel)
            if "\n" in kernel:
                (folder / "kernel.hip").write_text(kernel)
                kernel = str(folder / "kernel.hip")
            launch = folder / "kernel.launch"
            launch.write_text(self.text)
            for name, array in self._data.items():
                (folder / f"{name}.bin").write_bytes(numpy.ascontiguousarray(array).tobytes())
            command = [program, "run", kernel, str(launch), "--report", "json", "--device", device]
            on_gpu = device.startswith(("hip", "cuda"))
            command += ["--check"] * (check and not on_gpu)
            command += ["--target", target] if target else []
            command += [f"--dump={name}={folder / name}.npy" for name in self._arrays]
            command += [*options, "--", *flags]
            try:
                done = subprocess.run(
                    command, capture_output=True, encoding="utf-8", errors="replace", check=False
                )
            except OSError as reason:
                raise Error(f"cannot run {program}: {reason.strerror}") from None
            try:
                report = json.loads(done.stdout)
            except ValueError:
                raise Error(done.stderr.strip() or f"{program} ended with {done.returncode}") from None
            if "error" in report:
                raise Error(report["error"].replace(str(folder) + os.sep, ""))
            arrays = {
                name: numpy.load(folder / f"{name}.npy")
                for name in self._arrays
                if (folder / f"{name}.npy").exists()
            }
        return Run(
            report["right"],
            report["finished"],
            tuple(record_of(Result, each) for each in report["results"]),
            tuple(record_of(Finding, each) for each in report["findings"]),
            tuple(record_of(Finding, each) for each in report["remarks"]),
            arrays,
            report,
        )
