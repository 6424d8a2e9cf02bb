"""What the launches did, by kernel and by line of Python: as text, HTML and JSON."""

from __future__ import annotations

import html
import json
import linecache
import os
from collections.abc import Iterable, Sequence
from typing import Any

from ._findings import Finding, is_of_triton
from ._statistics import Kernel, Line

_columns = ("instructions", "shared", "conflicts", "sectors", "needed")


class Report:
    """The counts of every kernel since `activate`, and what was found.

    `str()` of it is the text; a notebook shows the HTML; `to_json()` is an object for programs. `write(path)`
    takes the form from the file's ending: .html, .json, else text.

    Instructions and bytes are of all launches, at most the first 256 of a kernel. Passes of shared memory and sectors of global memory are those of
    the first workgroup of each launch.
    """

    def __init__(self, kernels: Sequence[Kernel], findings: Sequence[Finding]) -> None:
        self.kernels = tuple(kernels)
        self.findings = tuple(findings)

    def __str__(self) -> str:
        lines: list[str] = []
        for kernel in self.kernels:
            lines += [*_text_of(kernel), ""]
        lines += [str(each) for each in self.findings]
        return "\n".join(lines).rstrip() or "no kernel was launched"

    def to_json(self) -> dict[str, Any]:
        """Everything, with the keys of docs/triton.md."""
        return {
            "kernels": [_object_of(each) for each in self.kernels],
            "findings": [
                {
                    "kernel": each.kernel,
                    "kind": each.kind,
                    "message": each.message,
                    "fix": each.fix,
                    "file": each.file,
                    "line": each.line,
                    "program": each.program,
                    "count": each.count,
                    "record": each.report,
                }
                for each in self.findings
            ],
        }

    def to_html(self) -> str:
        """One page: for each kernel its source with the figures of each line, and the findings at their lines."""
        body = "".join(_html_of(each, self.findings) for each in self.kernels)
        return _page.format(body=body or "<p>no kernel was launched</p>")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the report to a file. Raises OSError."""
        name = os.fspath(path)
        text = str(self) + "\n"
        if name.endswith(".html"):
            text = self.to_html()
        elif name.endswith(".json"):
            text = json.dumps(self.to_json(), indent=1) + "\n"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def _repr_html_(self) -> str:
        return f"<style>{_style}</style>" + "".join(
            _html_of(each, self.findings) for each in self.kernels
        )


def _figures(line: Line) -> tuple[str, ...]:
    """The columns of one line, empty where nothing is to say."""
    passes = line.shared_passes + line.shared_extra_passes
    numbers = (line.instructions, passes, line.shared_extra_passes, line.sectors_touched, line.sectors_needed)
    return tuple(str(each) if each else "" for each in numbers)


def _own_lines(kernel: Kernel) -> list[tuple[tuple[str, int], Line]]:
    """The lines of the program, in order, without Triton's own."""
    return sorted((place, line) for place, line in kernel.lines.items() if not is_of_triton(place[0]))


def _summary(kernel: Kernel) -> list[tuple[str, str]]:
    classes = {name: number for name, number in kernel.classes.items() if number}
    of_all = ", ".join(
        f"{name} {number / max(1, kernel.instructions):.1%}"
        for name, number in sorted(classes.items(), key=lambda each: -each[1])
    )
    touched = sum(line.sectors_touched for place, line in _own_lines(kernel))
    needed = sum(line.sectors_needed for place, line in _own_lines(kernel))
    launches = str(kernel.launches)
    if kernel.counted < kernel.launches:
        launches += f", the first {kernel.counted} counted"
    rows = [
        ("launches", f"{launches}, {kernel.workgroups} workgroups, {kernel.target}"),
        ("instructions", f"{kernel.instructions} of warps: {of_all}"),
        ("global memory", f"read {kernel.bytes_read} B, wrote {kernel.bytes_written} B"),
        ("bank conflicts", f"{kernel.extra_passes} extra passes of shared memory"),
    ]
    if touched:
        rows.append(("sectors", f"{touched} of 32 bytes touched, {needed} needed"))
    if kernel.findings:
        rows.append(("findings", str(kernel.findings)))
    return rows


def _text_of(kernel: Kernel) -> list[str]:
    lines = [f"kernel          {kernel.name}"]
    lines += [f"{name:<16}{value}" for name, value in _summary(kernel)]
    rows = _own_lines(kernel)
    if rows:
        lines.append("  " + "".join(f"{each:>12} " for each in _columns) + " line")
    for (file, number), line in rows:
        cells = _figures(line)
        code = linecache.getline(file, number).rstrip()
        lines.append(
            "  " + "".join(f"{each:>12} " for each in cells)
            + f" {os.path.basename(file)}:{number}: {code.strip()}"
        )
    return lines


def _object_of(kernel: Kernel) -> dict[str, Any]:
    return {
        "kernel": kernel.name,
        "target": kernel.target,
        "launches": kernel.launches,
        "counted": kernel.counted,
        "workgroups": kernel.workgroups,
        "instructions": kernel.instructions,
        "classes": kernel.classes,
        "bytes_read": kernel.bytes_read,
        "bytes_written": kernel.bytes_written,
        "findings": kernel.findings,
        "lines": [
            {
                "file": file,
                "line": number,
                "instructions": line.instructions,
                "shared_passes": line.shared_passes,
                "shared_extra_passes": line.shared_extra_passes,
                "sectors_touched": line.sectors_touched,
                "sectors_needed": line.sectors_needed,
            }
            for (file, number), line in sorted(kernel.lines.items())
        ],
    }


def _source_of(kernel: Kernel) -> Iterable[tuple[str, int]]:
    """The lines to show: from the first that has figures to the last, of each file."""
    places = [place for place, _ in _own_lines(kernel)]
    for file in dict.fromkeys(file for file, _ in places):
        numbers = [number for name, number in places if name == file]
        yield from ((file, number) for number in range(min(numbers), max(numbers) + 1))


def _row_of(finding: str) -> str:
    return f"<tr class=finding><td colspan=6></td><td><pre>{html.escape(finding)}</pre></td></tr>"


def _html_of(kernel: Kernel, findings: Sequence[Finding]) -> str:
    rows = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>" for name, value in _summary(kernel)
    )
    own = [each for each in findings if each.kernel == kernel.name]
    lines = []
    most = max((line.instructions for _, line in _own_lines(kernel)), default=0)
    for place in _source_of(kernel):
        line = kernel.lines.get(place, Line())
        share = round(100 * line.instructions / most) if most else 0
        cells = "".join(f"<td class=number>{each}</td>" for each in _figures(line))
        code = html.escape(linecache.getline(*place).rstrip("\n"))
        bar = f' style="background:linear-gradient(90deg,#f6d7a7 {share}%,transparent {share}%)"'
        lines.append(
            f"<tr><td class=number{bar}>{place[1]}</td>{cells}<td><pre>{code}</pre></td></tr>"
        )
        for each in own:
            if (each.file, each.line) == place:
                lines.append(_row_of("\n".join(each.said_at_its_line())))
    shown = set(_source_of(kernel))
    lines += [_row_of(str(each)) for each in own if (each.file, each.line) not in shown]
    head = "".join(f"<th>{each}</th>" for each in ("line", *_columns, "source"))
    return (
        f"<section class=heddle><h2>{html.escape(kernel.name)}</h2><table>{rows}</table>"
        f"<table class=source><tr>{head}</tr>{''.join(lines)}</table></section>"
    )


_style = """
.heddle table { border-collapse: collapse; margin: 0.6em 0; }
.heddle th { text-align: left; font-weight: normal; color: #555; padding: 0 0.8em 0 0; }
.heddle td { padding: 0 0.8em 0 0; vertical-align: top; text-align: left; }
.heddle td.number { text-align: right; font-variant-numeric: tabular-nums; }
.heddle pre { margin: 0; }
.heddle tr.finding pre { color: #b02020; white-space: pre-wrap; }
"""

_page = (
    "<!doctype html><meta charset=utf-8><title>Triton kernels, run by Heddle</title><style>"
    + _style.replace("{", "{{").replace("}", "}}")
    + "body {{ font: 14px sans-serif; margin: 2em; }}</style>{body}\n"
)
