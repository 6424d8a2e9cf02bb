"""Running a kernel without a GPU: `heddle run` with arrays of Python's."""

from __future__ import annotations

import copy
import json
import numbers
import operator
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from ._core import Error
from ._instruction import processor_of
from ._run import Run, run_of

if TYPE_CHECKING:
    import numpy

__all__ = ["Launch"]

#: A kernel's argument: the name of an array or number, a number, or an array itself.
Argument = Union[str, int, float, Any]


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


# How far from an array of expected values a result may lie (docs/run.md, "tolerance"), by the coarser type of
# both. Of f32 it is room for sums of some thousand products in any order, which differ by 5e-5 where the
# operands are uniform in [-1, 1); of narrower types room for the rounding of the result and of the array.
_tolerances = {"f64": 1e-10, "f32": 1e-4, "f16": 2e-3, "bf16": 1e-2, "fp8": 0.15, "bf8": 0.3}


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


def _whole(value: Any, what: str) -> int:
    """A whole number of Python's or of numpy's. Raises TypeError."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is a whole number, not {type(value).__name__}") from None


def _sizes(value: int | Iterable[int], what: str) -> str:
    """One size or several, as a launch file has them."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{what} is a number or up to three, as (4, 2), not the text {value!r}")
    several = value if isinstance(value, Iterable) else [value]
    return " ".join(str(_whole(each, what)) for each in several)


def _number(value: Any) -> str | None:
    """The words of a number of Python's or of numpy's; None of anything else."""
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if getattr(value, "shape", None) == () and hasattr(value, "item"):  # an array of one, or a bool of numpy's
        return _number(value.item())
    return None


def _source_name(text: str) -> str:
    """The name of a file for a kernel that is given as a text."""
    if re.search(r"^\s*\.target\s+sm_", text, re.M):
        return "kernel.ptx"
    if ".amdgcn_target" in text:
        return "kernel.s"
    if re.search(r"^\s*#\s*include\s*[<\"](cuda|mma\.h)", text, re.M):
        return "kernel.cu"
    return "kernel.hip"


def _lacks_hip(text: str) -> bool:
    """Whether a text of HIP's has neither HIP's header nor words of its own for it."""
    return not re.search(
        r"^\s*#\s*(include\s*[<\"][^>\"]*hip|define\s+__global__)", text, re.M
    )


class Launch:
    """A kernel, its arrays, and what must come out: the launch file of docs/run.md, from Python.

    `kernel` is the path of a kernel (.hip, .cu, .s, a code object, .ptx), or its source as a text: HIP,
    CUDA, assembly or PTX. A text of HIP without `#include <hip/hip_runtime.h>` gets that. `arrays` has, by
    name, what the kernel gets:

    - an array of numpy's, or of another package by DLPack; of types that numpy lacks (array of their
      bits, type), as ``(bits, "bf16")``;
    - a text in the words of the launch file: ``"f32[32x64]"`` is memory that the kernel must write,
      ``"f16[32x48] random"`` is filled, ``"f32 0.5"`` is a number, ``"pointer[2] A step 4096"`` are addresses;
    - or a list of names of arrays above it, None for the null pointer: the array of their addresses.

    `arguments` are in the kernel's order names of those, numbers, and arrays themselves; one that is not in
    `arrays` is named by its place, ``arg0``. Without `arguments` the kernel gets all arrays in their order.

    `expect` has for each result what must come out:

    - a formula, as ``"relu(A @ B)"``, which also says what is wrong where a usual mistake is made;
    - an array, as ``A @ B`` of numpy's. Integers must be equal; floats may differ by a tolerance T:
      |value - expected| <= T (1 + |expected|), where T follows from the coarser of both types: 1e-4 of f32,
      2e-3 of f16, 1e-2 of bf16;
    - or either with a tolerance, as ``(A @ B, 1e-3)``.

    `grid` are workgroups and `block` threads of one, x y z; `lds` bytes of dynamic LDS; `name` is the kernel's
    where there are several. `then` adds further launches; `from_file` takes a launch file that there is.

    Raises Error for arrays that a launch file cannot have, and TypeError for other things than these.

    >>> twice = '''
    ... __global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }
    ... '''
    >>> launch = Launch(twice, arrays={"X": "f32[32] iota", "Y": "f32[32]"}, expect={"Y": "2 * X"})
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
        arrays: Mapping[str, Any] | None = None,
        arguments: Sequence[Argument] | None = None,
        expect: Mapping[str, Any] | None = None,
        grid: int | Sequence[int] = 1,
        block: int | Sequence[int] = 32,
        lds: int = 0,
        name: str = "",
    ) -> None:
        if not isinstance(kernel, (str, os.PathLike)):
            raise TypeError(f"a kernel is a path or a text, not {type(kernel).__name__}")
        self.kernel = kernel
        #: The launch file; arrays of Python's are files beside it.
        self.text = ""
        self._file: pathlib.Path | None = None  # where it is one that there was
        self._data: dict[str, Any] = {}  # the arrays of Python's that are written
        self._given: dict[str, Any] = {}  # the same as they were given
        self._types: dict[str, str] = {}  # of arrays in memory
        self._expected: set[str] = set()  # that only say what must come out
        self._add(arrays, arguments, expect, grid, block, lds, name, arrays_first=False)

    @classmethod
    def from_file(cls, kernel: str | os.PathLike[str], launch: str | os.PathLike[str]) -> Launch:
        """A kernel with a launch file that there is (docs/run.md), also of several launches.

        The files that it names lie where the command line looks for them: below its folder, or the working
        folder. Raises Error for a file that cannot be read; what it says is judged by `run`.
        """
        self = cls(kernel, arguments=())
        self._file = pathlib.Path(launch)
        try:
            self.text = self._file.read_text()
        except (OSError, UnicodeDecodeError) as reason:
            raise Error(f"cannot read the launch file '{launch}': {reason}") from None
        for name, type_name in re.findall(r"^[ \t]*(\w+)[ \t]*=[ \t]*(\w+)\[", self.text, re.M):
            self._types[name] = type_name
        return self

    def then(
        self,
        name: str,
        *,
        arguments: Sequence[Argument],
        arrays: Mapping[str, Any] | None = None,
        expect: Mapping[str, Any] | None = None,
        grid: int | Sequence[int] = 1,
        block: int | Sequence[int] = 32,
        lds: int = 0,
    ) -> Launch:
        """This launch, and behind it one of the kernel `name` in the same source.

        It finds memory as the launch before has left it, and formulas of its `expect` are of those values.
        `arrays` are further ones; the others are as in `Launch`. `run` then gives a Run for each launch.

        >>> kernels = "kernels.hip"
        >>> both = Launch(kernels, name="product", arrays={"A": "f16[64x64] random", "H": "f32[64x64]"},
        ...               expect={"H": "A @ A"}).then("softmax_of_rows", arrays={"P": "f32[64x64]"},
        ...                                           arguments=["H", "P"], expect={"P": "softmax(H)"})
        >>> both.text.splitlines()[-6:]
        ['kernel softmax_of_rows', 'grid 1', 'block 32', 'lds 0', 'arguments H P', 'expect P = softmax(H)']
        """
        if self._file is not None:
            raise Error(f"the launches are those of {self._file}: add one there")
        if not name:
            raise Error("say the name of the kernel: it begins the next launch")
        more = copy.copy(self)
        more._data, more._given = dict(self._data), dict(self._given)
        more._types, more._expected = dict(self._types), set(self._expected)
        more._add(arrays, arguments, expect, grid, block, lds, name, arrays_first=True)
        return more

    def _add(
        self,
        arrays: Mapping[str, Any] | None,
        arguments: Sequence[Argument] | None,
        expect: Mapping[str, Any] | None,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        lds: int,
        name: str,
        *,
        arrays_first: bool,
    ) -> None:
        """The lines of one more launch."""
        arrays, expect = {} if arrays is None else arrays, {} if expect is None else expect
        for what, names in (("arrays", arrays), ("expect", expect)):
            if not isinstance(names, Mapping):
                raise TypeError(f"{what} is a mapping from names of arrays, not {type(names).__name__}")
        if isinstance(arguments, (str, Mapping)):
            raise TypeError(f"arguments are a sequence, as ['A', 'B', 64], not {type(arguments).__name__}")
        how = [f"kernel {name}"] if name else []
        how += [f"grid {_sizes(grid, 'grid')}", f"block {_sizes(block, 'block')}", f"lds {_whole(lds, 'lds')}"]
        lines = [self._declaration(each, value) for each, value in arrays.items()]
        words = list(arrays) if arguments is None else []
        for place, value in enumerate(arguments or ()):
            words.append(self._argument(value, place, lines))
        judged = [self._expectation(each, value, lines) for each, value in expect.items()]
        lines = lines + how if arrays_first else how + lines
        lines += ["arguments " + " ".join(words), *judged]
        for line in lines:
            if "\n" in line or "#" in line:
                raise Error(f"'{line}' is no line of a launch file: it has a line end or a #")
        self.text += "\n".join(lines) + "\n"

    def _declaration(self, name: str, value: Any) -> str:
        """The line of the launch file that declares an array or a number."""
        if not isinstance(name, str) or not name.isidentifier():
            raise Error(f"'{name}' is no name of an array: letters, digits and underscores")
        if isinstance(value, list) and value and all(each is None or isinstance(each, str) for each in value):
            value = f"pointer[{len(value)}] " + " ".join(each or "0" for each in value)
        if isinstance(value, str):
            in_memory = re.match(r"\s*(\w+)\[", value)
            if in_memory:
                self._types[name] = in_memory[1]
            return f"{name} = {value}"
        self._given[name] = value
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
        self._types[name] = type_name
        return f"{name} = {type_name}[{'x'.join(map(str, array.shape))}] file {name}.bin"

    def _name_of(self, value: Any) -> str:
        """The name of an array that was given before; else empty."""
        for name, given in self._given.items():
            if value is given or (isinstance(given, tuple) and value is given[0]):
                return name
        return ""

    def _free_name(self, name: str) -> str:
        while name in self._types:
            name += "_"
        return name

    def _argument(self, value: Argument, place: int, lines: list[str]) -> str:
        """The word for an argument. An array that is new is declared in `lines`."""
        if isinstance(value, str):
            return value
        word = _number(value) or self._name_of(value)
        if word:
            return word
        if value is None or isinstance(value, Mapping):
            raise TypeError(f"an argument is a name, a number or an array, not {type(value).__name__}")
        name = self._free_name(f"arg{place}")
        lines.append(self._declaration(name, value))
        return name

    def _expectation(self, name: str, value: Any, lines: list[str]) -> str:
        """The line for what must come out. An array of it is declared in `lines`."""
        tolerance: float | None = None
        if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], numbers.Real):
            value, tolerance = value[0], float(value[1])
        words = value if isinstance(value, str) else _number(value) or self._name_of(value)
        if not words:
            if value is None or isinstance(value, Mapping):
                raise TypeError(f"what {name} holds is a formula or an array, not {type(value).__name__}")
            words = self._free_name(f"expected_{name}")
            lines.append(self._declaration(words, value))
            self._expected.add(words)
            if tolerance is None:
                types = (self._types.get(name, ""), self._types[words])
                tolerance = max(_tolerances.get(each, 0.0) for each in types) or None
        return f"expect {name} = {words}" + ("" if tolerance is None else f" tolerance {tolerance!r}")

    @property
    def _arrays(self) -> list[str]:
        """The arrays that have values worth reading behind the run."""
        return [
            name
            for name, type_name in self._types.items()
            if type_name != "pointer" and name not in self._expected
        ]

    def __repr__(self) -> str:
        return f"Launch({str(self.kernel)!r}):\n{self.text}"

    def _kernel_file(self, folder: pathlib.Path) -> tuple[str, list[str], list[str]]:
        """The path of the kernel, the lines of its source where that is a text, and flags to compile it."""
        text = os.fspath(self.kernel)
        if "\n" in text or "{" in text:
            path = folder / _source_name(text)
            path.write_text(text)
            adds_hip = path.suffix == ".hip" and _lacks_hip(text)
            return str(path), text.splitlines(), ["-include", "hip/hip_runtime.h"] * adds_hip
        lines = []
        if text.endswith((*_compiled, ".s", ".ptx")):
            try:
                lines = pathlib.Path(text).read_text(errors="replace").splitlines()
            except OSError:  # the program says so
                pass
        return text, lines, []

    def run(
        self,
        *,
        target: str = "",
        device: str = "emulator",
        check: bool = True,
        flags: str | Sequence[str] = (),
        options: str | Sequence[str] = (),
    ) -> Run:
        """Compiles the kernel, runs it, and judges every element of its results.

        `target` is a processor, by its name, product or architecture (gfx1151, MI300X, RDNA4, H100); gfx1151
        without it. CUDA's text runs for AMD and for NVIDIA, HIP's for AMD. `device` is "emulator", of kernels
        for NVIDIA the simulator of PTX; "hip" or "cuda" is a GPU. `check` watches every access, which a GPU
        does not let. `flags` are those of the kernel's compiler, and `options` more of `heddle run`; each is a
        sequence, or a text that is split as a shell does.

        Raises Error where the kernel, the launch or the arrays are refused, and where there is no
        program `heddle`. Needs numpy.
        """
        import numpy

        flags, options = (
            shlex.split(each) if isinstance(each, str) else [str(word) for word in each]
            for each in (flags, options)
        )
        program = _program()
        processor = processor_of(target)
        with tempfile.TemporaryDirectory(prefix="heddle-") as place:
            folder = pathlib.Path(place).resolve()
            kernel, lines, own_flags = self._kernel_file(folder)
            launch = self._file
            if launch is None:
                launch = folder / "kernel.launch"
                launch.write_text(self.text)
            for name, array in self._data.items():
                (folder / f"{name}.bin").write_bytes(numpy.ascontiguousarray(array).tobytes())
            command = [program, "run", kernel, str(launch), "--report", "json", "--device", device]
            on_gpu = device.startswith(("hip", "cuda"))
            command += ["--check"] * (check and not on_gpu)
            command += ["--target", processor] if processor else []
            command += [f"--dump={name}={folder / name}.npy" for name in self._arrays]
            command += [*options, "--", *own_flags, *flags]
            try:
                done = subprocess.run(
                    command, capture_output=True, encoding="utf-8", errors="replace", check=False
                )
            except OSError as reason:
                raise Error(f"cannot run {program}: {reason.strerror}") from None
            said, complaint = (_without_folder(text, folder) for text in (done.stdout, done.stderr))
            try:
                report = json.loads(said)
            except ValueError:
                raise Error(complaint.strip() or f"{program} ended with {done.returncode}") from None
            if "error" in report:
                raise Error(_advised(report["error"]))
            arrays = {
                name: numpy.load(folder / f"{name}.npy")
                for name in self._arrays
                if (folder / f"{name}.npy").exists()
            }
        return run_of(report, arrays, lines)


# The endings of sources that clang compiles.
_compiled = (".hip", ".cu", ".cpp", ".cc", ".cxx")


def _without_folder(text: str, folder: pathlib.Path) -> str:
    """What the program printed, where the files of the folder go by their names.

    It shortens the path of what lies below the working folder, which this folder may do.
    """
    for path in (str(folder), os.path.relpath(folder)):
        text = text.replace(json.dumps(path, ensure_ascii=False)[1:-1] + os.sep, "")
    return text


def _advised(refusal: str) -> str:
    """The refusal, with what is missing where HIP's words are unknown."""
    if "unknown type name '__global__'" in refusal:
        return refusal.rstrip() + "\n__global__ and threadIdx need #include <hip/hip_runtime.h>"
    return refusal
