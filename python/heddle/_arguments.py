"""Arguments of kernels from Python's values: their bytes, and the memory behind arrays."""

from __future__ import annotations

import ctypes
import numbers
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

from ._core import Error
from ._tensor_map import TensorMap

if TYPE_CHECKING:
    from ._device import Kernel

__all__ = ["Memory", "memory_of", "packed"]

#: Address, bytes, name, and whether the kernel may write it.
Memory = tuple[int, int, str, bool]


def packed(kernel: Kernel, arguments: Sequence[Any]) -> tuple[bytes, list[Memory], list[Any]]:
    """The argument bytes, the memory of arrays, and what has to live as long as the launch."""
    places = kernel.parameters
    if len(arguments) != len(places):
        raise Error(
            f"kernel {kernel.name} takes {len(places)} argument{'s' * (len(places) != 1)}, and "
            f"{len(arguments)} {'is' if len(arguments) == 1 else 'are'} given"
        )
    segment = bytearray(max((place.offset + place.size for place in places), default=0))
    memory: list[Memory] = []
    alive: list[Any] = []
    for number, (value, place) in enumerate(zip(arguments, places), 1):
        name = kernel.parameter_names[number - 1]
        what = f"argument {number}" + (f" ({name})" if name else "")
        map_of = value if isinstance(value, TensorMap) else None
        found = memory_of(map_of.array if map_of else value, name or f"argument {number}")
        if found is None and map_of:
            raise TypeError(f"{what} is a tensor map of no array")
        if found is None:
            data = _bytes_of(value, place.size, what)
        else:
            pointer, part, owner = found
            if map_of and place.size != 128:
                raise Error(f"{what} has {place.size} bytes, and a tensor map 128")
            if not map_of and place.size != 8:
                raise Error(f"{what} has {place.size} bytes and so is no pointer, and an array is given")
            data = map_of._bytes(pointer) if map_of else struct.pack("<Q", pointer)
            memory.append(part)
            alive.append(owner)
        if len(data) != place.size:
            raise Error(f"{what} has {place.size} bytes, and {len(data)} are given ({type(value).__name__})")
        segment[place.offset : place.offset + place.size] = data
    return bytes(segment), memory, alive


def _bytes_of(value: Any, size: int, what: str) -> bytes:
    """A value's bytes: those of its type, or of Python's numbers those of the parameter's size."""
    if value is None:
        return bytes(size)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, (ctypes._SimpleCData, ctypes.Structure, ctypes.Union, ctypes.Array)):
        return bytes(value)
    if hasattr(value, "dtype") and hasattr(value, "tobytes"):  # a number of numpy's
        data: bytes = value.tobytes()
        return data
    if isinstance(value, numbers.Integral):
        number = int(value)
        bits = 8 * size
        if not -(1 << bits - 1) <= number < 1 << bits:
            raise Error(f"{what} has {size} bytes, and {number} does not fit")
        return (number % (1 << bits)).to_bytes(size, "little")
    if isinstance(value, numbers.Real):
        if size not in (4, 8):
            raise Error(
                f"{what} has {size} bytes, and {value!r} may have several types of that size: give a number "
                "with a type, as numpy.float16(1.5), or its bytes"
            )
        return struct.pack("<f" if size == 4 else "<d", float(value))
    raise TypeError(f"{what} is a {type(value).__name__}: arrays, numbers, ctypes and bytes are taken")


def _part(
    address: int, item: int, sizes: Sequence[int], strides: Optional[Sequence[int]], name: str, writable: bool
) -> tuple[int, Memory]:
    """The pointer of an array and all memory of its elements. Strides are bytes; None: without gaps."""
    if 0 in sizes:
        return address, (address, 0, name, writable)
    first, last = address, address + item
    if strides is None:
        count = item
        for size in sizes:
            count *= size
        return address, (address, count, name, writable)
    for size, stride in zip(sizes, strides):
        if stride < 0:
            first += (size - 1) * stride
        else:
            last += (size - 1) * stride
    return address, (first, last - first, name, writable)


def memory_of(value: Any, name: str) -> Optional[tuple[int, Memory, Any]]:
    """The pointer of an array, its memory, and what holds it; None of what is no array.

    Raises Error for an array that is not in the memory of the host.
    """
    if hasattr(value, "data_ptr") and hasattr(value, "element_size"):  # a tensor of torch
        if value.device.type != "cpu":
            raise Error(f"{name} is on {value.device}: give a tensor on the CPU")
        item = value.element_size()
        strides = [item * stride for stride in value.stride()]
        return *_part(value.data_ptr(), item, list(value.shape), strides, name, True), value
    interface = getattr(value, "__array_interface__", None)
    if interface is not None and (interface["shape"] != () or hasattr(value, "__setitem__")):
        return *_by_interface(interface, name), value  # a number of numpy's has one, too
    if hasattr(value, "__dlpack__"):
        return _by_dlpack(value, name)
    return None


def _by_interface(interface: dict[str, Any], name: str) -> tuple[int, Memory]:
    kind = interface["typestr"]
    if "O" in kind or interface.get("data") is None:
        raise Error(f"{name} has elements of type {kind!r}: numbers are taken")
    address, read_only = interface["data"]
    return _part(address, int(kind[2:]), interface["shape"], interface.get("strides"), name, not read_only)


class _Tensor(ctypes.Structure):
    """DLTensor of DLPack's dlpack.h, with which DLManagedTensor begins."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


def _by_dlpack(value: Any, name: str) -> tuple[int, Memory, Any]:
    try:
        capsule = value.__dlpack__()
    except (BufferError, RuntimeError, TypeError, ValueError) as reason:
        raise Error(f"{name} cannot be taken by DLPack: {reason}") from None
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = pointer(capsule, b"dltensor")
    tensor = _Tensor.from_address(address)
    if tensor.device_type not in (1, 3):  # kDLCPU, kDLCUDAHost
        raise Error(f"{name} is on a device (DLPack's type {tensor.device_type}): give an array on the CPU")
    item = (tensor.bits * tensor.lanes + 7) // 8
    sizes = tensor.sizes[: tensor.dimensions]
    strides = [item * each for each in tensor.strides[: tensor.dimensions]] if tensor.strides else None
    where, part = _part((tensor.data or 0) + tensor.offset, item, sizes, strides, name, True)
    return where, part, (value, capsule)
