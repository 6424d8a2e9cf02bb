"""Descriptors of tensors that the host makes: NVIDIA's tensor maps, and gfx1250's descriptors."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from .._core import Error
from .._tensor_map import encoded

# Triton numbers element types as the PTX instruction tensormap.replace does, and the driver puts f32.ftz behind bf16.
_driver_types = {8: 10, 9: 8, 10: 9}


def tensor_map(
    meta: dict[str, Any], address: int, sizes: Sequence[int], strides: Sequence[int], nan: bool
) -> bytes:
    """The 128 bytes of a tensor map. Sizes, strides and blocks are in elements, the outermost first, as in Triton.

    `meta` is the record that Triton's compiler gives: `swizzle`, `elem_size`, `elem_type`, `block_size`,
    `fp4_padded`. Raises Error for a map that cuTensorMapEncodeTiled refuses.
    """
    size, element = int(meta["elem_size"]), int(meta["elem_type"])
    dims = [int(each) for each in sizes][::-1]
    if meta.get("fp4_padded"):
        dims[0] *= 2
    steps = [int(each) * size for each in strides][::-1]
    if steps[0] != size:
        raise Error(
            f"the tensor map is refused: the last stride is {steps[0] // size}; elements of a row must follow "
            "each other"
        )
    return encoded(
        address,
        _driver_types.get(element, element),
        dims,
        steps[1:],
        [int(each) for each in meta["block_size"]][::-1],
        int(meta["swizzle"]),
        nan,
    )


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
