"""Layouts: maps between named axes, in every dialect, with their algebra and their arrays."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _core
from ._ask import ask, told
from ._core import Error
from ._foreign import Source, as_text
from ._picture import Drawn

if TYPE_CHECKING:
    import numpy

__all__ = ["Layout", "layout"]

#: Whatever `layout` takes: a text, a Layout, or an object of another package.
LayoutLike = Union["Layout", Source]

# Further words for the keys of docs/dialects.md.
_dialect_words = {
    "heddle": "linear",
    "native": "linear",
    "triton": "ttg",
    "ck": "ck-tile",
    "ck_tile": "ck-tile",
}


def _named(value: Any, what: str) -> Mapping[str, Any]:
    """The value, which is a mapping from names. Raises TypeError."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{what} are a mapping from names of axes, not {type(value).__name__}")
    return value


def _integer(value: Any, what: str) -> int:
    """The value as an int, which it is or is like. Raises TypeError."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is an integer, not {type(value).__name__}") from None


def _bits_of(size: int, what: str) -> int:
    """The bits of an axis of that size."""
    size = _integer(size, f"the size of {what}")
    if size < 1 or size & (size - 1):
        raise Error(f"{what} has size {size}; sizes are powers of two")
    return size.bit_length() - 1


def _axes(names: str | Sequence[str]) -> list[str]:
    """Names of axes, or one alone."""
    return [names] if isinstance(names, str) else list(names)


def sizes_text(sizes: int | Sequence[int] | None, what: str) -> str:
    """"64x32" of (64, 32); empty of None."""
    if sizes is None:
        return ""
    if isinstance(sizes, (str, bytes)):
        raise TypeError(f"{what} is a number or several, as (64, 32), not the text {sizes!r}")
    several = sizes if isinstance(sizes, Iterable) else [sizes]
    numbers = [_integer(each, f"each of {what}") for each in several]
    if not numbers or min(numbers) < 1:
        raise Error(f"{what} is {sizes!r}; wanted are sizes, as (64, 32)")
    return "x".join(map(str, numbers))


class Layout(Drawn):
    """A map between named axes, read by `heddle.layout` or made from its bases.

    `kind` says which of three things it is:

    - ``"linear"``: a map over bits, as who holds a tile (``register, lane -> m, n``) or its inverse;
    - ``"shared"``: where a tile lies in memory (``offset -> dim0, dim1``), perhaps with padding;
    - ``"function"``: CuTe's map from coordinates to offsets, where it is no such place: of any sizes.

    Layouts are values: they do not change, and equal ones are equal and hash alike.

    >>> atom = Layout({"register": [(0, 1)], "lane": [(1, 0), (2, 0)]}, {"m": 4, "n": 2})
    >>> atom
    Layout('register: (0,1); lane: (1,0) (2,0) -> m: 4, n: 2')
    >>> atom(register=1, lane=3)
    {'m': 3, 'n': 1}
    """

    __slots__ = (
        "_bases", "_element_bits", "_kind", "_outputs", "_padding", "_text", "dialect", "read_as",
    )

    #: The key of the dialect it was read from (docs/dialects.md); "linear" of one that was computed;
    #: empty of an operand.
    dialect: str
    #: What it was taken for, in words.
    read_as: str

    def __init__(
        self, inputs: Mapping[str, Iterable[Sequence[int]]], outputs: Mapping[str, int]
    ) -> None:
        """A layout from its bases.

        `inputs` has for each input axis, in order, a basis for each of its bits, lowest first: the
        coordinates on the output axes, in their order. `outputs` has the size of each output axis.

        Raises Error for a size that is no power of two, a basis with too few or too many
        coordinates or one outside its axis, more than 8 axes or 64 bits on a side, and names that
        are not 1 to 15 letters, digits and underscores.
        """
        sides = [
            name
            + ":"
            + "".join(
                " (" + ",".join(str(_integer(each, "a coordinate")) for each in basis) + ")"
                for basis in bases
            )
            for name, bases in _named(inputs, "inputs").items()
        ]
        sizes = [
            f"{name}: 2^{_bits_of(size, name)}"
            for name, size in _named(outputs, "outputs").items()
        ]
        text = ("; ".join(sides) + " -> " + ", ".join(sizes)).strip()
        self._set(_core.canonical(text), "linear", 0, "")

    def _set(self, text: str, dialect: str, element_bits: int, read_as: str) -> None:
        self._text = text
        self.dialect = dialect
        self.read_as = read_as
        self._element_bits = element_bits
        self._kind, bases, outputs, padding = _core.layout_parts(text)
        self._bases = {name: [tuple(basis) for basis in each] for name, each in bases}
        self._outputs = {name: 1 << bits for name, bits in outputs}
        self._padding = tuple(padding)

    @classmethod
    def _from_text(
        cls, text: str, dialect: str = "linear", element_bits: int = 0, read_as: str = ""
    ) -> Layout:
        self = cls.__new__(cls)
        self._set(text, dialect, element_bits, read_as)
        return self

    # What it is.

    @property
    def text(self) -> str:
        """Heddle's own text; of a ``"function"`` CuTe's. `heddle.layout` reads it back."""
        return self._text

    @property
    def kind(self) -> str:
        """``"linear"``, ``"shared"`` or ``"function"``."""
        return self._kind

    @property
    def element_bits(self) -> int:
        """The bits of an element where what was read says them (a pointer of CuTe's, an array); else 0."""
        return self._element_bits

    @property
    def inputs(self) -> dict[str, int]:
        """The size of each input axis, in order."""
        return {name: 1 << len(bases) for name, bases in self._bases.items()}

    @property
    def outputs(self) -> dict[str, int]:
        """The size of each output axis, in order."""
        return dict(self._outputs)

    @property
    def bases(self) -> dict[str, list[tuple[int, ...]]]:
        """For each input axis a basis per bit, lowest first: where that bit alone leads."""
        return {name: list(bases) for name, bases in self._bases.items()}

    @property
    def padding(self) -> tuple[tuple[int, int], ...]:
        """Pairs (interval, amount): after every `interval` elements `amount` are left free."""
        return self._padding

    @property
    def without_padding(self) -> Layout:
        """The same with no elements left free."""
        return Layout._from_text(self._text.split(" padding ")[0], self.dialect, self._element_bits)

    def __repr__(self) -> str:
        return f"Layout({self._text!r})"

    def __str__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Layout._from_text, (self._text, self.dialect, self._element_bits, self.read_as))

    def describe(self) -> str:
        """What `heddle layout` prints: what it is, in words, and a table of the tile."""
        return ask("layout", {"text": self._text, "colour": "never", "format": "text"})

    def _repr_svg_(self) -> str | None:
        try:
            return ask("layout", {"text": self._text, "format": "svg"})
        except Error:  # a map with axes of its own, which is no layout of a tile
            return None

    # Where a point goes.

    def _linear(self, for_what: str) -> None:
        if not self._outputs and not self._bases and self._kind == "function":
            raise Error(
                f"{for_what} needs a map over bits, and {self._text} is none: its sizes are no powers "
                "of two, or its strides carry"
            )

    def __call__(self, **point: Any) -> dict[str, Any]:
        """The outputs of named inputs, which are ints or numpy arrays of ints; those left out are 0.

        Raises Error for an unknown axis and a number outside its axis. Padding does not count: see
        `places`.
        """
        self._linear("a call")
        outputs: list[Any] = [0] * len(self._outputs)
        for name, value in point.items():
            if name not in self._bases:
                raise Error(
                    f"there is no input axis '{name}'; there are {', '.join(self._bases) or 'none'}"
                )
            size = 1 << len(self._bases[name])
            inside = (value >= 0) & (value < size)
            if not (inside if isinstance(inside, bool) else inside.all()):
                raise Error(f"the value {value} lies outside axis '{name}', which has size {size}")
            for bit, basis in enumerate(self._bases[name]):
                for at, coordinate in enumerate(basis):
                    outputs[at] = outputs[at] ^ (value >> bit & 1) * coordinate
        return dict(zip(self._outputs, outputs))

    def indices(self) -> numpy.ndarray[Any, Any]:
        """Where every input goes, as an array of ints.

        Its shape is one axis for each input axis, in order, and a last one with a coordinate for
        each output axis: of ``register: 8, lane: 32 -> m, n`` it is (8, 32, 2), and
        ``indices()[register, lane]`` is ``(m, n)``. Of a ``"function"`` it is the size of each mode,
        and then 1: the offset. Padding does not count: see `places`.

        Needs numpy. Raises Error beyond 2**24 entries.
        """
        import numpy

        if self._kind == "function":
            sizes, data = _core.function_table(self._text)
            return numpy.frombuffer(data, numpy.int64).reshape(*sizes, 1).copy()
        bits = sum(len(bases) for bases in self._bases.values())
        if bits > 24:
            raise Error(f"the layout has 2**{bits} inputs; an array may have 2**24")
        count = len(self._outputs)
        table = numpy.zeros((1, count), numpy.int64)
        # Numpy's last axis runs fastest, so that the bits of the last input axis come first.
        for bases in reversed(self._bases.values()):
            for basis in bases:
                if any(coordinate >> 63 for coordinate in basis):
                    raise Error("a coordinate of 64 bits does not fit into an array of int64")
                moved = table ^ numpy.array(basis, numpy.int64)
                table = numpy.concatenate([table, moved])
        return table.reshape(*(1 << len(bases) for bases in self._bases.values()), count)

    def places(self) -> numpy.ndarray[Any, Any]:
        """Of a ``"shared"`` layout: the offset of every element, in elements and with the padding.

        The shape is that of the tile, ``tuple(outputs.values())``. Of a layout over several blocks
        the block is not said. Needs numpy. Raises Error for layouts of another kind.
        """
        if self._kind != "shared":
            raise Error(f"places are those of a tile in memory; this is a {self._kind} layout")
        offset = self.without_padding.pseudo_inverse().indices()[..., 0]
        place = offset.copy()
        for interval, amount in self._padding:
            place += offset // interval * amount
        return place

    # The algebra of docs/layout.md. Laws and errors are those of include/heddle/layout.

    def _unary(self, operation: str) -> Layout:
        return Layout._from_text(_core.unary(operation, self._text))

    def _binary(self, operation: str, other: LayoutLike) -> Layout:
        return Layout._from_text(_core.binary(operation, self._text, layout(other)._text))

    def compose(self, outer: LayoutLike) -> Layout:
        """First this, then `outer`: ``f.compose(g)(x) == g(f(x))``.

        Raises Error where the outputs of this and the inputs of `outer` differ in axes or sizes.
        """
        return self._binary("compose", outer)

    def product(self, tiling: LayoutLike) -> Layout:
        """This and `tiling`, each on its own bits, those of this below: an atom, repeated.

        Raises Error for more than 8 axes or 64 bits on a side.
        """
        return self._binary("product", tiling)

    def divide(self, part: LayoutLike) -> Layout:
        """What this does beyond `part`: ``atom.product(tiling).divide(atom)`` is the tiling.

        Raises Error, with the axis or the basis, where `part` is no part.
        """
        return self._binary("divide_left", part)

    def inverse(self) -> Layout:
        """The inverse. Raises Error where this is not invertible, with the basis at fault."""
        return self._unary("invert")

    def pseudo_inverse(self) -> Layout:
        """An inverse that chooses one input of several, and 0 for an output that none reaches."""
        return self._unary("pseudo_inverse")

    def inverse_and_compose(self, to: LayoutLike) -> Layout:
        """The map m with ``m.compose(to) == self``: which input of `to` has the same output.

        Raises Error where `to` does not reach an output of this.
        """
        return self._binary("invert_and_compose", to)

    def kernel(self) -> Layout:
        """An injective map onto the inputs that go to zero: what copies."""
        return self._unary("kernel")

    def image(self) -> Layout:
        """An injective map that reaches the same outputs."""
        return self._unary("image")

    def complement(self) -> Layout:
        """An injective map that, joined with this, reaches every output."""
        return self._unary("complement")

    def join_inputs(self, other: LayoutLike) -> Layout:
        """Two maps into the same outputs as one: the inputs of this, then those of `other`."""
        return self._binary("concatenate_inputs", other)

    def join_outputs(self, other: LayoutLike) -> Layout:
        """Two maps of the same inputs as one: the outputs of this, then those of `other`."""
        return self._binary("concatenate_outputs", other)

    def rename(
        self, inputs: Mapping[str, str] | None = None, outputs: Mapping[str, str] | None = None
    ) -> Layout:
        """The same with other names of axes. Raises Error for unknown axes and names taken."""
        text = self._text
        for is_input, names in ((True, inputs or {}), (False, outputs or {})):
            for old, new in _named(names, "new names").items():
                text = _core.rename(text, is_input, old, new)
        return Layout._from_text(text)

    def select(
        self,
        inputs: str | Sequence[str] | None = None,
        outputs: str | Sequence[str] | None = None,
    ) -> Layout:
        """The map on some axes, or on one, in the order given; all of a side where None.

        Other inputs are fixed at 0 and other outputs forgotten. Naming all axes of a side in another
        order transposes. Raises Error for unknown axes.
        """
        self._linear("select")
        return Layout._from_text(
            _core.sublayout(
                self._text,
                list(self._bases) if inputs is None else _axes(inputs),
                list(self._outputs) if outputs is None else _axes(outputs),
            )
        )

    def reshape(
        self, inputs: Mapping[str, int] | None = None, outputs: Mapping[str, int] | None = None
    ) -> Layout:
        """The same bits, divided into other axes (name -> size), the first in the low bits.

        Raises Error where that changes how many bits a side has.
        """
        text = self._text
        for is_input, sizes in ((True, inputs), (False, outputs)):
            if sizes is not None:
                bits = [_bits_of(size, name) for name, size in _named(sizes, "sizes").items()]
                text = _core.reshape(text, is_input, list(sizes), bits)
        return Layout._from_text(text)

    def resize(self, **outputs: int) -> Layout:
        """Into larger or smaller output axes; every coordinate stays.

        Raises Error for unknown axes and where a basis would be cut.
        """
        text = self._text
        for name, size in outputs.items():
            text = _core.resize_output(text, name, _bits_of(size, name))
        return Layout._from_text(text)

    @property
    def rank(self) -> int:
        """How many bits of outputs are reached: 2**rank outputs are."""
        return _core.layout_facts(self._text)[0]

    @property
    def contiguity(self) -> int:
        """The vector width: how many inputs in a row go to outputs in a row, by flat words."""
        return _core.layout_facts(self._text)[1]

    @property
    def copies(self) -> dict[str, int]:
        """For each input axis the mask of the bits that only make copies."""
        return dict(_core.layout_facts(self._text)[2])

    @property
    def is_injective(self) -> bool:
        """Whether no two inputs share an output."""
        return self.rank == sum(len(bases) for bases in self._bases.values())

    @property
    def is_surjective(self) -> bool:
        """Whether every output is reached."""
        return self.rank == sum(size.bit_length() - 1 for size in self._outputs.values())

    # Other dialects.

    def to(self, dialect: str) -> str:
        """The text in a dialect, by its key in docs/dialects.md or a name; or code to paste.

        ``"linear"`` (or "heddle"), ``"ttg"`` ("triton"), ``"gluon"``, ``"cute"``, ``"iree"``,
        ``"tilelang"``, ``"ck-tile"`` ("ck"). CuTe's text of who holds a tile is a thread-value
        layout; the tile, ``tuple(outputs.values())``, goes beside it. ``"c"``, ``"cuda"``,
        ``"hip"``, ``"python"`` and ``"mlir"`` are functions of integers.

        Raises Error where the dialect cannot say this layout: the sentence has the reason.

        >>> print(layout("(3,5):(5,1)").to("cuda"), end="")
        // The index of each of 3x5 coordinates.
        __host__ __device__ inline int offset(int mode0, int mode1) {
          return (mode0 * 5) + mode1;
        }
        """
        if not isinstance(dialect, str):
            raise TypeError(f"a dialect is a word such as 'cute', not {type(dialect).__name__}")
        word = dialect.lower()
        key = _dialect_words.get(word, word)
        if key in _core.languages():
            return ask("translate", {"text": self._text, "dialect": key, "format": "text"})
        return _core.write_layout(self._text, key)


def layout(
    source: LayoutLike,
    *,
    shape: int | Sequence[int] | None = None,
    warps: int | Sequence[int] | None = None,
    target: str = "",
    lanes: int = 0,
) -> Layout:
    """Reads a layout.

    `source` is a text in any dialect of docs/dialects.md; the operand of an instruction, as
    "v_wmma_f32_16x16x16_f16.A", or as an Operand; the name of a layout in a file of Triton's, as
    "kernel.ttgir:blocked"; a Layout; or an object that is one elsewhere, taken as it looks: a layout of Triton's or Gluon's,
    pycute's or CuTe DSL's, an attribute of IREE's, a fragment of TileLang's, and arrays with strides
    (torch, numpy, CuPy), whose layout is where their elements lie.

    `shape` has the sizes of the tile where the text leaves them open, as Triton's attributes do. Of
    CuTe's text it says that this is a thread-value layout of such a tile. Over it an operand is spread,
    among `warps`. `target` is the processor of an operand. `lanes` is that of a warp, 32 unless the
    target has others.

    Raises Error with the column and what was expected there, and TypeError for what is neither a text nor
    anything with a layout.

    >>> layout("(4,8):(8,1)").kind
    'shared'
    >>> layout("#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "
    ...        "warpsPerCTA = [1, 1], order = [1, 0]}>", shape=(8, 8)).to("cute")
    '((4,8),2):((16,1),8)'
    """
    if isinstance(source, Layout):
        return source
    from ._instruction import Operand  # which is made of layouts

    if isinstance(source, Operand):
        if shape is None:
            return source.layout
        if source.k_order != "isa":
            raise Error("an operand is spread over a tile with k in the order of the ISA")
        text, element_bits = source.name, source.bits
        target = target or source.instruction.target
        lanes = lanes or source.instruction.wave % 128
    else:
        text, element_bits = as_text(source)
    if lanes not in (0, 1, 2, 4, 8, 16, 32, 64):
        raise Error(f"lanes is {lanes}; a warp has a power of two of them, at most 64")
    read, dialect, read_as, bits, _ = told(
        "layout", _core.read_layout, text, sizes_text(shape, "shape"), sizes_text(warps, "warps"), target, lanes
    )
    return Layout._from_text(read, dialect, bits or element_bits, read_as)
