"""What the launches of a process were counted to do, by kernel and by line of Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ._findings import Sources

# So many runs wait until their reports are read, which costs some milliseconds each.
_most_waiting = 64
# So many launches of a kernel are counted; a program with thousands of them shall not wait for its report.
_most_counted = 256


@dataclass
class Line:
    """The counts of one line."""

    instructions: int = 0
    shared_passes: int = 0  #: of shared memory, without conflicts
    shared_extra_passes: int = 0  #: what bank conflicts cost
    sectors_touched: int = 0  #: of 32 bytes of global memory
    sectors_needed: int = 0


@dataclass
class Kernel:
    """The counts of one compiled kernel over all its launches."""

    name: str
    target: str
    launches: int = 0
    counted: int = 0  #: launches that the other figures are of: the first ones
    workgroups: int = 0
    instructions: int = 0
    classes: dict[str, int] = field(default_factory=dict)
    bytes_read: int = 0
    bytes_written: int = 0
    lines: dict[tuple[str, int], Line] = field(default_factory=dict)
    findings: int = 0
    layouts: str = ""  #: its TTGIR
    options: dict[str, Any] = field(default_factory=dict)

    def at(self, place: tuple[str, int]) -> Line:
        return self.lines.setdefault(place, Line())

    @property
    def extra_passes(self) -> int:
        return sum(each.shared_extra_passes for each in self.lines.values())


class Statistics:
    """The counts of every kernel. Reports are read when somebody asks."""

    def __init__(self) -> None:
        self._kernels: dict[str, Kernel] = {}
        self._waiting: list[tuple[str, Any, Sources]] = []

    def kernel(self, key: str, name: str, target: str) -> Kernel:
        return self._kernels.setdefault(key, Kernel(name, target))

    def add(self, key: str, run: Any, sources: Sources) -> None:
        kernel = self._kernels[key]
        kernel.launches += 1
        if kernel.counted == _most_counted:
            return
        kernel.counted += 1
        self._waiting.append((key, run, sources))
        if len(self._waiting) >= _most_waiting:
            self._read()

    def kernels(self) -> list[Kernel]:
        self._read()
        return list(self._kernels.values())

    def _read(self) -> None:
        for key, run, sources in self._waiting:
            add_counts(self._kernels[key], run.report, sources)
        self._waiting.clear()


def cost_of(report: dict[str, Any]) -> float:
    """What a launch costs by its counts: instructions of all waves, and the passes of shared memory beyond one."""
    counts = report.get("emulated") or {}
    passes = sum(int(each.get("extra_passes") or 0) for each in counts.get("lds") or [])
    return float((counts.get("mix") or {}).get("wavefront_instructions", 0) + passes)


def add_counts(kernel: Kernel, report: dict[str, Any], sources: Sources) -> None:
    """Adds the counts of one launch."""
    counts = report.get("emulated") or {}
    mix = counts.get("mix") or {}
    kernel.workgroups += int(counts.get("workgroups") or 0)
    kernel.instructions += int(mix.get("wavefront_instructions") or 0)
    for name, number in (mix.get("classes") or {}).items():
        kernel.classes[name] = kernel.classes.get(name, 0) + int(number)
    kernel.bytes_read += int(counts.get("bytes_read") or 0)
    kernel.bytes_written += int(counts.get("bytes_written") or 0)
    for each in counts.get("lines") or []:
        for line in _lines(kernel, each, sources):
            line.instructions += int(each.get("instructions") or 0)
    for each in counts.get("lds") or []:
        for line in _lines(kernel, each, sources):
            line.shared_passes += int(each.get("ideal_passes") or 0)
            line.shared_extra_passes += int(each.get("extra_passes") or 0)
    for each in counts.get("global") or []:
        for line in _lines(kernel, each, sources):
            line.sectors_touched += int(each.get("sectors_touched") or 0)
            line.sectors_needed += int(each.get("sectors_needed") or 0)


def _lines(kernel: Kernel, entry: dict[str, Any], sources: Sources) -> list[Line]:
    """The counts that an entry of the report adds to: its own line's, and those of the lines that call it."""
    return [kernel.at(place) for place in sources.own_places(entry.get("source") or "")]
