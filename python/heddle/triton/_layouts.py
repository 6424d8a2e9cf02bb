"""The layouts that Triton has chosen for a kernel, drawn: those of its TTGIR."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Optional

from .._core import Error
from .._layout import Layout, layout


@dataclass(frozen=True)
class KernelLayout:
    """One layout of a kernel, and the tensors that have it."""

    name: str  #: its alias in the TTGIR: #blocked, #mma
    text: str  #: as Triton writes it
    tensors: tuple[str, ...]  #: types of tensors and of shared memory that have it: 64x32xf16
    layout: Optional[Layout]  #: None where Heddle cannot read it
    problem: str  #: then why

    def __str__(self) -> str:
        return f"{self.name} of {', '.join(self.tensors)}: {self.text}"

    def _repr_html_(self) -> str:
        import html

        picture = self.layout._repr_html_() if self.layout is not None else html.escape(self.problem)
        return f"<h4>{html.escape(str(self))}</h4>{picture}"


class KernelLayouts(tuple[KernelLayout, ...]):
    """The layouts of a kernel; a notebook shows their pictures."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(
            f"{each}\n{each.layout if each.layout is not None else each.problem}" for each in self
        )

    def _repr_html_(self) -> str:
        return "".join(each._repr_html_() for each in self)


def _texts(kernel: Any) -> Iterator[str]:
    """The TTGIR of a compiled kernel, or of all versions of a function that were compiled."""
    if isinstance(kernel, str):
        yield kernel
        return
    if hasattr(kernel, "asm"):
        yield str(kernel.asm["ttgir"])
        return
    caches = getattr(kernel, "device_caches", None)
    if caches is None and hasattr(kernel, "fn"):  # of an autotuner or of heuristics
        yield from _texts(kernel.fn)
        return
    if caches is None:
        raise TypeError(
            f"a compiled kernel, a function of triton.jit or the text of TTGIR is needed, not {type(kernel).__name__}"
        )
    for cache in caches.values():
        for each in cache[0].values():
            yield from _texts(each)


def _balanced(text: str, start: int) -> str:
    """From `start` up to the bracket that closes the first one."""
    depth = 0
    for index in range(start, len(text)):
        depth += {"<": 1, "{": 1, "[": 1, ">": -1, "}": -1, "]": -1}.get(text[index], 0)
        if depth == 0 and text[index] == ">" and text[index - 1] != "-":
            return text[start : index + 1]
    return text[start:]


def _replaced(text: str, alias: str, meaning: str) -> str:
    return re.sub(re.escape(alias) + r"\b", lambda _: meaning, text)


def _aliases(text: str) -> dict[str, str]:
    """The layouts of the module, by alias, where aliases inside of them are spelled out."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = re.match(r"(#\w+) = (#ttn?g\..*|#gluon\..*)$", line)
        if match and "shared_memory" not in match[2] and "tensor_memory>" not in match[2]:
            value = match[2]
            for name, inner in sorted(found.items(), key=lambda each: -len(each[0])):
                value = _replaced(value, name, inner)
            found[match[1]] = value
    return found


def layouts_of(kernel: Any) -> KernelLayouts:
    """What `heddle.triton.layouts` answers."""
    result: dict[tuple[str, tuple[str, ...]], KernelLayout] = {}
    for text in _texts(kernel):
        aliases = _aliases(text)
        used: dict[tuple[str, str], list[str]] = {}
        for shape, name in re.findall(r"<([0-9]+(?:x[0-9]+)*x[^,<>]*), (#\w+)[,>]", text):
            used.setdefault((name, aliases.get(name, "")), []).append(shape)
        for match in re.finditer(r"<([0-9]+(?:x[0-9]+)*x[^,<>]*), (#ttg\.(?:dot_op|slice)<)", text):
            inner = _balanced(text, match.start(2))
            for name, value in sorted(aliases.items(), key=lambda each: -len(each[0])):
                inner = _replaced(inner, name, value)
            used.setdefault((match[2].rstrip("<"), inner), []).append(match[1])
        for (name, value), shapes in used.items():
            if value:
                each = _read(name, value, tuple(dict.fromkeys(shapes)))
                result.setdefault((value, each.tensors), each)
    return KernelLayouts(result.values())


def _sizes(tensor: str) -> tuple[int, ...]:
    found = re.match(r"(?:\d+x)+", tensor)
    return tuple(int(each) for each in found[0].split("x")[:-1]) if found else ()


def _read(name: str, text: str, tensors: tuple[str, ...]) -> KernelLayout:
    """The layout over the largest of its tensors that it can be read for: buffers have a dimension more."""
    problem = ""
    for sizes in sorted({_sizes(each) for each in tensors}, key=lambda each: (len(each), -math.prod(each))):
        try:
            return KernelLayout(name, text, tensors, layout(text, shape=sizes), "")
        except (Error, TypeError) as reason:
            problem = problem or str(reason)
    return KernelLayout(name, text, tensors, None, problem)
