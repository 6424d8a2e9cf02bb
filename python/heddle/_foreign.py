"""Layouts that are objects of other packages, taken by what they look like: nothing is imported."""

from __future__ import annotations

import numbers
from typing import Any

from ._core import Error

#: A text, or an object of another package that is a layout or has strides.
Source = Any


def _nest(value: Any) -> str | None:
    """CuTe's text of a number or of nested tuples of numbers; None of anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (list, tuple)) or type(value).__name__ == "Size":  # torch.Size is a tuple
        parts = [_nest(each) for each in value]
        return None if None in parts else "(" + ",".join(str(part) for part in parts) + ")"
    index = getattr(value, "__index__", None)
    if index is None:
        return None
    try:
        return str(int(index()))
    except (TypeError, ValueError):  # a number that only a compiler knows
        return None


def _bits_of_dtype(dtype: Any) -> int:
    """The bits of an element: numpy's and torch's itemsize, CuTe's width; 0 where neither is."""
    for name, unit in (("itemsize", 8), ("width", 1)):
        value = getattr(dtype, name, None)
        if isinstance(value, int):
            return value * unit
    return 0


def _strided(array: Any) -> tuple[str, int] | None:
    """An array: torch's `stride()` counts elements, numpy's `strides` bytes."""
    shape = getattr(array, "shape", None)
    if not isinstance(shape, tuple):
        return None
    bits = _bits_of_dtype(getattr(array, "dtype", None))
    stride = getattr(array, "stride", None)
    strides = getattr(array, "strides", None)
    if callable(stride):
        steps = tuple(stride())
    elif isinstance(strides, tuple) and bits:
        size = bits // 8
        if any(step % size for step in strides):
            raise Error(f"strides of {strides} bytes are no multiples of the element's {size}")
        steps = tuple(step // size for step in strides)
    else:
        return None
    if not shape:
        return "1:0", bits
    return f"{_nest(tuple(shape))}:{_nest(steps)}", bits


def _shape_and_stride(value: Any) -> str | None:
    """pycute's Layout and CuTe DSL's, of which both are numbers or tuples."""
    if callable(getattr(value, "stride", None)):
        return None
    shape = _nest(getattr(value, "shape", None))
    stride = _nest(getattr(value, "stride", None))
    return None if shape is None or stride is None else f"{shape}:{stride}"


def _composed(value: Any) -> str | None:
    """pycute's ComposedLayout, layoutB(offset + layoutA(c)), and CuTe DSL's: inner, offset, outer."""
    for names in (("layoutB", "offset", "layoutA"), ("inner", "offset", "outer")):
        swizzle, offset, layout = (getattr(value, name, None) for name in names)
        if swizzle is None or layout is None:
            continue
        numbers = [getattr(swizzle, each, None) for each in ("bits", "base", "shift")]
        text = _shape_and_stride(layout)
        start = _nest(offset)
        if text is not None and start is not None and all(isinstance(n, int) for n in numbers):
            return "Sw<{},{},{}> o {} o {}".format(*numbers, start, text)
    return None


def _linear(value: Any) -> str | None:
    """Triton's LinearLayout: bases and out_dims, each a list of pairs."""
    bases = getattr(value, "bases", None)
    sizes = getattr(value, "out_dims", None)
    if bases is None or sizes is None or callable(bases) or callable(sizes):
        return None
    pairs = [list(each.items() if hasattr(each, "items") else each) for each in (bases, sizes)]
    inputs = "; ".join(
        name + ":" + "".join(" (" + ",".join(map(str, basis)) + ")" for basis in each)
        for name, each in pairs[0]
    )
    return inputs + " -> " + ", ".join(f"{name}: {size}" for name, size in pairs[1])


def as_text(source: Source) -> tuple[str, int]:
    """The text of a layout, and an element's bits where the object says them; else 0.

    Raises TypeError for numbers, bytes and None, and Error for an object that does not look like a layout.
    """
    if isinstance(source, str):
        return source, 0
    # numpy's numbers have a shape and strides, too, and the repr of a number could be read.
    if source is None or isinstance(source, (numbers.Number, bytes)) or type(source).__name__ == "bool_":
        raise TypeError(f"a layout is a text or an object with a layout, not {type(source).__name__}")
    for looks in (_linear, _composed):
        text = looks(source)
        if text is not None:
            return text, 0
    strided = _strided(source)
    if strided is not None:
        return strided
    text = _shape_and_stride(source)
    if text is not None:
        return text, 0
    # A repr that only says where the object is tells nothing.
    own = type(source)
    if own.__name__ == "constexpr" and hasattr(source, "value"):  # Triton's, around a layout of Gluon's
        return as_text(source.value)
    for text in (str(source), repr(source)):  # MLIR's repr has the class around the text
        if text and not text.startswith("<"):
            return text, 0
    raise Error(
        f"a {own.__module__}.{own.__qualname__} does not look like a layout: wanted is a text in a "
        "dialect of docs/dialects.md, an object with shape and stride, or one whose repr is such a text"
    )
