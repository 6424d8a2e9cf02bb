"""The compiled part: functions of texts and numbers, without classes. All arguments are positional.

A layout crosses as its text (`Layout.text`). Refusals raise Error.
"""

from typing import Any

#: Of the project: heddle.__version__.
version: str

class Error(ValueError):
    """Heddle refused its input. The sentence says what was wrong, where, and what would be right."""

def canonical(text: str, /) -> str:
    """Heddle's own text of a linear layout, as Heddle writes it."""

def read_layout(
    text: str, shape: str, warps: str, target: str, lanes: int, /
) -> tuple[str, str, str, int, str]:
    """The layout's text, the key of its dialect, what it was taken for, the bits of an element or 0,
    and their type."""

def ask(question: str, fields: dict[str, Any], /) -> str:
    """The answer of answers/ to banks, convert, get, info, layout, list, place, show
    or translate. `fields` are those of the question's record in C++, and `format`."""

def languages() -> list[str]:
    """The languages of the question translate, besides the dialects."""

def operand_map(
    name: str, target: str, wave: int, n: int, operand: str, k_order: str, /
) -> str:
    """The map of an operand of an instruction, with k in an order."""

def write_layout(text: str, dialect: str, /) -> str:
    """The layout in the dialect of that key."""

def layout_parts(
    text: str, /
) -> tuple[str, list[tuple[str, list[list[int]]]], list[tuple[str, int]], list[tuple[int, int]]]:
    """The kind, the inputs with their bases, the outputs with their bits, and the padding."""

def layout_facts(text: str, /) -> tuple[int, int, list[tuple[str, int]]]:
    """The rank, the contiguity, and for each input axis the mask of bits that make copies."""

def function_table(text: str, /) -> tuple[list[int], bytes]:
    """Of a function of CuTe's: the size of each mode, and all offsets as 64-bit numbers."""

def unary(operation: str, text: str, /) -> str:
    """invert, pseudo_inverse, kernel, image or complement."""

def binary(operation: str, first: str, second: str, /) -> str:
    """compose, product, divide_left, invert_and_compose, concatenate_inputs or _outputs."""

def rename(text: str, of_input: bool, old: str, new: str, /) -> str:
    """The layout with another name for one axis."""

def sublayout(text: str, inputs: list[str], outputs: list[str], /) -> str:
    """The map on some of its axes, in the order given."""

def reshape(text: str, of_inputs: bool, names: list[str], bits: list[int], /) -> str:
    """The same bits, divided into other axes."""

def resize_output(text: str, name: str, bits: int, /) -> str:
    """Into a larger or smaller output axis."""
