"""Findings of the emulator at lines of Python."""

from __future__ import annotations

import linecache
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class Finding:
    """An error that was found while a kernel ran (docs/checker.md), at its line of Python."""

    kernel: str
    kind: str
    message: str
    fix: str
    file: str  #: of the Python function; empty where the code has no lines
    line: int  #: 0 where the code has none
    code: str  #: the line itself
    program: Optional[tuple[int, ...]]  #: tl.program_id of the three axes
    count: int  #: how often it was met
    related: tuple[str, ...]  #: other places, each with what happened there
    report: dict[str, Any]  #: everything that is known: docs/json.md

    @property
    def is_assertion(self) -> bool:
        """Whether it is a `tl.device_assert` that failed."""
        return "assert" in self.kind

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else ""
        where = f"program {self.program} of " if self.program is not None else ""
        lines = [f"{place}{self.kind}: {where}{self.kernel} {self.message}"]
        if self.code:
            lines.append(f"    {self.code}")
        lines += [f"  {each}" for each in self.related]
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        return "\n".join(lines)


class KernelFinding(RuntimeError):
    """A kernel did what is wrong, and the launch came to its end."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(each) for each in findings))


class KernelFault(KernelFinding):
    """A fault ended the launch: memory is as the kernel had left it by then."""


class DeviceAssertion(KernelFault, AssertionError):
    """A `tl.device_assert` of the kernel failed."""


class Sources:
    """The files of Python that the lines of a kernel are in: code objects have their names alone."""

    def __init__(self, function: Any) -> None:
        self._files: dict[str, str] = {}
        self.add(function)

    def add(self, function: Any) -> None:
        """The file of a function of Triton, and those of the functions that it calls."""
        seen = set()
        waiting = [function]
        while waiting:
            each = waiting.pop()
            if id(each) in seen or not hasattr(each, "fn"):
                continue
            seen.add(id(each))
            code = getattr(each.fn, "__code__", None)
            if code is None:
                waiting.append(each.fn)
                continue
            self._files.setdefault(os.path.basename(code.co_filename), code.co_filename)
            names = getattr(each.fn, "__globals__", {})
            waiting += [names[name] for name in code.co_names if name in names]

    def place(self, source: str) -> tuple[str, int]:
        """The path and the line of "file:line:column"; an empty path for no place."""
        found = re.fullmatch(r"(.*?):(\d+)(?::\d+)?", source or "")
        if not found:
            return "", 0
        name = os.path.basename(found[1])
        return self._files.get(name, found[1]), int(found[2])


def _in_triton(file: str) -> bool:
    """Whether a file is Triton's own, as the functions of tl.standard."""
    return f"{os.sep}triton{os.sep}language{os.sep}" in file or os.path.basename(file) == "standard.py"


def _line(file: str, number: int) -> str:
    return linecache.getline(file, number).strip()


def finding_of(data: dict[str, Any], kernel: str, sources: Sources, num_ctas: int) -> Finding:
    """The finding of the emulator's record `data` (docs/json.md)."""
    places = [data.get("source") or "", *(_caller(each) for each in data.get("callers") or [])]
    resolved = [place for place in map(sources.place, places) if place[1]]
    own = [place for place in resolved if not _in_triton(place[0])]
    file, line = (own or resolved or [("", 0)])[0]
    group = data.get("workgroup")
    program = None if group is None else (group[0] // num_ctas, *group[1:])
    related = []
    for each in data.get("related") or []:
        where = sources.place(each.get("source") or "")
        text = f"{each.get('role', 'also')}: {where[0]}:{where[1]}" if where[1] else str(each.get("role", ""))
        related.append(text + (f"  {_line(*where)}" if where[1] else ""))
    return Finding(
        kernel,
        data.get("kind") or "",
        data.get("message") or "",
        data.get("fix") or "",
        file,
        line,
        _line(file, line) if line else "",
        program,
        int(data.get("count") or 1),
        tuple(related),
        data,
    )


def _caller(entry: Any) -> str:
    return entry if isinstance(entry, str) else str(entry.get("source") or "")
