"""The plugin of pytest with which suite.py runs Triton's own tests: a part of them, a line of JSON for each.

The tests' PyTorch finds its GPU in the CPU: `--heddle-cuda`.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
import torch

_options = json.loads(os.environ["HEDDLE_SUITE"])
_results = open(_options["results"], "a", encoding="utf-8", buffering=1)
_end = time.monotonic() + _options["seconds"]


def _missing(name: str) -> Any:
    """A checkout newer than the installed Triton asks which backend is active by functions that this one lacks."""
    if name.startswith("is_"):
        return lambda *_: False
    raise AttributeError(name)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: Any) -> None:
    import triton._internal_testing as internal_testing  # which asks the active driver at once

    internal_testing.__getattr__ = _missing
    internal_testing.default_alloc_fn = lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cpu")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Keeps those of this part that have no result yet."""
    done = set(_options["done"])
    if os.path.exists(_options["done_file"]):
        with open(_options["done_file"], encoding="utf-8") as file:
            done.update(file.read().splitlines())
    kept = []
    for item in items:
        number = int(hashlib.sha1(item.nodeid.encode()).hexdigest()[:12], 16)
        sampled = number % _options["every"] == 0
        mine = number // _options["every"] % _options["parts"] == _options["part"]
        if sampled and mine and item.nodeid not in done:
            kept.append(item)
    items[:] = kept


class TooLong(Exception):
    """A test took more than its seconds."""


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: Any) -> Iterator[None]:
    if time.monotonic() > _end:
        pytest.exit("the time is over", returncode=0)
    _write({"id": item.nodeid, "outcome": "started"})
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    def too_long(*_: Any) -> None:
        raise TooLong(f"more than {_options['test_seconds']} s")

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(_options["test_seconds"])
    try:
        yield
    finally:
        signal.alarm(0)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    outcome: Any = yield
    report = outcome.get_result()
    if report.when != "call" and not (report.when == "setup" and report.outcome != "passed"):
        return
    record = {"id": item.nodeid, "outcome": report.outcome, "seconds": round(report.duration, 2)}
    if call.excinfo is not None:
        record["kind"] = call.excinfo.type.__name__
        record["message"] = str(call.excinfo.value)[:600]
    _write(record)


def _write(record: dict[str, Any]) -> None:
    _results.write(json.dumps(record | {"target": _options["target"], "check": _options["check"]}) + "\n")
