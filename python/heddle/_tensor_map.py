"""Tensor maps of NVIDIA's tensor memory accelerator, in the words of cuTensorMapEncodeTiled."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Optional

from . import _native
from ._core import Error

__all__ = ["TensorMap", "encoded"]

#: CUtensorMapDataType by the names of numpy and torch; other types of one and two bytes are moved as bits.
_types = {
    "uint8": 0,
    "uint16": 1,
    "uint32": 2,
    "int32": 3,
    "uint64": 4,
    "int64": 5,
    "float16": 6,
    "float32": 7,
    "float64": 8,
    "bfloat16": 9,
    "tf32": 11,
}
_of_bits = {1: 0, 2: 1}
_swizzles = {0: 0, 32: 1, 64: 2, 128: 3}


class TensorMap:
    """A map of an array as an argument of a kernel, for copies of boxes (CUtensorMap).

    `box` are elements along each dimension, as the array's shape has them. `swizzle` are the bytes in which
    16-byte units are permuted: 0, 32, 64 or 128. `fill` is what elements outside the array are read as, "zero"
    or "nan". `type` is the type of elements where the array's own is not meant, such as "tf32". What
    cuTensorMapEncodeTiled refuses raises Error at the launch.
    """

    def __init__(
        self, array: Any, box: Sequence[int], swizzle: int = 0, fill: str = "zero", type: Optional[str] = None
    ) -> None:
        if swizzle not in _swizzles:
            raise Error(f"a swizzle of {swizzle} bytes: there are 0, 32, 64 and 128")
        if fill not in ("zero", "nan"):
            raise Error(f"fill is {fill!r}: there are 'zero' and 'nan'")
        self.array, self.box, self.swizzle, self.fill = array, tuple(int(each) for each in box), swizzle, fill
        self.type = type

    def _bytes(self, address: int) -> bytes:
        """The map, where the array begins at that address."""
        item, strides = _strides_of(self.array)
        name = self.type or str(self.array.dtype).rpartition(".")[2]
        element = _types.get(name, _of_bits.get(item))
        if element is None:
            names = ", ".join(_types)
            raise Error(f"a tensor map of {name}: there are {names}, and types of 1 and 2 bytes")
        if not strides or strides[-1] != item:
            raise Error("a tensor map needs elements of a row that follow each other")
        sizes = [int(each) for each in self.array.shape]
        return encoded(
            address,
            element,
            sizes[::-1],
            strides[-2::-1],
            self.box[::-1],
            _swizzles[self.swizzle],
            self.fill == "nan",
        )


def _strides_of(array: Any) -> tuple[int, list[int]]:
    """The bytes of an element, and from element to element along each dimension."""
    if hasattr(array, "element_size"):  # a tensor of torch
        item = int(array.element_size())
        return item, [item * int(each) for each in array.stride()]
    if hasattr(array, "itemsize") and hasattr(array, "strides"):
        return int(array.itemsize), [int(each) for each in array.strides]
    raise TypeError(f"a tensor map is of an array of numpy or a tensor of torch, not {type(array).__name__}")


def encoded(
    address: int,
    element: int,
    sizes: Sequence[int],
    strides: Sequence[int],
    box: Sequence[int],
    swizzle: int,
    nan: bool,
) -> bytes:
    """The 128 bytes, by the arguments of cuTensorMapEncodeTiled: the innermost dimension first, strides in bytes."""
    rank = len(sizes)
    if not 1 <= rank <= 5 or len(box) != rank or len(strides) != rank - 1:
        raise Error(
            f"the tensor map is refused: it has {rank} sizes, {len(strides)} strides and a box of {len(box)}: 1 to "
            "5 sizes, one stride less, and a box of as many"
        )
    for each in [*sizes, *strides]:
        if not 0 <= each < 1 << 64:
            raise Error(f"the tensor map is refused: {each} is no size or stride")
    for each in box:
        if not 0 <= each < 1 << 32:
            raise Error(f"the tensor map is refused: {each} is no size of a box")
    asked = _native.TensorMap(
        size=ctypes.sizeof(_native.TensorMap),
        address=address,
        type=element,
        dimensions=rank,
        sizes=(ctypes.c_uint64 * 5)(*sizes),
        strides=(ctypes.c_uint64 * 4)(*strides),
        box=(ctypes.c_uint32 * 5)(*box),
        element_strides=(ctypes.c_uint32 * 5)(*[1] * rank),
        interleave=0,
        swizzle=swizzle,
        fill=int(nan),
    )
    made = ctypes.create_string_buffer(128)
    if _native.library().heddle_encode_tensor_map(ctypes.byref(asked), made) != 0:
        raise _native.refusal()
    return made.raw
