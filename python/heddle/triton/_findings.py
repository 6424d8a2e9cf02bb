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

    def said_at_its_line(self) -> list[str]:
        """What it is, without its place and the line of code."""
        where = f", program {self.program}" if self.program is not None else ""
        lines = [f"{self.kind} in {self.kernel}{where}: {self.message}"]
        if self.kind == "not-executed":
            lines.append(f"  at {self.report.get('instruction')}")
        lines += [f"  {each}" for each in self.related]
        return lines + [f"  fix: {self.fix}"] * bool(self.fix)

    def __str__(self) -> str:
        lines = self.said_at_its_line()
        if self.line:
            lines[0] = f"{shown(self.file)}:{self.line}: {lines[0]}"
        if self.code:
            lines.insert(1, f"    {self.code}")
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


for _each in (Finding, KernelFinding, KernelFault, DeviceAssertion):
    _each.__module__ = "heddle.triton"  # where users find them


def is_finding(caught: Any) -> bool:
    """Whether pytest leaves out the frames of a module that has this as `__tracebackhide__`: for what a kernel did
    wrong, so that the program's launch comes last. What goes wrong in the module itself shows its frames.
    """
    return isinstance(getattr(caught, "value", None), KernelFinding)


class Sources:
    """The places of Python that the lines of a kernel come from.

    Code objects have the names of files alone, and of a text of PTX the emulator gives the line of the text.
    """

    def __init__(self, function: Any) -> None:
        self._files: dict[str, str] = {}
        self._resolved: dict[str, str] = {}
        self._stacks: list[tuple[tuple[str, int], ...]] = []  # of each line of PTX
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

    def add_ptx(self, text: str) -> None:
        """The places that the lines of PTX name: LLVM writes each .loc with a comment that says also where an
        inlined function was called."""
        if self._stacks:
            return
        stack: tuple[tuple[str, int], ...] = ()
        for line in text.splitlines():
            if line.lstrip().startswith(".loc"):
                places = _place.findall(line.partition("//")[2])
                stack = tuple((self._path(file), int(number)) for file, number in places if int(number))
            self._stacks.append(stack)

    def _path(self, name: str) -> str:
        """The whole path of a file, which the code names as far as it knows it."""
        if name not in self._resolved:
            known = self._files.get(os.path.basename(name), "")
            if not known.endswith(os.sep + name) and os.path.exists(name):
                known = os.path.abspath(name)
            self._resolved[name] = known or name
        return self._resolved[name]

    def stack(self, source: str, callers: Sequence[str] = ()) -> tuple[tuple[str, int], ...]:
        """The path and line of "file:line:column", then where that was inlined; nothing of no place."""
        result: list[tuple[str, int]] = []
        for each in (source, *callers):
            found = re.fullmatch(r"(.*?):(\d+)(?::\d+)?", each or "")
            if not found or not int(found[2]):
                continue
            if found[1].endswith(".ptx"):
                number = int(found[2])
                result += self._stacks[number - 1] if 0 < number <= len(self._stacks) else ()
            else:
                result.append((self._path(found[1]), int(found[2])))
        return tuple(result)

    def own_places(self, source: str) -> list[tuple[str, int]]:
        """The lines of the program itself that a place belongs to, without Triton's own functions."""
        places = list(dict.fromkeys(self.stack(source)))
        return [each for each in places if not is_of_triton(each[0])] or places[-1:]


# A place in the comment of a .loc: "kernel.py:5:23 @[ kernel.py:10:18 ]".
_place = re.compile(r"([^\s\[\]]+):(\d+):\d+")


def shown(file: str) -> str:
    """The path from the working folder, where the file lies in it."""
    here = os.getcwd() + os.sep
    return file[len(here) :] if file.startswith(here) else file


def is_of_triton(file: str) -> bool:
    """Whether a file is Triton's own, as the functions of tl.standard."""
    return f"{os.sep}triton{os.sep}language{os.sep}" in file or os.path.basename(file) == "standard.py"


# What would be right in the words of Triton, by the first words of a finding's kind.
_fixes = {
    "global-race": "let every program write elements of its own, or use an atomic operation (tl.atomic_add ...) for "
    "elements that programs share",
    "same-program": "put tl.debug_barrier() between the two: the waves of a program share these elements",
    "global-out-of-bounds": "leave these elements out by the mask of tl.load or tl.store, or correct the offsets",
}


def _fix_of(data: dict[str, Any]) -> str:
    kind, message = data.get("kind") or "", data.get("message") or ""
    if kind.startswith("global-race") and re.search(r"which (wave|warp) \d+ (reads|writes)", message):
        kind = "same-program"
    if "was not waited for" not in message:  # which is a matter of instructions
        for start, fix in _fixes.items():
            if kind.startswith(start):
                return fix
    return data.get("fix") or ""


def _line(file: str, number: int) -> str:
    return linecache.getline(file, number).strip()


def finding_of(data: dict[str, Any], kernel: str, sources: Sources, num_ctas: int) -> Finding:
    """The finding of the emulator's record `data` (docs/json.md)."""
    stack = sources.stack(data.get("source") or "", [_caller(each) for each in data.get("callers") or []])
    own = [place for place in stack if not is_of_triton(place[0])]
    file, line = (own or list(stack) or [("", 0)])[0]
    group = data.get("workgroup")
    program = None if group is None else (group[0] // num_ctas, *group[1:])
    related = []
    for each in data.get("related") or []:
        places = sources.own_places(each.get("source") or "")[:1]
        text = str(each.get("role") or "also here")
        for place in places:
            text += f" {shown(place[0])}:{place[1]}  {_line(*place)}"
        related.append(text)
    return Finding(
        kernel,
        data.get("kind") or "",
        data.get("message") or "",
        _fix_of(data),
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
