"""What a run has found: the report of `heddle run` (docs/json.md) as records."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Optional

from ._records import record_of

__all__ = ["Change", "Finding", "Result", "Run", "run_of"]


@dataclass(frozen=True)
class Finding:
    """An error that was found while the kernel ran (docs/checker.md), or why it is slow."""

    message: str
    fix: str  #: what would be right
    kind: str = ""  #: of an error: its name
    rule: str = ""  #: of a remark: its name
    source: Optional[str] = None  #: file:line:column; of a kernel given as text kernel.hip:3:85
    instruction: Optional[str] = None
    code: str = ""  #: the line of the kernel's source; empty where the place is in another file

    def __str__(self) -> str:
        place = f"{self.source}: " if self.source else ""
        return f"{place}{self.kind or self.rule}: {self.message}; {self.fix}"


@dataclass(frozen=True)
class Change:
    """Memory that a kernel wrote beside the results (docs/run.md)."""

    message: str
    is_error: bool  #: of inputs and gaps; else an array that nothing judges

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Result:
    """The verdict on one array, of which every element was compared with float64."""

    array: str
    expectation: str  #: the line of the launch file
    right: Optional[bool]  #: None where the limit says nothing: see `note` and `unjudged`
    elements: int
    wrong: int
    largest_error: Any  #: a float; "nan" or "inf" where there is none
    note: str
    explanations: tuple[dict[str, Any], ...]  #: which mistake gives these numbers, and its `fix`
    wrong_where: str = ""  #: in words
    unwritten: Optional[int] = None  #: None where only writing the right number counts
    unwritten_where: str = ""
    unjudged: int = 0  #: elements whose limit says nothing

    def __str__(self) -> str:
        if self.right:
            return f"{self.array} is RIGHT: all {self.elements} elements"
        if self.right is None:
            return f"{self.array} is NOT JUDGED: the limit of {self.unjudged} elements says nothing"
        faults = []
        for count, what, where in (
            (self.wrong, "wrong", self.wrong_where),
            (self.unwritten or 0, "never written", self.unwritten_where),
        ):
            if count:
                faults.append(f"{count} of {self.elements} elements {what}" + f" ({where})" * bool(where))
        return f"{self.array} is WRONG: " + ", ".join(faults)

    @property
    def why(self) -> list[str]:
        """The mistakes that give these numbers, each with its fix, in words."""
        return [
            "; ".join(each[key] for key in ("message", "fix") if each.get(key))
            for each in self.explanations
        ]


@dataclass(frozen=True, repr=False)
class Run:
    """What a run has found; of several launches all of them together, and each in `launches`.

    `str()` of it is the verdict, with every finding and what would be right. A notebook shows the same
    as a table.
    """

    right: Optional[bool]  #: all results right and no error found; None when nothing was judged
    finished: bool  #: False when a fault ended the run: the launch was then not judged
    results: tuple[Result, ...]
    findings: tuple[Finding, ...]  #: errors
    remarks: tuple[Finding, ...]  #: what is slow
    arrays: dict[str, Any]  #: the arrays at the end; bf16 and fp8 as integers of their size
    report: dict[str, Any]  #: everything: docs/json.md, "A run"
    changes: tuple[Change, ...] = ()  #: what was written beside the results
    #: Each launch of several, in order, as far as they ran. They have no `arrays` of their own.
    launches: tuple[Run, ...] = field(default=())

    @property
    def kernel(self) -> str:
        """The kernel's name in the source; of several launches empty."""
        return self.report.get("kernel") or ""

    @property
    def counts(self) -> dict[str, Any]:
        """What the emulator counted: instructions by class and line, LDS passes, bytes; else empty.

        Of several launches each has its own.
        """
        return self.report.get("emulated") or {}

    @property
    def printed(self) -> str:
        """What the kernel printed."""
        return self.report.get("printed") or ""

    @property
    def verdict(self) -> str:
        """The verdict in a few words."""
        if not self.finished:
            return "ended by a fault"
        if self.right is None:
            return "NOT JUDGED" if self.results else "nothing judged"
        if not self.right and all(each.right for each in self.results):
            return "results right, but errors found"
        return "RIGHT" if self.right else "WRONG"

    def to_json(self) -> dict[str, Any]:
        """The report as the program gave it: docs/json.md, "A run"."""
        return self.report

    def __repr__(self) -> str:
        parts = [self.verdict]
        parts += [f"{len(self.launches)} launches"] if self.launches else []
        parts += [str(each) for each in self.results if not each.right]
        for these, what in ((self.findings, "finding"), (self.remarks, "remark")):
            if these:
                parts.append(f"{len(these)} {what}{'s' * (len(these) > 1)}")
        return f"<Run: {'; '.join(parts)}>"

    def __str__(self) -> str:
        return "\n".join(self._own_lines()) or "nothing was judged, and nothing was found"

    def _own_lines(self) -> list[str]:
        if self.launches:
            lines = []
            for number, launch in enumerate(self.launches, 1):
                lines.append(f"launch {number}, {launch.kernel}:")
                lines += ["  " + line for line in launch._own_lines() or ["nothing to say"]]
            return lines
        lines = []
        for result in self.results:
            lines.append(str(result))
            lines += [f"  {each}" for each in result.why]
        if not self.finished:
            lines.append("the run was ended by what was found")
        for what, these in (("error", self.findings), ("remark", self.remarks)):
            for finding in these:
                lines.append(f"{what}: {finding}")
                lines += [f"  | {finding.code}"] if finding.code else []
        lines += [f"{'error' if each.is_error else 'remark'}: {each}" for each in self.changes]
        return lines

    def _repr_html_(self) -> str:
        """The verdict, and a table with a row for each result, finding, remark and change."""
        colour = {True: "#2a7d2a", False: "#b02020", None: "#806000"}
        fine = self.right if self.finished and not self.findings else self.right and None
        lines = [f'<div><b style="color:{colour[fine]}">{html.escape(self.verdict)}</b>']
        rows = "".join(_row(*cells) for cells in self._cells())
        if rows:
            lines.append(
                '<table style="text-align:left"><tr><th></th><th style="text-align:left">what</th>'
                f'<th style="text-align:left">what would be right</th></tr>{rows}</table>'
            )
        return "".join(lines) + "</div>"

    def _cells(self) -> Iterable[tuple[str, str, str, str]]:
        """Rows of the table: the word before it, what it is, its line of source, and the fix."""
        if self.launches:
            for number, launch in enumerate(self.launches, 1):
                yield f"launch {number}", f"{launch.kernel}: {launch.verdict}", "", ""
                yield from launch._cells()
            return
        for result in self.results:
            yield "result", str(result), "", ""
            for each in result.explanations:
                yield "", each.get("message", ""), "", each.get("fix", "")
        for what, these in (("error", self.findings), ("remark", self.remarks)):
            for finding in these:
                place = f"{finding.source}: " if finding.source else ""
                text = f"{place}{finding.kind or finding.rule}: {finding.message}"
                yield what, text, finding.code, finding.fix
        for change in self.changes:
            yield "error" if change.is_error else "remark", change.message, "", ""


def _row(word: str, what: str, code: str, fix: str) -> str:
    shown = f"<pre>{html.escape(code)}</pre>" if code else ""
    cells = [html.escape(word), html.escape(what) + shown, html.escape(fix)]
    return "<tr>" + "".join(f'<td style="text-align:left">{each}</td>' for each in cells) + "</tr>"


def _finding_of(data: dict[str, Any], file: str, lines: list[str]) -> Finding:
    """The finding, with its line of the kernel, whose file and lines these are."""
    name, _, rest = (data.get("source") or "").partition(":")
    number = rest.split(":")[0]
    code = ""
    if name == file and number.isdecimal() and 0 < int(number) <= len(lines):
        code = lines[int(number) - 1].strip()
    return record_of(Finding, {**data, "code": code})


def run_of(report: dict[str, Any], arrays: dict[str, Any], lines: list[str]) -> Run:
    """The record of a report. `lines` are those of the kernel's source, as far as it is a text."""
    launches: tuple[Run, ...] = ()
    if report["report"] == "sequence":
        launches = tuple(run_of(each, {}, lines) for each in report["kernels"])
    file = report["file"]
    results = tuple(record_of(Result, each) for each in report["results"])
    return Run(
        # A report without results says false where something was found: `findings` tell that here.
        report["right"] if results else None,
        report["finished"],
        results,
        tuple(_finding_of(each, file, lines) for each in report["findings"]),
        tuple(_finding_of(each, file, lines) for each in report["remarks"])
        + tuple(remark for each in launches for remark in each.remarks),
        arrays,
        report,
        tuple(record_of(Change, each) for each in report["changes"]),
        launches,
    )
