"""Matrix instructions and their operands: which lane and register hold which element."""

from __future__ import annotations

import json
import operator
from typing import TYPE_CHECKING, Any, Optional, TypeVar

from . import _core
from ._ask import ask, told
from ._core import Error
from ._layout import Layout
from ._picture import Drawn
from ._records import (
    CoExecution,
    Encoding,
    InstructionRow,
    Latency,
    Place,
    Throughput,
    record_of,
)

if TYPE_CHECKING:
    import numpy

__all__ = ["Instruction", "Operand", "instruction", "instructions"]


_Record = TypeVar("_Record")

# The axes of the rows and the columns of an operand.
_axes = {"A": ("m", "k"), "B": ("k", "n"), "C": ("m", "n"), "D": ("m", "n")}


def one_of(value: str, choices: tuple[str, ...], what: str) -> str:
    """The value, which is one of the choices. Raises Error with all of them."""
    if value not in choices:
        raise Error(f"no {what} '{value}'; there are {', '.join(choices)}")
    return value


def _checked(options: dict[str, Any]) -> dict[str, Any]:
    """The options of an operand, of which some have few values."""
    if "k_order" in options:
        one_of(options["k_order"], ("isa", "contiguous"), "k_order")
    if "major" in options:
        one_of(options["major"], ("k", "mn"), "major")
    if "swizzle" in options:
        options["swizzle"] = str(options["swizzle"])
        one_of(options["swizzle"], ("none", "32", "64", "128", "128-atom32"), "swizzle")
    for name, value in options.items():
        if isinstance(value, int) and value < 0:
            raise Error(f"{name} is {value}; it is 0 or more")
    return options


class Operand(Drawn):
    """An operand of an instruction: where its elements lie in a wave.

    `str()` of it is the table that `heddle show` prints, and a notebook draws it.
    """

    def __init__(self, of: Instruction, letter: str, options: dict[str, Any]) -> None:
        self.instruction = of
        #: A, B, C, D, K (the index of a sparse A), SA, SB (scales) or P (addresses).
        self.letter = letter
        self._options = options
        self._highlight = ""  # of pictures and texts
        data = of._info["operands"][letter]
        #: The type of its elements.
        self.type: str = data["type"]
        #: The bits of a position of its map.
        self.bits: int = data["bits"]
        #: The registers of 32 bits that it takes in a lane.
        self.registers: int = data["registers"]
        #: Where it lies: "registers", "shared memory" or "tensor memory".
        self.storage: str = data["in"]

    def _ask(self, question: str, form: str, **fields: Any) -> str:
        given = {**self.instruction._named, **self._options, **fields}
        if question == "show" and form in ("text", "md", "svg"):
            given["highlight"] = self._highlight
        return ask(question, {**given, "operand": self.letter, "format": form})

    @property
    def name(self) -> str:
        """The name by which every function that takes a layout takes it: INSTRUCTION.A."""
        n = self.instruction.shape[1]  # a name with N in it is that of the largest
        return f"{self.instruction.name.replace('nN', f'n{n}')}.{self.letter}"

    @property
    def k_order(self) -> str:
        """The order of k that was chosen: "isa" or "contiguous"."""
        return str(self._options.get("k_order", "isa"))

    @property
    def layout(self) -> Layout:
        """The map (element, register, lane) -> rows and columns, as include/heddle/instruction says.

        Of an operand in shared memory there is none: Error. `k_order` counts; modifiers do not,
        which `table` and `at` know.
        """
        name, target, wave, n = self.instruction._key
        return Layout._from_text(
            told("show", _core.operand_map, name, target, wave, n, self.letter, self.k_order),
            dialect="",
            read_as=f"{self.letter} of {self.instruction.name}",
        )

    def table(self) -> dict[str, numpy.ndarray[Any, Any]]:
        """Where each element lies, as arrays of shape (rows, columns), or (blocks, rows, columns).

        The keys are "register", "lane" (the first that holds it) and "bit" (its lowest in the
        register), of an operand in shared memory "byte" and "bit". "lane_copies" has what to add to
        a lane to get the others that hold the same. Needs numpy.
        """
        import numpy

        data = json.loads(self._ask("show", "json"))
        shape = [data["rows"], data["cols"]]
        if data["blocks"] > 1:
            shape.insert(0, data["blocks"])
        names = {"reg": "register", "lane": "lane", "bit": "bit", "byte": "byte"}
        table = {
            name: numpy.array(data[key]).reshape(shape)
            for key, name in names.items()
            if key in data
        }
        table.setdefault("bit", numpy.zeros(shape, int))
        if "lane" in table:
            table["lane_copies"] = numpy.array(data.get("lane_copies", [0]))
        return table

    def _place(
        self, row: int | None, column: int | None, block: int | None, axes: dict[str, int]
    ) -> list[int]:
        """An element, of which each coordinate is given once, by its place or by its axis."""
        coordinates = [row, column]
        names = _axes.get(self.letter, ("row", "column"))
        for name, value in axes.items():
            if name not in names:
                raise TypeError(f"{self.letter} has the axes {' and '.join(names)}, and no {name!r}")
            if coordinates[names.index(name)] is not None:
                raise TypeError(f"{name} is given twice: by its place, or as row or column, too")
            coordinates[names.index(name)] = value
        place = []
        for what, each in zip((*names, "block"), (*coordinates, block)):
            if each is None and what == "block":
                continue
            if each is None:
                raise TypeError(f"{what} is missing; an element of {self.letter} is at({', '.join(names)})")
            place.append(operator.index(each))
        return place

    def at(
        self,
        row: int | None = None,
        column: int | None = None,
        block: int | None = None,
        **axes: int,
    ) -> list[Place]:
        """All places of one element: ``a.at(5, 3)``, or by the names of the axes, ``a.at(m=5, k=3)``.

        The rows and columns of A are m and k, of B k and n, of C and D m and n. Raises Error for an element
        outside the operand, and TypeError for a coordinate that is missing or given twice.
        """
        place = self._place(row, column, block, axes)
        found = json.loads(self._ask("get", "json", at=place))["found"]
        return [record_of(Place, each) for each in found]

    def holds(self, register: int, lane: int) -> list[Place]:
        """What a register of a lane holds: no element, one, or several of fewer bits.

        Raises Error for a register or a lane that there is not.
        """
        for value, what in ((register, "register"), (lane, "lane")):
            if value < 0:
                raise Error(f"{what} {value}: it is 0 or more")
        found = json.loads(self._ask("get", "json", register=register, lane=lane))["found"]
        return [record_of(Place, each) for each in found]

    def sources(
        self,
        row: int | None = None,
        column: int | None = None,
        block: int | None = None,
        **axes: int,
    ) -> list[Place]:
        """What goes into one element of D: its own place, its row of A, its column of B, and C.

        The element is said as for `at`. Raises Error for other operands than D, sparse products, and operands
        in shared memory.
        """
        if self.letter != "D":
            raise Error(f"sources are of an element of D, as operand('D').sources(5, 3), and not of {self.letter}")
        place = self._place(row, column, block, axes)
        found = json.loads(self._ask("get", "json", at=place, sources=True))["found"]
        return [record_of(Place, each) for each in found]

    def highlighted(
        self,
        *,
        lane: int | None = None,
        register: int | None = None,
        row: int | None = None,
        column: int | None = None,
    ) -> Operand:
        """The same operand, whose picture and text show only what meets all the conditions.

        Raises Error where there is no condition, and where the operand has no such lane, register,
        row or column.
        """
        given = {"lane": lane, "reg": register, "row": row, "column": column}
        words = ",".join(f"{name}={value}" for name, value in given.items() if value is not None)
        if not words:
            raise Error("say which: a lane, a register, a row or a column, or several of these")
        shown = Operand(self.instruction, self.letter, self._options)
        shown._highlight = words
        shown._ask("show", "md")  # refuses a number that the operand does not have
        return shown

    def to_json(self) -> dict[str, Any]:
        """What `heddle show --format json` prints, as an object (docs/json.md)."""
        return dict(json.loads(self._ask("show", "json")))

    def __repr__(self) -> str:
        return f"<{self.letter} of {self.instruction.name}: {self.type} in {self.storage}>"

    def __str__(self) -> str:
        return self._ask("show", "text", colour="never")

    def _repr_svg_(self) -> str | None:
        return None if self.storage == "shared memory" else self._ask("show", "svg")


class Instruction(Drawn):
    """A matrix instruction on a processor, as `heddle.instruction` finds it.

    `str()` of it is what `heddle info` prints: what it computes, needs and takes, how fast it is at
    most, how to call it, and who confirms its row of the catalogue.
    """

    def __init__(self, name: str, target: str, wave: int, n: int) -> None:
        self._key = (name, target, wave, n)
        self._named: dict[str, Any] = dict(zip(("name", "target", "wave", "n"), self._key))
        self._info: dict[str, Any] = json.loads(
            ask("info", {**self._named, "format": "json"})
        )

    @property
    def name(self) -> str:
        """The assembler's mnemonic; of PTX with all qualifiers."""
        return str(self._info["name"])

    @property
    def target(self) -> str:
        """The processor: gfx1151, sm_90."""
        return str(self._info["arch"])

    @property
    def wave(self) -> int:
        """The lanes of a wave; of a warpgroup 128."""
        return int(self._info["wave"])

    @property
    def shape(self) -> tuple[int, int, int]:
        """(m, n, k): A is m x k, B is k x n, C and D are m x n."""
        return self._info["m"], self._info["n"], self._info["k"]

    @property
    def blocks(self) -> int:
        """How many matrices it multiplies at once."""
        return int(self._info["blocks"])

    @property
    def computes(self) -> str:
        """In words."""
        return str(self._info["computes"])

    @property
    def needs(self) -> tuple[str, ...]:
        """What the hardware demands, in words."""
        return tuple(self._info["needs"])

    @property
    def witnesses(self) -> tuple[str, ...]:
        """Who confirms where its elements lie."""
        return tuple(self._info["witnesses"]["places"])

    @property
    def call(self) -> str:
        """How to call it from HIP or CUDA: source to paste. Empty where there is none."""
        return str((self._info.get("call") or {}).get("source", ""))

    def _published(self, cls: type[_Record], key: str) -> Optional[_Record]:
        data = self._info.get(key)
        return None if data is None else record_of(cls, data)

    @property
    def throughput(self) -> Optional[Throughput]:
        """Multiplications and additions a clock, at most; None where nothing is published."""
        return self._published(Throughput, "rate")

    @property
    def latency(self) -> Optional[Latency]:
        """Clocks until its result can be used; None where nothing is published."""
        return self._published(Latency, "latency")

    @property
    def co_execution(self) -> Optional[CoExecution]:
        """When vector instructions issue beside it; None where nothing is published."""
        return self._published(CoExecution, "co_execution")

    @property
    def encoding(self) -> Optional[Encoding]:
        """Its format, opcode and bytes; None where nothing is published, as of NVIDIA's."""
        return self._published(Encoding, "encoding")

    def to_json(self) -> dict[str, Any]:
        """What `heddle info --format json` prints, as an object (docs/json.md)."""
        return dict(self._info)

    @property
    def operands(self) -> tuple[str, ...]:
        """The letters of its operands."""
        return tuple(self._info["operands"])

    def operand(self, letter: str, **options: Any) -> Operand:
        """One operand: A, B, C, D, K (index of a sparse A), SA, SB (scales), P (addresses).

        `options` are those of `heddle show`: `k_order` ("isa" or "contiguous"); the modifiers `cbsz`,
        `abid`, `blgp`, `opsel` of AMD and `selector` of NVIDIA; `a_format` and `b_format`; of an
        operand in shared memory `swizzle` ("none", "32", "64", "128") and `major` ("k" or "mn").

        Small letters are taken too. Raises Error for a letter that the instruction does not have and options
        that it does not take.
        """
        if not isinstance(letter, str):
            raise TypeError(f"an operand is a letter, as 'A', not {type(letter).__name__}")
        letter = letter.upper()
        one_of(letter, self.operands, f"operand of {self.name}")
        made = Operand(self, letter, _checked(dict(options)))
        made._ask("show", "json")  # refuses what the instruction does not take
        return made

    def __repr__(self) -> str:
        return f"<{self.name} on {self.target}: {self.computes}>"

    def __str__(self) -> str:
        return ask("info", {**self._named, "format": "text"})

    def _repr_svg_(self) -> str | None:
        try:
            return ask("show", {**self._named, "format": "svg"})
        except Error:  # an operand in shared memory is not drawn
            return None


def instruction(name: str, *, target: str = "", wave: int = 0, n: int = 0) -> Instruction:
    """An instruction by any name: its mnemonic, or the one in CUTLASS, IREE, LLVM or clang.

    `target` is a processor, by its name, product or architecture (gfx1151, MI300X, Hopper); without
    it gfx1151, or the first that has the instruction. `wave` is 32 or 64, where it has both; `n` the
    columns of B, where the instruction has several sizes (wgmma).

    Raises Error for an unknown name, with the nearest ones, and a processor without it.

    >>> wmma = instruction("v_wmma_f32_16x16x16_f16", target="gfx1151")
    >>> wmma.shape, wmma.operands
    ((16, 16, 16), ('A', 'B', 'C', 'D'))
    >>> wmma.operand("D").layout(register=2, lane=19)
    {'m': 5, 'n': 3}
    >>> [place.lane for place in wmma.operand("A").at(5, 3)]
    [5, 21]
    """
    if wave not in (0, 32, 64):
        raise Error(f"wave {wave}: a wave has 32 or 64 lanes")
    if n < 0:
        raise Error(f"n is {n}; it is 1 or more, or 0 for the largest")
    return Instruction(name, target, wave, n)


def processor_of(target: str) -> str:
    """The processor of a product or an architecture, as gfx942 of MI300X. A name stays, also one of no
    processor that Heddle knows: what is asked with it says so. Raises Error for another word."""
    if not isinstance(target, str):
        raise TypeError(f"target is a text, as 'gfx1151' or 'MI300X', not {type(target).__name__}")
    if not target or target.lower().startswith(("gfx", "sm_")):
        return target.lower()
    row = instructions(target=target)[0]
    return Instruction(row.name, target, 0, 0).target


def instructions(
    name: str = "", *, target: str = "", type: str = "", shape: str = ""
) -> list[InstructionRow]:
    """The rows of the catalogue: those with `name` in their name, on a processor, with A or B of a
    type (f16, e4m3, s8), of a shape ("16x16x16", or "16x16" for any k). Everything without conditions.

    Raises Error where nothing meets all conditions.
    """
    fields = {"name": name, "target": target, "type": type, "shape": shape, "format": "json"}
    rows = json.loads(ask("list", fields))["instructions"]
    return [record_of(InstructionRow, row) for row in rows]
