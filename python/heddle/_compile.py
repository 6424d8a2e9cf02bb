"""Functions of MLIR text as Python's: compiled by the program `heddle`, run on arrays."""

from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Optional

from ._core import Error
from ._cuda import DeviceArray, Gpu
from ._device import Device
from ._launch import _as_array, _program
from ._run import Run
from ._tensor_map import TensorMap

if TYPE_CHECKING:
    import numpy

__all__ = ["Compiled", "compile"]

# What an element is in numpy: of types that it lacks the bits. Two of 4 bits are a byte.
_types = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "uint16",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "i1": "bool",
}
_half_bytes = ("i4", "f4E2M1FN")
_map_types = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i32": "int32"}


def _dtype(element: str) -> str:
    return _types.get(element, "uint8")


def compile(text: str, target: str = "gfx1151", function: str = "", *options: str, device: str = "") -> Compiled:
    """The function of a text of MLIR (docs/matmul.md), compiled for a processor.

    Of a text with several functions, `function` is the name of one. `options` are further ones of `heddle compile`,
    such as "--f32", "bf16x3". With `device` "cuda" or "cuda:1" a call runs on that GPU by its driver, else on the
    emulator. Raises Error, with the place in the text, for what is not taken.
    """
    program = _program()
    common = ["--target", target, *(["--function", function] if function else []), *options]
    with tempfile.TemporaryDirectory() as folder:
        source, code = pathlib.Path(folder, "text.mlir"), pathlib.Path(folder, "code")
        source.write_text(text, encoding="utf-8")

        def run(*words: str) -> bytes:
            done = subprocess.run([program, "compile", str(source), *common, *words], capture_output=True)
            if done.returncode != 0:
                said = done.stderr.decode(errors="replace").replace(str(source), "text")
                raise Error(said.strip() or f"{program} ended with {done.returncode}")
            return done.stdout

        plan = json.loads(run("--emit", "plan", "--format", "json"))
        run("--emit", "object", "-o", str(code))
        return Compiled(plan, code.read_bytes(), target, device)


class Compiled:
    """A compiled function. `plan` is what `heddle compile --emit plan` says (docs/json.md), `code` the object or PTX.

    A call takes the function's arguments in their order and gives what it returns: an array, or a tuple of several.
    Arguments that are memrefs and written are updated in place. `runs` are those of the last call, one a kernel.

    On a GPU, arrays of numpy are copied there and back. If an argument is an array of that GPU, such as a tensor of
    torch, it is used where it is, and the results are DeviceArrays.
    """

    def __init__(self, plan: dict[str, Any], code: bytes, target: str, device: str = "") -> None:
        self.plan, self.code, self.target, self.device = plan, code, target, device
        self.runs: tuple[Run, ...] = ()
        self._gpu: Optional[Gpu] = None
        self._loaded: Any = None
        self._modules: dict[bool, Any] = {}
        self.kernels: list[dict[str, Any]] = plan.get("kernels", [plan])
        for kernel in self.kernels:
            for size in (*kernel["launch"]["grid"], *kernel["launch"]["block"]):
                if not isinstance(size, int):
                    raise Error("heddle.compile runs functions whose sizes the text says; this one has dynamic sizes")

    def __call__(self, *arguments: Any, check: bool = False) -> Any:
        """Runs the function; on the emulator with `check` every access is watched, and a finding raises Error."""
        if self.device:
            if check:
                raise Error("a GPU checks nothing: check=True is for the emulator")
            return self._on_gpu(arguments)
        if check not in self._modules:
            self._modules[check] = Device(self.target, check).load(self.code)
        module = self._modules[check]
        held = [_as_array(each) if hasattr(each, "__dlpack__") else each for each in arguments]
        shared: dict[int, Any] = {}
        returned: dict[int, Any] = {}
        runs = []
        for kernel in self.kernels:
            launch = kernel["launch"]
            numbers = kernel.get("buffers", range(len(launch["buffers"])))
            arrays = [
                self._array(buffer, number, held, shared, returned) for buffer, number in zip(launch["buffers"], numbers)
            ]
            given = [_value(each, arrays, launch["buffers"]) for each in launch["arguments"]]
            run = module[launch["kernel"]](
                launch["grid"],
                launch["block"],
                *given,
                shared=launch["dynamic_shared_bytes"],
                cluster=launch.get("cluster"),
            )
            if not run.finished or run.findings:
                raise Error(str(run))
            runs.append(run)
        self.runs = tuple(runs)
        return self._results(returned)

    def _results(self, returned: dict[int, Any]) -> Any:
        results = [returned[number] for number in self.plan.get("results", sorted(returned)) if number in returned]
        return results[0] if len(results) == 1 else tuple(results)

    def _on_gpu(self, arguments: tuple[Any, ...]) -> Any:
        import numpy

        if self._gpu is None:
            self._gpu = Gpu(self.device)
        gpu = self._gpu
        gpu.select()
        if self._loaded is None:
            self._loaded = gpu.load(self.code)
        is_there = any(hasattr(each, "__cuda_array_interface__") for each in arguments)
        held = [
            DeviceArray.of(gpu, each)
            if hasattr(each, "__cuda_array_interface__")
            else _as_array(each)
            if hasattr(each, "__dlpack__")
            else each
            for each in arguments
        ]
        shared: dict[int, Any] = {}
        returned: dict[int, Any] = {}
        copies: dict[int, tuple[Any, int]] = {}
        written: set[int] = set()

        def address(array: Any) -> int:
            if isinstance(array, DeviceArray):
                return array.address
            if id(array) not in copies:
                copies[id(array)] = (array, gpu.allocate(array.nbytes))
                gpu.fill(copies[id(array)][1], array)
            return copies[id(array)][1]

        def result(shape: tuple[int, ...], dtype: str) -> Any:
            return DeviceArray.zeros(gpu, shape, dtype) if is_there else numpy.zeros(shape, dtype)

        try:
            for kernel in self.kernels:
                buffers = kernel["launch"]["buffers"]
                numbers = kernel.get("buffers", range(len(buffers)))
                arrays = [
                    self._array(buffer, number, held, shared, returned, result)
                    for buffer, number in zip(buffers, numbers)
                ]
                gpu.launch(self._loaded, kernel["launch"], [address(each) for each in arrays])
                written |= {id(array) for array, buffer in zip(arrays, buffers) if buffer.get("written")}
            gpu.wait()
            for key, (array, place) in copies.items():
                if key in written and array.flags.writeable:
                    gpu.read(place, array)
        finally:
            for _, place in copies.values():
                gpu.free(place)
        return self._results(returned)

    def _array(
        self,
        buffer: dict[str, Any],
        number: int,
        held: list[Any],
        shared: dict[int, Any],
        returned: dict[int, Any],
        result: Any = None,
    ) -> Any:
        """The memory of a buffer of one kernel; `number` is its number in the function."""
        import numpy

        if number in shared:
            return shared[number]
        if "bytes" in buffer:
            return numpy.zeros(buffer["bytes"], numpy.uint8)  # a workspace, of this kernel alone
        of_all = self.plan["buffers"][number] if "buffers" in self.plan and "kernels" in self.plan else None
        dtype, shape = _dtype(buffer["element"]), tuple(buffer["sizes"])
        if any(not isinstance(each, int) for each in shape) or any(buffer["strides"]) or buffer["offset"] != 0:
            raise Error(f"{buffer['name']} has strides or dynamic sizes, and heddle.compile runs row-major arrays")
        if buffer["element"] in _half_bytes:
            shape = (*shape[:-1], shape[-1] // 2)
        argument: Optional[int] = buffer["function_argument"]
        if of_all is not None:
            argument = of_all["number"] if of_all["kind"] == "argument" else None
        if "constant" in buffer:
            made = numpy.frombuffer(bytes.fromhex(buffer["constant"]), numpy.uint8).copy()
        elif argument is not None:
            if argument >= len(held):
                raise Error(f"argument {argument + 1} ({buffer['name']}) is missing")
            made = _given(held[argument], dtype, shape, f"argument {argument + 1}")
        else:
            is_result = of_all is None or of_all["kind"] == "result"
            made = result(shape, dtype) if result and is_result else numpy.zeros(shape, dtype)
            if is_result:
                returned[number] = made
        shared[number] = made
        return made


def _given(value: Any, dtype: str, shape: tuple[int, ...], what: str) -> Any:
    """An argument as an array of this type and shape, the same memory where it is one already."""
    import numpy

    if isinstance(value, DeviceArray):
        if value.dtype.itemsize != numpy.dtype(dtype).itemsize or value.shape != shape:
            raise Error(f"{what} is {value}, and the function takes {dtype} of the shape {shape}")
        return value
    array = numpy.asarray(value)
    if array.ndim == 0 and not isinstance(value, numpy.ndarray):
        array = array.astype(dtype)  # a number of Python's
    if array.dtype.itemsize != numpy.dtype(dtype).itemsize or array.dtype.kind == "O":
        raise Error(f"{what} has elements of {array.dtype}, and the function {dtype}")
    if array.dtype != dtype and array.dtype.kind in "fc" and numpy.dtype(dtype).kind in "fc":
        raise Error(f"{what} has elements of {array.dtype}, and the function {dtype}")
    if array.shape != shape:
        raise Error(f"{what} has the shape {array.shape}, and the function {shape}")
    if not array.flags.c_contiguous:
        raise Error(f"{what} is not contiguous: give numpy.ascontiguousarray of it")
    return array


def _value(argument: dict[str, Any], arrays: list[Any], buffers: list[dict[str, Any]]) -> Any:
    """An argument of a kernel."""
    import numpy

    array = arrays[argument["buffer"]]
    if argument["kind"] != "tensor_map":
        return array
    of = argument["map"]
    item = array.dtype.itemsize
    view = numpy.lib.stride_tricks.as_strided(
        array.reshape(-1)[of["offset_bytes"] // item :],
        tuple(reversed(of["sizes"])),
        (*reversed(of["stride_bytes"]), item),
    )
    name = _map_types.get(buffers[argument["buffer"]]["element"])
    return TensorMap(view, tuple(reversed(of["box"])), of["swizzle_bytes"], type=name)
