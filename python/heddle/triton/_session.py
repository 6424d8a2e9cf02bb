"""What is active: the target, what becomes of findings, and what the launches of the process have given."""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import dataclass, field
from typing import Any, Optional

from .._core import Error
from ._findings import DeviceAssertion, Finding, KernelFault, KernelFinding, is_finding
from ._statistics import Statistics
from ._targets import Target, target_of

__tracebackhide__ = is_finding

#: What becomes of findings.
policies = ("raise", "warn", "collect")


@dataclass
class Session:
    """The state of one activation."""

    target: Target
    device: Any  #: heddle.Device
    check: bool
    findings_are: str  #: one of `policies`
    multiprocessors: int
    number: int  #: of the device: each target has its own, because Triton keeps kernels by it
    findings: list[Finding] = field(default_factory=list)
    statistics: Statistics = field(default_factory=Statistics)
    all_findings: list[Finding] = field(default_factory=list)  #: also those that a test has dealt with
    costs: Optional[float] = None  #: instructions and extra passes, where they are being counted

    def take(self, found: list[Finding], finished: bool) -> None:
        """Deals with what one launch has found. A fault is raised in any case: memory is then unfinished.

        Raises KernelFault, or KernelFinding where findings are to be raised.
        """
        self.findings += found
        self.all_findings += found
        if not finished:
            raise (DeviceAssertion if any(each.is_assertion for each in found) else KernelFault)(found)
        if not found:
            return
        if self.findings_are == "raise":
            raise KernelFinding(found)
        if self.findings_are == "warn":
            for each in found:
                warnings.warn(str(each), KernelWarning, stacklevel=_level_of_program())


def _level_of_program() -> int:
    """How far above `take` the program is, whose line a warning names: behind Triton's frames and these."""
    folders = [os.path.dirname(os.path.abspath(__file__))]
    triton = sys.modules.get("triton")
    if triton is not None and triton.__file__:
        folders.append(os.path.dirname(os.path.abspath(triton.__file__)))
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(tuple(folders)):
        level, frame = level + 1, frame.f_back
    return level


class KernelWarning(UserWarning):
    """A finding, where `activate` was asked to warn."""


_active: Optional[Session] = None
_numbers: dict[str, int] = {}


def active() -> Session:
    """The session. Raises Error where there is none."""
    if _active is None:
        raise Error('heddle.triton is not active: call heddle.triton.activate("gfx942") first')
    return _active


def is_active() -> bool:
    return _active is not None


def open_session(
    target: str, check: bool, findings: str, threads: int, multiprocessors: int
) -> Session:
    """Makes the session. Raises Error for a target or a policy that there is not."""
    global _active
    import heddle

    if findings not in policies:
        raise Error(f"findings are {', '.join(policies)}, not '{findings}'")
    where = target_of(target)
    device = heddle.Device(where.name, check=check, threads=threads)
    number = _numbers.setdefault(where.name, len(_numbers))
    _active = Session(where, device, check, findings, multiprocessors, number)
    return _active


def resume(session: Session) -> None:
    """Makes a session the active one again."""
    global _active
    _active = session


def close_session() -> None:
    global _active
    _active = None
