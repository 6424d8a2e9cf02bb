"""The memory that a launch may use: what its tensors own, by its address on the host.

Tensors are torch's, or anything with `data_ptr()`. Nothing is copied: device addresses are host addresses.
"""

from __future__ import annotations

import bisect
import gc
import sys
import weakref
from collections.abc import Iterator
from typing import Any

# A table of addresses that a kernel gets has at most so many; a larger tensor of integers is none.
_table_entries = 1 << 16


class _Type(str):
    """The name of a type, as Triton reads it, with the bytes of an element."""

    itemsize: int

    @property
    def is_floating_point(self) -> bool:
        return self.startswith(("float", "bfloat"))


class Array:
    """A numpy array with the methods of a tensor that Triton's launches use: `data_ptr()`, `dtype`, `shape`.

    `dtype` is the name of Triton's type where numpy has none: ``Array(bits, "bfloat16")``. The array is used
    in place: `numpy` has what a kernel has written.
    """

    def __init__(self, array: Any, dtype: str = "") -> None:
        import numpy

        if not isinstance(array, numpy.ndarray):
            raise TypeError(f"an array of numpy is needed, not {type(array).__name__}")
        self.numpy = array
        base: Any = array
        while type(base.base) is type(base):
            base = base.base
        #: Where the memory begins that a kernel may use, and its bytes.
        self.memory = (int(base.ctypes.data), int(base.nbytes))
        self.dtype = _Type(dtype or array.dtype.name)
        self.dtype.itemsize = array.itemsize
        arrays.add(self)

    @classmethod
    def aligned(cls, array: Any, dtype: str = "") -> Array:
        """A copy that begins at a multiple of 256 bytes, as a GPU's allocations do.

        numpy's arrays begin at multiples of 16, where rows of a tensor touch more sectors than on a GPU.
        """
        import numpy

        buffer = numpy.empty(array.nbytes + 256, numpy.uint8)
        start = -buffer.ctypes.data % 256
        copy = buffer[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
        copy[...] = array
        made = cls(copy, dtype)
        made.memory = (made.data_ptr(), int(copy.nbytes))
        return made

    def data_ptr(self) -> int:
        return int(self.numpy.ctypes.data)

    def element_size(self) -> int:
        return int(self.numpy.itemsize)

    def numel(self) -> int:
        return int(self.numpy.size)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.numpy.shape)

    def stride(self, dim: int = -1) -> Any:
        """In elements: of one dimension, or of all as a tuple."""
        steps = tuple(each // self.numpy.itemsize for each in self.numpy.strides)
        return steps if dim == -1 else steps[dim]

    def zero_(self) -> Array:
        self.numpy[...] = 0
        return self

    def clone(self) -> Array:
        return Array.aligned(self.numpy, self.dtype)

    def copy_(self, other: Array) -> Array:
        self.numpy[...] = other.numpy
        return self


#: The arrays that are alive: addresses in a kernel's tables may be theirs.
arrays: weakref.WeakSet[Array] = weakref.WeakSet()


def range_of(tensor: Any) -> tuple[int, int, bool]:
    """Where the memory of a tensor begins, its bytes, and whether it may be written.

    Of a tensor of torch all that its storage has: a kernel may use what a view leaves out.
    """
    if hasattr(tensor, "untyped_storage"):
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.nbytes(), True
    if isinstance(tensor, Array):
        return (*tensor.memory, bool(tensor.numpy.flags.writeable))
    size = tensor.nbytes if hasattr(tensor, "nbytes") else tensor.numel() * tensor.element_size()
    return tensor.data_ptr(), int(size), True


def _is_tensor(thing: Any) -> bool:
    return hasattr(thing, "data_ptr")


def _mapped(addresses: set[int]) -> list[int]:
    """Those that lie in memory of this process, in ascending order.

    Most integers do not, and to look through every object of the process for a tensor takes seconds in a large one.
    """
    if not addresses:
        return []
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            ranges = [line.partition(" ")[0].split("-") for line in file]
    except OSError:  # a system without it
        return sorted(addresses)
    starts = [int(start, 16) for start, _ in ranges]  # in ascending order
    ends = [int(end, 16) for _, end in ranges]
    return [each for each in sorted(addresses) if (at := bisect.bisect_right(starts, each)) and each < ends[at - 1]]


def _alive() -> Iterator[Any]:
    """Every tensor of the process."""
    yield from list(arrays)
    torch = sys.modules.get("torch")
    if torch is not None:
        for each in gc.get_objects():
            if isinstance(each, torch.Tensor) and each.device.type == "cpu":
                yield each


class Memory:
    """The ranges of one launch."""

    def __init__(self) -> None:
        self._ranges: dict[int, tuple[int, str, bool]] = {}  # by address: bytes, name, writable
        self._owners: list[Any] = []  # kept alive until the launch is over

    def add(self, tensor: Any, name: str) -> int:
        """The address of a tensor whose memory becomes the launch's."""
        start, size, writable = range_of(tensor)
        self.add_range(start, size, name, writable)
        self._owners.append(tensor)
        return int(tensor.data_ptr())

    def add_range(self, start: int, size: int, name: str, writable: bool = True) -> None:
        if size == 0:
            return
        before = self._ranges.get(start)
        if before is None:
            self._ranges[start] = (size, name, writable)
        else:  # two tensors with one storage
            self._ranges[start] = (max(size, before[0]), before[1], writable or before[2])

    def address_of(self, value: Any, name: str, type_name: str) -> int:
        """The address that a kernel gets for an argument that is a pointer. Raises TypeError for other things."""
        if value is None:
            return 0
        if isinstance(value, int):
            self._find([value], name)
            return value
        base = getattr(value, "base", None)  # triton.reinterpret's wrapper of a tensor
        if not hasattr(value, "untyped_storage") and _is_tensor(base):
            self.add(base, name)
            return int(value.data_ptr())
        if not _is_tensor(value):
            raise TypeError(f"{name} is a pointer: a tensor, an address or None, not {type(value).__name__}")
        address = self.add(value, name)
        if type_name in ("*i64", "*u64"):
            self._find(_entries(value), name)
        return address

    def _find(self, addresses: list[int], name: str) -> None:
        """Adds the tensors that these addresses lie in, as far as they are addresses."""
        wanted = _mapped({each for each in addresses if 1 << 16 < each < 1 << 48 and not self._has(each)})
        if not wanted:
            return
        for tensor in _alive():
            start, size, _ = range_of(tensor)
            inside = [each for each in wanted if start <= each < start + size]
            if inside:
                self.add(tensor, f"what {name} leads to")
                wanted = [each for each in wanted if each not in inside]
                if not wanted:
                    return

    def _has(self, address: int) -> bool:
        return any(start <= address < start + size for start, (size, _, _) in self._ranges.items())

    def ranges(self) -> list[tuple[int, int, str, bool]]:
        """Address, bytes, name and whether it may be written, without ranges inside of others."""
        result: list[tuple[int, int, str, bool]] = []
        for start, (size, name, writable) in sorted(self._ranges.items()):
            if result and start < result[-1][0] + result[-1][1]:
                first, length, other, may = result[-1]
                result[-1] = (first, max(length, start + size - first), other, may or writable)
            else:
                result.append((start, size, name, writable))
        return result


def _entries(tensor: Any) -> list[int]:
    """The integers of a small tensor: they may be addresses."""
    if isinstance(tensor, Array):
        return [int(each) for each in tensor.numpy.ravel()] if tensor.numpy.size <= _table_entries else []
    if hasattr(tensor, "tolist") and tensor.numel() <= _table_entries:
        flat = tensor.detach().reshape(-1).tolist()
        return [int(each) for each in flat]
    return []
