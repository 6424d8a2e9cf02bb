"""What a tile costs in shared memory, where it lies best, and how it gets from layout to layout."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Union

from ._ask import ask
from ._core import Error
from ._foreign import as_text
from ._instruction import Operand, one_of
from ._layout import Layout, LayoutLike, sizes_text
from ._records import Banks, Conversion, Placement, Placements, record_of

__all__ = ["banks", "convert", "place"]

#: Whatever names who holds a tile, or where it lies: as `heddle.layout` takes it, an Operand, or
#: "rows:8" and "columns:8" for threads that copy 8 elements each.
TileLayout = Union[LayoutLike, Operand]


def _text(source: TileLayout) -> str:
    if isinstance(source, Layout):
        return source.text
    if isinstance(source, Operand):
        return source.name
    return as_text(source)[0]


def _tile_fields(
    sources: list[TileLayout],
    target: str,
    tile: Sequence[int] | None,
    warps: int | Sequence[int] | None,
    type: str,
    wave: int,
    k_order: str,
) -> dict[str, Any]:
    if wave not in (0, 32, 64):
        raise Error(f"wave {wave}: a wave has 32 or 64 lanes")
    orders = {each.k_order for each in sources if isinstance(each, Operand)}
    if not k_order and len(orders) > 1:
        raise Error("the operands have k in two orders: say which by k_order")
    k_order = k_order or "".join(orders) or "isa"
    return {
        "target": target,
        "tile": sizes_text(tile, "tile"),
        "warps": sizes_text(warps, "warps"),
        "type": type,
        "wave": wave,
        "k_order": one_of(k_order, ("isa", "contiguous"), "k_order"),
    }


def _listed(value: Any) -> list[Any]:
    """Several, or one alone. A tuple or an array may itself be a layout; a list never is."""
    return value if isinstance(value, list) else [value]


def banks(
    memory: TileLayout | list[TileLayout],
    access: TileLayout,
    *,
    target: str,
    tile: Sequence[int] | None = None,
    warps: int | Sequence[int] | None = None,
    type: str = "",
    store: bool = False,
    move: str = "",
    width: int = 0,
    active: int | None = None,
    wave: int = 0,
    k_order: str = "",
) -> Banks:
    """The bank conflicts of an access to a tile in shared memory, and why they are (docs/banks.md).

    `memory` is where the tile lies; a list of several is compared. `access` is who holds it. `tile` are
    its rows and columns, where the layouts leave them open; `warps` share it. `type` is that of the
    elements where no operand says it, else f16. It is a load unless `store`. `move` is "ldmatrix",
    "ldmatrix.trans", "stmatrix", "stmatrix.trans" or a load of AMD that transposes, as
    "ds_read_b64_tr_b16". `width` are the bytes that a lane moves at once:
    1 to 16, or 0 for the most that the layouts allow. `active` is a mask of lanes that take part.
    `k_order` is "isa" or "contiguous"; without it that of the Operand, or else "isa".

    Raises Error for layouts that do not fit each other or the processor.

    >>> found = banks("(16,16):(16,1)", "v_wmma_f32_16x16x16_f16.A", target="gfx1151", tile=(16, 16))
    >>> found.extra_passes, found.reasons[0].who
    (8, 'dim0 0 and 4 (dim1 0) meet in bank 0')
    """
    if width not in (0, 1, 2, 4, 8, 16):
        raise Error(f"width {width}: a lane moves 1, 2, 4, 8 or 16 bytes at once")
    memories = [_text(each) for each in _listed(memory)]
    if not memories:
        raise Error("no memory is given; say where the tile lies")
    if active is not None and active < 0:
        raise Error(f"active is {active}; wanted is a mask of lanes, as 0xffff")
    question = {
        **_tile_fields([access], target, tile, warps, type, wave, k_order),
        "memories": memories,
        "access": _text(access),
        "store": store,
        "with": move,
        "bytes": width,
        "active": "" if active is None else hex(active),
    }
    data = json.loads(ask("banks", {**question, "format": "json"}))
    return record_of(Banks, {**data, "question": question})


def place(
    *,
    target: str,
    store: TileLayout | list[TileLayout] | None = None,
    load: TileLayout | list[TileLayout] | None = None,
    tile: Sequence[int] | None = None,
    warps: int | Sequence[int] | None = None,
    type: str = "",
    means: str = "any",
    bytes: int = 65536,
    wave: int = 0,
    k_order: str = "",
) -> Placements:
    """The layout of a tile in shared memory with the fewest passes, and a proof (docs/placement.md).

    `store` are those who write the tile and `load` those who read it: layouts of who holds it, an
    Operand, "rows:8", or "ldmatrix:" (also ldmatrix.trans:, stmatrix:, ds_read_b64_tr_b16:) before a
    layout. `means` is
    "any", "swizzle only", "padding only", or "descriptor": the swizzles of wgmma and bulk copies.
    `bytes` is the shared memory that there is.

    Raises Error for layouts that do not fit each other or the processor, and where no layout fits into
    `bytes`.

    >>> found = place(target="gfx1201", tile=(64, 32), warps=2, k_order="contiguous",
    ...               store="rows:8", load="v_wmma_f32_16x16x16_f16.A")
    >>> found.chosen.passes, found.chosen.optimal, found.chosen.cute
    (64, True, 'Sw<2,3,3> o 0 o (64,32):(32,1)')
    """
    one_of(means, ("any", "swizzle only", "padding only", "descriptor"), "means")
    if not 1 <= bytes <= 1 << 30:
        raise Error(f"bytes is {bytes}; shared memory has 1 to 2**30")
    stores = [] if store is None else _listed(store)
    loads = [] if load is None else _listed(load)
    question = {
        **_tile_fields([*stores, *loads], target, tile, warps, type, wave, k_order),
        "stores": [_text(each) for each in stores],
        "loads": [_text(each) for each in loads],
        "most_bytes": bytes,
        "swizzle_only": means == "swizzle only",
        "padding_only": means == "padding only",
        "descriptor": means == "descriptor",
    }
    data = json.loads(ask("place", {**question, "format": "json"}))
    (asked, chosen), *others = ((name, each) for name, each in data.items() if isinstance(each, dict))
    return Placements(
        data["arch"],
        data["element_bits"],
        data["banks"],
        data["bank_bytes"],
        record_of(Placement, chosen),
        {name: record_of(Placement, each) for name, each in others if "error" not in each},
        {name: each["error"] for name, each in others if "error" in each},
        question,
    )


def convert(
    source: TileLayout,
    destination: TileLayout,
    *,
    target: str,
    tile: Sequence[int] | None = None,
    warps: int | Sequence[int] | None = None,
    type: str = "",
    wave: int = 0,
    k_order: str = "",
) -> Conversion:
    """The way from one layout of registers and lanes to another, and what it costs
    (docs/conversions.md): registers, shuffles between lanes, or shared memory.

    Raises Error for layouts of different tiles, or in memory, and waves that are not planned for.

    >>> plan = convert("mma.sync.m16n8k16.f32.f16.f16.f32.D", "rows:8", target="sm_80", tile=(64, 64),
    ...                warps=4)
    >>> plan.chosen.way, plan.chosen.shared_bytes
    ('shared memory', 8192)
    """
    question = {
        **_tile_fields([source, destination], target, tile, warps, type, wave, k_order),
        "from": _text(source),
        "to": _text(destination),
    }
    data = json.loads(ask("convert", {**question, "format": "json"}))
    return record_of(Conversion, {**data, "question": question})
