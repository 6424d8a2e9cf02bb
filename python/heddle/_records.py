"""The answers of Heddle as records. Each is made from the JSON of docs/json.md, and holds all of it that
has a use in Python."""

from __future__ import annotations

import dataclasses
import json
import typing
from dataclasses import dataclass, field
from typing import Any, Optional, TypeVar

from ._ask import ask
from ._layout import Layout
from ._picture import Drawn

_Record = TypeVar("_Record")


def _object(text: str) -> dict[str, Any]:
    return typing.cast("dict[str, Any]", json.loads(text))


def _value_of(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    origin = typing.get_origin(hint)
    if origin is tuple:
        return tuple(_value_of(typing.get_args(hint)[0], each) for each in value)
    if origin is typing.Union:  # Optional
        return _value_of(typing.get_args(hint)[0], value)
    if hint is Layout:
        return Layout._from_text(value)
    if dataclasses.is_dataclass(hint):
        return record_of(typing.cast(Any, hint), value)
    return value


# Keys of JSON that have another name in Python.
_keys = {
    "bits": "nbits",
    "column": "col",
    "destination_layout": "to",
    "register": "reg",
    "source_layout": "from",
    "target": "arch",
    "triton": "ttg",
}


def record_of(cls: type[_Record], data: dict[str, Any]) -> _Record:
    """The record of an object of JSON."""
    hints = typing.get_type_hints(cls)
    values = {}
    for each in dataclasses.fields(typing.cast(Any, cls)):
        key = _keys.get(each.name, each.name)
        if key in data:
            values[each.name] = _value_of(hints[each.name], data[key])
    return cls(**values)


@dataclass(frozen=True)
class InstructionRow:
    """A row of the catalogue, as `heddle.instructions` lists it."""

    name: str
    families: tuple[str, ...]  #: that have it: gfx11, gfx942, sm_80
    wave: int  #: lanes: 32, 64, of a warpgroup 128
    kind: str  #: multiply, load, store or transpose
    m: int
    n: int
    k: int
    n_sizes: tuple[int, ...]  #: every n that it can have
    blocks: int  #: matrices multiplied at once
    a: str  #: the type of A's elements
    b: str
    d: str
    sparse: bool
    intrinsic: str  #: LLVM's; empty without one
    builtin: str  #: clang's
    witnesses: tuple[str, ...]  #: who confirms the row
    doubt: str  #: what witnesses disagree about; empty
    multiply_adds_per_clock: Optional[int] = None  #: at most, of one compute unit of the
    #: target; None where none was named, or nothing is published


@dataclass(frozen=True)
class Throughput:
    """How many multiplications with an addition an instruction makes at most."""

    multiply_adds_per_clock: int
    of: str  #: what makes them: "CU" or "SM"
    source: str  #: who publishes it
    cycles_of_simd: Optional[int] = None  #: clocks that one instruction takes; None where nobody says


@dataclass(frozen=True)
class Latency:
    """Clocks from the issue of an instruction until its result can be used."""

    cycles: int
    cycles_of_fp4: int  #: where A and B are both of 4 bits
    source: str  #: who publishes it


@dataclass(frozen=True)
class CoExecution:
    """When vector instructions issue beside a matrix instruction."""

    first_cycle: int  #: the first clock in which one can; 0: none, they wait until it is done
    source: str  #: who publishes it
    cycles: Optional[int] = None  #: clocks that are left to them; None where nobody says


@dataclass(frozen=True)
class ScaleLoad:
    """The instruction of the first 8 bytes, which loads the scales."""

    name: str
    opcode: int


@dataclass(frozen=True)
class Encoding:
    """How an instruction is encoded, as LLVM 22 does it."""

    format: str  #: VOP3P, VOP3P-MAI
    opcode: int
    bytes: int
    scale_load: Optional[ScaleLoad] = None  #: of instructions with block scales in two parts


@dataclass(frozen=True)
class Place:
    """One element of an operand and one place that holds it. Copies are further places."""

    operand: str
    row: int
    column: int
    bits: int
    bit: int  #: the lowest of the element's, in its register or byte
    block: int = 0
    lane: Optional[int] = None  #: None of a place in shared memory
    register: Optional[int] = None
    byte: Optional[int] = None  #: of the tile; None of a place in registers


@dataclass(frozen=True)
class Collision:
    """A word of one bank that lanes want in a phase. Two of a bank take two passes."""

    bank: int
    byte: int  #: the word's address in the tile
    lanes: tuple[int, ...]


@dataclass(frozen=True)
class Phase:
    """The lanes that the hardware serves together, and the passes they take."""

    phase: int
    lanes: tuple[int, ...]
    passes: int
    extra_passes: int  #: beyond the one that a phase takes at least
    fullest_bank: int
    collisions: tuple[Collision, ...]


@dataclass(frozen=True)
class Access:
    """One load or store of a wave."""

    elements: tuple[int, ...]  #: the registers' elements that it moves
    bytes: int  #: a lane
    matrices: int  #: of ldmatrix and stmatrix; 0 of others
    active: tuple[int, ...]  #: lanes that take part
    addresses: tuple[int, ...]  #: of each active lane, in bytes from the start of the tile
    merged: bool
    extra_passes: int
    phases: tuple[Phase, ...]


@dataclass(frozen=True)
class Reason:
    """Why lanes collide, in words."""

    who: str
    why: str
    phases: int
    extra_passes: int

    def __str__(self) -> str:
        return f"{self.who}: {self.why}"


@dataclass(frozen=True)
class MemoryConflicts:
    """One layout of the tile, and what the access costs there."""

    memory: str  #: the layout, as it was given
    bytes: int
    partitions: int  #: in which the tile lies, each in a segment of its own; mostly 1
    evidence: str  #: how far the phases are to be trusted: docs/banks.md
    phases: int
    extra_passes: int  #: what conflicts cost; 0: none
    reasons: tuple[Reason, ...]
    instructions: tuple[Access, ...] = field(repr=False)


@dataclass(frozen=True)
class Banks(Drawn):
    """The bank conflicts of an access, for each layout of the tile."""

    target: str
    wave: int
    banks: int
    bank_bytes: int
    element_bits: int
    source: str  #: whose measurement or document the phases are
    access: str
    type: str
    kind: str  #: load, store, ldmatrix, stmatrix, or the name of a load of AMD that transposes
    memories: tuple[MemoryConflicts, ...]
    question: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def extra_passes(self) -> int:
        """What conflicts cost in the first layout of the tile; 0: none."""
        return self.memories[0].extra_passes

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why, in the first layout of the tile."""
        return self.memories[0].reasons

    def __str__(self) -> str:
        """What `heddle banks` prints."""
        return ask("banks", {**self.question, "format": "text"})

    def to_json(self) -> dict[str, Any]:
        """What `heddle banks --format json` prints, as an object (docs/json.md)."""
        return _object(ask("banks", {**self.question, "format": "json"}))

    def _repr_svg_(self) -> str:
        """The banks, and who goes through them when."""
        return ask("banks", {**self.question, "format": "svg"})


@dataclass(frozen=True)
class PlacedAccess:
    """A load or store of the tile, and what it costs where the tile is placed."""

    move: str
    layout: Layout  #: who holds the tile
    bytes_per_lane: int
    instructions: int
    passes: int
    conflict_free_passes: int


@dataclass(frozen=True)
class Placement:
    """A layout of a tile in shared memory, and what its accesses cost there."""

    layout: Layout
    triton: Optional[str]  #: None where Triton has no text for it
    cute: Optional[str]
    passes: int
    bound: int  #: no layout has fewer
    optimal: bool
    instructions: int
    bytes: int
    accesses: tuple[PlacedAccess, ...]


@dataclass(frozen=True)
class Placements(Drawn):
    """The best layout of a tile, and what other means would give."""

    target: str
    element_bits: int
    banks: int  #: of shared memory
    bank_bytes: int
    chosen: Placement
    others: dict[str, Placement]  #: by means: any, swizzle only, padding only, none
    impossible: dict[str, str]  #: the means that have no layout, and why
    question: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def layout(self) -> Layout:
        """The layout that was chosen."""
        return self.chosen.layout

    def __str__(self) -> str:
        """What `heddle place` prints."""
        return ask("place", {**self.question, "format": "text"})

    def to_json(self) -> dict[str, Any]:
        """What `heddle place --format json` prints, as an object (docs/json.md)."""
        return _object(ask("place", {**self.question, "format": "json"}))

    def _repr_svg_(self) -> str | None:
        return self.layout._repr_svg_()


@dataclass(frozen=True)
class Step:
    """Instructions of a conversion that are alike."""

    instruction: str
    count: int
    why: str


@dataclass(frozen=True)
class Way:
    """A way to convert between layouts, and what it costs a warp."""

    way: str  #: nothing, registers, lanes or shared memory
    instructions: int
    shuffles: int
    passes: int
    shared_bytes: int
    cost: int
    steps: tuple[Step, ...]
    exchange: Optional[dict[str, Any]]  #: of lanes: its rounds, as in docs/json.md
    swaps: Optional[dict[str, Any]]  #: of lanes, where registers and lanes change places: `stages`, `names`
    buffer: Optional[dict[str, Any]]  #: in shared memory: `layout` and `parts`


@dataclass(frozen=True)
class Conversion(Drawn):
    """The plan from one layout of registers and lanes to another."""

    target: str
    element_bits: int
    banks: int  #: of shared memory
    bank_bytes: int
    source_layout: Layout
    destination_layout: Layout
    source: Layout  #: where each register of the destination finds its element
    chosen: Way
    others: tuple[Way, ...]
    impossible: tuple[str, ...]  #: the ways that there are not, and why
    question: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __str__(self) -> str:
        """What `heddle convert` prints."""
        return ask("convert", {**self.question, "format": "text"})

    def to_json(self) -> dict[str, Any]:
        """What `heddle convert --format json` prints, as an object (docs/json.md)."""
        return _object(ask("convert", {**self.question, "format": "json"}))
