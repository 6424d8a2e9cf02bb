"""The arguments of a launch as the bytes that a kernel gets: what Triton's generated launchers do in C.

A kernel's signature says the type of each argument, as the dictionary of Triton's `src.signature`: "*fp32",
"i32", "constexpr", "tensordesc<fp16[64, 32]>", or a tuple of those.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from ._memory import Memory
from ._tensor_maps import tensor_data_descriptor, tensor_map

# How struct packs the numbers of Triton's types. A bool has one byte.
_integers = {
    "i1": "b",
    "i8": "b",
    "i16": "h",
    "i32": "i",
    "i64": "q",
    "u1": "B",
    "u8": "B",
    "u16": "H",
    "u32": "I",
    "u64": "Q",
}
_floats = {"fp16": "e", "fp32": "f", "f32": "f", "fp64": "d"}


def number_bytes(type_name: str, value: Any) -> bytes:
    """The bytes of a number. Raises TypeError for a type or a value that is none, OverflowError for one that is
    too large.

    >>> number_bytes("i32", 7).hex(), number_bytes("bf16", 1.0).hex()
    ('07000000', '803f')
    """
    if hasattr(value, "item"):
        value = value.item()
    if type_name == "bf16":  # truncated, as Triton's launcher does
        return _float_bytes("f", float(value))[2:]
    if type_name in _floats:
        return _float_bytes(_floats[type_name], float(value))
    if type_name not in _integers:
        raise TypeError(f"a kernel of Triton has no argument of type {type_name}")
    letter = _integers[type_name]
    size = struct.calcsize(letter)
    number = int(value)
    if not -(1 << (8 * size - 1)) <= number < 1 << (8 * size):
        raise OverflowError(f"{value} is no {type_name}")
    return (number & ((1 << (8 * size)) - 1)).to_bytes(size, "little")


def _float_bytes(letter: str, value: float) -> bytes:
    try:
        return struct.pack("<" + letter, value)
    except OverflowError:  # a number of C becomes infinite
        return struct.pack("<" + letter, float("inf") if value > 0 else float("-inf"))


@dataclass(frozen=True)
class Descriptors:
    """How a kernel takes descriptors of tensors that the host makes."""

    metas: Sequence[Optional[dict[str, Any]]]  #: Triton's `tensordesc_meta`; None: base, sizes and strides
    is_amd: bool
    num_warps: int


@dataclass
class Flat:
    """The flattened arguments of one launch."""

    values: list[bytes] = field(default_factory=list)  #: of each parameter of the kernel, in order
    names: list[str] = field(default_factory=list)  #: of each, in the words of the Python function
    memory: Memory = field(default_factory=Memory)


def flatten(signature: dict[str, Any], arguments: Iterable[Any], descriptors: Descriptors) -> Flat:
    """The bytes of each parameter, and the memory that pointers lead to."""
    flat = Flat()
    metas = iter(descriptors.metas or [])
    for (name, type_name), value in zip(signature.items(), arguments):
        _add(flat, str(name), type_name, value, lambda: next(metas, None), descriptors)
    return flat


def _add(
    flat: Flat,
    name: str,
    type_name: Any,
    value: Any,
    next_meta: Callable[[], Optional[dict[str, Any]]],
    descriptors: Descriptors,
) -> None:
    if isinstance(type_name, (tuple, list)):
        fields = getattr(value, "_fields", None)
        for index, (each_type, each) in enumerate(zip(type_name, value)):
            inner = f"{name}.{fields[index]}" if fields else f"{name}[{index}]"
            _add(flat, inner, each_type, each, next_meta, descriptors)
    elif type_name == "constexpr":
        pass  # it is a part of the code
    elif type_name.startswith("tensordesc"):
        _add_descriptor(flat, name, type_name, value, next_meta(), descriptors)
    elif type_name.startswith("*"):
        flat.names.append(name)
        flat.values.append(flat.memory.address_of(value, name, type_name).to_bytes(8, "little"))
    elif type_name == "nvTmaDesc":  # made by the program itself
        flat.names.append(name)
        flat.values.append(bytes(value.words if hasattr(value, "words") else value))
    else:
        flat.names.append(name)
        flat.values.append(number_bytes(type_name, value))


def _add_descriptor(
    flat: Flat,
    name: str,
    type_name: str,
    value: Any,
    meta: Optional[dict[str, Any]],
    descriptors: Descriptors,
) -> None:
    """A descriptor as a kernel takes it: a map, or its parts; then always sizes of 32 bits and strides of 64.

    Triton's wrapper does the same: the parts come twice where there is no map.
    """
    element = re.match(r"tensordesc<([^\[>]*)\[", type_name)
    sizes = [int(each) for each in value.shape]
    strides = [int(each) for each in value.strides]
    base = flat.memory.address_of(value.base, name, "*" + (element[1] if element else "i8"))

    def add(suffix: str, data: bytes) -> None:
        flat.names.append(f"{name}.{suffix}")
        flat.values.append(data)

    if meta is None:
        add("base", base.to_bytes(8, "little"))
        for number in [*sizes, *strides]:
            add("shape", number_bytes("i64", number))
        # Triton 3.4 has no padding, and 3.7 says of f32 whether it is rounded to tf32.
        if hasattr(value, "padding"):
            add("padding", number_bytes("i1", value.padding == "nan"))
        if hasattr(value, "round_f32_to_tf32"):
            add("round_f32_to_tf32", number_bytes("i1", bool(value.round_f32_to_tf32)))
    elif descriptors.is_amd:
        add("descriptor", tensor_data_descriptor(meta, descriptors.num_warps, base, sizes, strides))
    else:
        nan = getattr(value, "padding", "zero") == "nan"
        add("map", tensor_map(meta, base, sizes, strides, nan))
    for number in sizes:
        add("shape", number_bytes("i32", number))
    for number in strides:
        add("strides", number_bytes("i64", number))


def placed(flat: Flat, scratch: Sequence[int], parameters: Sequence[tuple[int, int]]) -> bytes:
    """The argument bytes, where the kernel's parameters have these offsets and sizes.

    Behind the parameters of the function stand up to two pointers to scratch memory, as many as the release of
    Triton has. Raises TypeError where the kernel has others than the launch gives.
    """
    values = flat.values + [each.to_bytes(8, "little") for each in scratch]
    values = values[: max(len(flat.values), len(parameters))]
    if len(values) != len(parameters):
        raise TypeError(
            f"the kernel has {len(parameters)} parameters, and the launch gives {len(flat.values)} and "
            f"{len(scratch)} of scratch memory"
        )
    image = bytearray(max((offset + size for offset, size in parameters), default=0))
    for index, ((offset, size), value) in enumerate(zip(parameters, values)):
        if len(value) != size:
            name = flat.names[index] if index < len(flat.names) else "scratch memory"
            raise TypeError(f"{name} has {len(value)} bytes, and the kernel's parameter {index} has {size}")
        image[offset : offset + size] = value
    return bytes(image)
