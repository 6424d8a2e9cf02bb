"""The plugin of pytest: `pytest -p heddle.triton --heddle gfx942,sm_90a --heddle-check`.

Every test runs once for each target. A finding fails the test that made it, also one that caught the exception.
What it shows of a finding ends at the line that launched the kernel: frames behind it, of Triton and of this
package, are left out (`--full-trace` shows them).
"""

# mypy: disable-error-code="misc"
from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

import heddle.triton

from . import _session
from ._findings import is_finding

_key = pytest.StashKey[dict[str, _session.Session]]()


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("heddle", "kernels of Triton without a GPU")
    group.addoption("--heddle", default="", metavar="TARGETS", help="run kernels as these targets: gfx942,sm_90a")
    group.addoption("--heddle-check", action="store_true", help="watch every access; a finding fails the test")
    group.addoption("--heddle-cuda", action="store_true", help='tensors on the device "cuda" are on the CPU')
    group.addoption("--heddle-report", default="", metavar="FILE", help="write a report: .html, .json or text")


def _targets(config: Any) -> list[str]:
    return [each for each in config.getoption("--heddle").split(",") if each]


def pytest_configure(config: Any) -> None:
    sessions = {}
    for target in reversed(_targets(config)):  # the first stays active: modules may ask while they are collected
        check, cuda = config.getoption("--heddle-check"), config.getoption("--heddle-cuda")
        heddle.triton.activate(target, check=check, findings="collect", cuda=cuda)
        sessions[target] = _session.active()
    config.stash[_key] = sessions
    for name in ("jit", "autotuner"):
        if (module := sys.modules.get(f"triton.runtime.{name}")) is not None:
            module.__tracebackhide__ = is_finding  # type: ignore[attr-defined]


def pytest_generate_tests(metafunc: Any) -> None:
    targets = _targets(metafunc.config)
    if len(targets) > 1:
        metafunc.fixturenames.append("heddle_target")
        metafunc.parametrize("heddle_target", targets, indirect=True, scope="session")


@pytest.fixture(scope="session")
def heddle_target(request: Any) -> Any:
    """The target that a test runs as."""
    return getattr(request, "param", None) or request.config.getoption("--heddle")


def _session_of(item: Any) -> Any:
    sessions = item.config.stash[_key]
    if not sessions:
        return None
    callspec = getattr(item, "callspec", None)
    target = callspec.params.get("heddle_target") if callspec is not None else None
    return sessions[target or _targets(item.config)[0]]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: Any) -> None:
    session = _session_of(item)
    if session is not None:
        _session.resume(session)
        session.findings.clear()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    outcome: Any = yield
    report = outcome.get_result()
    session = _session_of(item)
    if session is None or not session.findings or call.when != "call" or report.outcome != "passed":
        return
    report.outcome = "failed"
    found = "\n".join(str(each) for each in session.findings)
    report.longrepr = f"found by heddle on {session.target.name}:\n{found}"


def pytest_unconfigure(config: Any) -> None:
    sessions = config.stash.get(_key, {})
    path = config.getoption("--heddle-report")
    if path and sessions:
        kernels = [kernel for each in sessions.values() for kernel in each.statistics.kernels()]
        findings = [finding for each in sessions.values() for finding in each.all_findings]
        heddle.triton.Report(kernels, findings).write(path)
    heddle.triton.deactivate()
