"""Questions to the compiled part, whose refusals are in the words of the command line: here their options
become Python's arguments."""

from __future__ import annotations

import re
from typing import Any, Callable, TypeVar

from . import _core
from ._core import Error

_Answer = TypeVar("_Answer")

# Options that have another name in Python, for each question.
_everywhere = {
    "at": "at(row, column)",
    "byte": "byte",
    "highlight": "highlighted",
    "lane": "lane",
    "operand": "operand",
    "reg": "register",
    "sources": "sources",
    "view": "view",
}
_arguments: dict[str, dict[str, str]] = {
    "banks": {"memory": "memory", "access": "access", "active": "active", "bytes": "width", "with": "move"},
    "convert": {"from": "source", "to": "destination"},
    "layout": {"tile": "shape", "lanes": "lanes"},
    "place": {"descriptor": "means='descriptor'"},
}
# Options of the same name, whose values may stand behind them.
_same = ("tile", "shape", "warps", "type", "target", "k-order", "swizzle", "major", "selector", "store", "load")

# An option of the command line, and a value of it in an advice. What stands in backquotes is a command to
# type.
_option = re.compile(
    r"`[^`]*`"
    r"|--(?P<of_sizes>tile|shape) (?P<sizes>\d+(?:x\d+)+)"
    r"|--(?P<of_words>k-order|swizzle|major|operand) (?P<word>contiguous|isa|k|mn|[A-D]|\d+)\b"
    r"|--at (?P<cells>row,column)(?:\[?,block\]?)?"
    r"|--(?P<name>[a-z]+(?:-[a-z]+)*)"
)


def in_words_of_python(question: str, sentence: str) -> str:
    """The sentence with arguments instead of the options of the command line.

    >>> in_words_of_python("banks", "--warps needs the tile that they share, as --tile 64x32")
    'warps needs the tile that they share, as tile=(64, 32)'
    """
    names = {**_everywhere, **_arguments.get(question, {})}

    def argument(found: re.Match[str]) -> str:
        name = found["of_sizes"] or found["of_words"] or found["name"]
        if found["cells"]:
            return "at(row, column)"
        if name not in names and name not in _same:
            return found[0]
        word = names.get(name, name.replace("-", "_"))
        if found["sizes"]:
            return f"{word}=({found['sizes'].replace('x', ', ')})"
        return f"{word}={found['word']!r}" if found["word"] else word

    return _option.sub(argument, sentence)


def told(question: str, call: Callable[..., _Answer], *given: Any) -> _Answer:
    """The answer of a function of the compiled part. Raises Error in the words of Python."""
    try:
        return call(*given)
    except Error as refusal:
        raise Error(in_words_of_python(question, str(refusal))) from None


def ask(question: str, fields: dict[str, Any]) -> str:
    """The answer to a question. Raises Error in the words of Python."""
    return told(question, _core.ask, question, fields)
