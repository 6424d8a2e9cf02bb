"""Descriptors of tensors that the host makes: NVIDIA's tensor maps, and gfx1250's descriptors.

The arguments of a map are those of cuTensorMapEncodeTiled (CUDA Driver API, "Tensor Map Object Management"),
and its limits are checked as that does. NVIDIA does not publish the bits of a map, so these are the
simulator's (emulator/ptx/tensor_map.h).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from .._core import Error

_swizzle_bytes = (0, 32, 64, 128)


def tensor_map(
    meta: dict[str, Any], address: int, sizes: Sequence[int], strides: Sequence[int], nan: bool
) -> bytes:
    """The 128 bytes of a tensor map. Sizes, strides and blocks are in elements, the outermost first, as in Triton.

    `meta` is the record that Triton's compiler gives: `swizzle`, `elem_size`, `elem_type` (numbered as in
    the PTX instruction tensormap.replace), `block_size`, `fp4_padded`. Raises Error for a map that
    cuTensorMapEncodeTiled refuses.
    """
    size = int(meta["elem_size"])
    swizzle = int(meta["swizzle"])
    box = [int(each) for each in meta["block_size"]][::-1]
    dims = [int(each) for each in sizes][::-1]
    if meta.get("fp4_padded"):
        dims[0] *= 2
    steps = [int(each) * size for each in strides][::-1]
    problem = _problem(address, size, swizzle, box, dims, steps)
    if problem:
        raise Error(f"the tensor map is refused: {problem}")
    rank = len(dims)
    words = [address, *_five(dims), *_five([0, *steps[1:]])]
    body = struct.pack("<11Q", *words) + struct.pack("<5H", *_five(box)) + bytes(_five([1] * rank))
    body += bytes([rank - 1, int(meta["elem_type"]), 0, swizzle, 0, int(nan)])
    body = body.ljust(120, b"\0")
    return struct.pack("<Q", _sum(body)) + body


def _five(numbers: Sequence[int]) -> list[int]:
    return [*numbers, *[0] * (5 - len(numbers))]


def _sum(body: bytes) -> int:
    """What the simulator knows a map by, EncodedMap::sum."""
    result = 0x70616D6C656464
    for (word,) in struct.iter_unpack("<Q", body):
        result = (result ^ word) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return result


def _problem(
    address: int, size: int, swizzle: int, box: list[int], dims: list[int], steps: list[int]
) -> str:
    """What cuTensorMapEncodeTiled refuses, or nothing."""
    if not 1 <= len(dims) <= 5 or len(box) != len(dims) or len(steps) != len(dims):
        return f"it has {len(dims)} sizes, {len(steps)} strides and a block of {len(box)}; 1 to 5 of each"
    if address % 16:
        return f"the tensor begins at {address:#x}, which is no multiple of 16"
    if steps[0] != size:
        return f"the last stride is {steps[0] // size}; elements of a row must follow each other"
    for each in steps[1:]:
        if each % 16 or not 0 <= each < 1 << 40:
            return f"a stride has {each} bytes; a multiple of 16 below 2^40 is needed"
    for each in dims:
        if not 1 <= each <= 1 << 32:
            return f"a size is {each}; 1 to 2^32 elements are possible"
    for each in box:
        if not 1 <= each <= 256:
            return f"the block has a size of {each}; 1 to 256 are possible"
    row = box[0] * size
    if row % 16:
        return f"a row of the block has {row} bytes; a multiple of 16 is needed"
    if swizzle and row > _swizzle_bytes[swizzle]:
        return f"a row of the block has {row} bytes, more than the {_swizzle_bytes[swizzle]} of its swizzle"
    return ""


def tensor_data_descriptor(
    meta: dict[str, Any], num_warps: int, address: int, sizes: Sequence[int], strides: Sequence[int]
) -> bytes:
    """The 12 words of gfx1250's descriptor of a tensor with two dimensions, as tensor_load_to_lds takes it.

    Words 0 to 3 are its first group, with the address and the type; words 4 to 11 the second, with element size,
    padding in LDS, sizes, the block of one warp, and the stride of rows. Source of the places: CDNA5's ISA,
    "Tensor DMA Descriptor". Raises Error for a block that the warps cannot share.
    """
    bits = int(meta["elem_bits"])
    block = [int(each) for each in meta["block_size"]]
    if len(sizes) != 2 or len(block) != 2:
        raise Error(f"a descriptor of gfx1250 has two dimensions here, not {len(sizes)}")
    rows = num_warps
    while rows > block[0]:
        rows //= 2
    columns = num_warps // rows
    if block[1] % columns:
        raise Error(f"{num_warps} warps cannot share a block of {block[0]}x{block[1]}")
    own = ((block[0] + rows - 1) // rows, (block[1] + columns - 1) // columns)
    word = (bits // 8).bit_length() - 1 << 16
    pairs = meta.get("interval_padding_pairs") or []
    if pairs:
        interval, amount = (each * bits // 32 for each in pairs[0])
        if interval > 0 and amount > 0:
            word |= 1 << 20 | interval.bit_length() - 2 << 22 | amount - 1 << 25
    words = [
        0,
        0,
        address & 0xFFFFFFFF,
        address >> 32 & 0x01FFFFFF | 1 << 31,
        word,
        sizes[1] << 16,
        sizes[1] >> 16 | sizes[0] << 16,
        sizes[0] >> 16 | own[1] << 16,
        own[0] & 0xFFFF,
        strides[0],
        0,
        0,
    ]
    return struct.pack("<12I", *(each & 0xFFFFFFFF for each in words))
