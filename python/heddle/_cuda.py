"""Kernels of PTX on an NVIDIA GPU, by the driver's library and ctypes: no CUDA toolkit is needed."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ._core import Error

if TYPE_CHECKING:
    import numpy

__all__ = ["DeviceArray", "Gpu"]

# Values of CUfunction_attribute, CUjit_option, CUlaunchAttributeID, CUtensorMapDataType and
# CUdevice_attribute (CUDA Driver API 13.0).
_MAX_DYNAMIC_SHARED, _NON_PORTABLE_CLUSTER = 8, 14
_ERROR_LOG, _ERROR_LOG_BYTES = 5, 6
_CLUSTER = 4
_MAP_TYPES = {"f16": 6, "f32": 7, "bf16": 9, "xf32": 11, "i32": 3}
_SWIZZLES = {32: 1, 64: 2, 128: 3}
_CAPABILITY = (75, 76)


class _Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("padding", ctypes.c_int), ("value", ctypes.c_uint32 * 16)]


class _Configuration(ctypes.Structure):
    _fields_ = [
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(_Attribute)),
        ("count", ctypes.c_uint),
    ]


class Gpu:
    """A GPU, "cuda" or "cuda:1". Raises Error where there is none."""

    def __init__(self, name: str) -> None:
        kind, _, number = name.partition(":")
        if kind != "cuda" or (number and not number.isdecimal()):
            raise Error(f"the device '{name}' is none; heddle.compile takes '' for the emulator, 'cuda' and 'cuda:1'")
        file = os.environ.get("HEDDLE_CUDA_LIBRARY", "libcuda.so.1")
        try:
            self._library = ctypes.CDLL(file)
        except OSError as reason:
            raise Error(f"no CUDA here: {file}, which comes with the driver of a GPU, is not loaded: {reason}") from None
        device, self._context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), int(number or 0))
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), device)
        parts = [ctypes.c_int(), ctypes.c_int()]
        for part, attribute in zip(parts, _CAPABILITY):
            self.call("cuDeviceGetAttribute", ctypes.byref(part), attribute, device)
        #: Major and minor compute capability.
        self.capability = (parts[0].value, parts[1].value)

    def call(self, name: str, *arguments: Any) -> None:
        code = getattr(self._library, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self._library.cuGetErrorString(code, ctypes.byref(text))
            raise Error(f"{name}: {(text.value or b'error').decode(errors='replace')} ({code})")

    def select(self) -> None:
        """Makes the GPU the one of this thread, and waits for what it does."""
        self.call("cuCtxSetCurrent", self._context)
        self.call("cuCtxSynchronize")

    def wait(self) -> None:
        self.call("cuCtxSynchronize")

    def load(self, ptx: bytes) -> ctypes.c_void_p:
        module, log = ctypes.c_void_p(), ctypes.create_string_buffer(4096)
        names = (ctypes.c_int * 2)(_ERROR_LOG, _ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), ptx + b"\0", 2, names, values)
        except Error as reason:
            raise Error(f"{reason}\n{log.value.decode(errors='replace')}".rstrip()) from None
        return module

    def allocate(self, size: int) -> int:
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(1, size)))
        return address.value

    def free(self, address: int) -> None:
        self._library.cuMemFree_v2(ctypes.c_uint64(address))

    def fill(self, address: int, array: numpy.ndarray[Any, Any]) -> None:
        pointer = ctypes.c_void_p(array.ctypes.data)
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), pointer, ctypes.c_size_t(array.nbytes))

    def read(self, address: int, array: numpy.ndarray[Any, Any]) -> None:
        pointer = ctypes.c_void_p(array.ctypes.data)
        self.call("cuMemcpyDtoH_v2", pointer, ctypes.c_uint64(address), ctypes.c_size_t(array.nbytes))

    def tensor_map(self, described: dict[str, Any], address: int) -> ctypes.Array[ctypes.c_char]:
        """The 128 bytes of a map of docs/json.md, of memory that begins at `address`."""
        rank = len(described["sizes"])
        # cuTensorMapEncodeTiled wants 64-byte alignment.
        room = ctypes.create_string_buffer(192)
        begin = -ctypes.addressof(room) % 64
        steps = described["stride_bytes"]
        # CU_TENSOR_MAP_L2_PROMOTION_L2_256B, or 128B where lines of 256 bytes would be read twice.
        promotion = 3 if all(step % 256 == 0 for step in steps) else 2
        self.call(
            "cuTensorMapEncodeTiled",
            ctypes.c_void_p(ctypes.addressof(room) + begin),
            _MAP_TYPES.get(described["element"], 0),
            rank,
            ctypes.c_void_p(address + described["offset_bytes"]),
            (ctypes.c_uint64 * rank)(*described["sizes"]),
            (ctypes.c_uint64 * max(1, rank - 1))(*steps),
            (ctypes.c_uint32 * rank)(*described["box"]),
            (ctypes.c_uint32 * rank)(*[1] * rank),
            0,
            _SWIZZLES.get(described["swizzle_bytes"], 0),
            promotion,
            0,
        )
        return ctypes.create_string_buffer(room.raw[begin : begin + 128], 128)

    def launch(self, module: ctypes.c_void_p, launch: dict[str, Any], addresses: Sequence[int]) -> None:
        """One kernel, as docs/json.md describes its launch; `addresses` are those of its buffers."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, launch["kernel"].encode())
        shared = launch["dynamic_shared_bytes"]
        if shared:
            self.call("cuFuncSetAttribute", function, _MAX_DYNAMIC_SHARED, shared)
        values: list[Any] = []
        for argument in launch["arguments"]:
            address = addresses[argument["buffer"]]
            is_map = argument["kind"] == "tensor_map"
            values.append(self.tensor_map(argument["map"], address) if is_map else ctypes.c_uint64(address))
        packed = (ctypes.c_void_p * max(1, len(values)))(*[ctypes.addressof(each) for each in values])
        configuration = _Configuration(_three(launch["grid"]), _three(launch["block"]), shared)
        sizes = (*launch.get("cluster", ()), 1, 1, 1)[:3]
        if sizes != (1, 1, 1):
            if sizes[0] * sizes[1] * sizes[2] > 8:
                self.call("cuFuncSetAttribute", function, _NON_PORTABLE_CLUSTER, 1)
            attribute = _Attribute(_CLUSTER, 0, (ctypes.c_uint32 * 16)(*sizes))
            configuration.attributes, configuration.count = ctypes.pointer(attribute), 1
        self.call("cuLaunchKernelEx", ctypes.byref(configuration), function, packed, None)


def _three(sizes: Iterable[int]) -> ctypes.Array[ctypes.c_uint]:
    return (ctypes.c_uint * 3)(*[*sizes, 1, 1, 1][:3])


class DeviceArray:
    """An array in a GPU's memory, row-major. Other packages take it by __cuda_array_interface__, as
    torch.as_tensor does; `numpy()` is a copy of it on the host."""

    def __init__(self, gpu: Gpu, shape: tuple[int, ...], dtype: Any, address: int, owner: Any = None) -> None:
        import numpy

        self.shape, self.dtype, self.address = shape, numpy.dtype(dtype), address
        self._gpu, self._owner = gpu, owner

    @classmethod
    def zeros(cls, gpu: Gpu, shape: tuple[int, ...], dtype: Any) -> DeviceArray:
        import numpy

        host = numpy.zeros(shape, dtype)
        made = cls(gpu, shape, dtype, gpu.allocate(host.nbytes))
        gpu.fill(made.address, host)
        return made

    @classmethod
    def of(cls, gpu: Gpu, value: Any) -> DeviceArray:
        """The memory of another package's array. Raises Error unless it is row-major."""
        import numpy

        told = value.__cuda_array_interface__
        item = int(told["typestr"][2:])
        kind = told["typestr"] if told["typestr"][1] != "V" else f"<u{item}"  # bf16 has no name in numpy
        step, shape = item, tuple(told["shape"])
        for size, stride in zip(reversed(shape), reversed(told.get("strides") or ())):
            if size != 1 and stride != step:
                raise Error("an argument on the GPU is not contiguous: give a contiguous copy of it")
            step *= size
        return cls(gpu, shape, numpy.dtype(kind), told["data"][0], value)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3}

    def numpy(self) -> numpy.ndarray[Any, Any]:
        """A copy on the host. It waits for the kernels that were launched before."""
        import numpy

        host = numpy.empty(self.shape, self.dtype)
        self._gpu.select()
        self._gpu.read(self.address, host)
        return host

    def __repr__(self) -> str:
        return f"<heddle.DeviceArray of {self.dtype}, {'x'.join(map(str, self.shape)) or 'one number'}>"

    def __del__(self) -> None:
        if getattr(self, "address", 0) and self._owner is None:
            self._gpu.free(self.address)
