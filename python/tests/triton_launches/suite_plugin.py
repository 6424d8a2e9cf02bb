"""The plugin of pytest with which suite.py runs Triton's own tests: workers, and a line of JSON for each test.

The tests are collected once. Workers, forked from the process that collected them, take one test after the other; one
that dies is replaced, and its test has the outcome `crashed`. The tests' PyTorch finds its GPU in the CPU:
`--heddle-cuda`. A test that takes hours in a loop of independent rounds is run in parts, which have lines of their own.
"""

from __future__ import annotations

import builtins
import faulthandler
import gc
import hashlib
import json
import multiprocessing
import os
import pathlib
import re
import signal
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import pytest
import torch

_options = json.loads(pathlib.Path(os.environ["HEDDLE_SUITE"]).read_text(encoding="utf-8"))
# Every line is one write, which other workers do not break into.
_results = open(_options["results"], "a", encoding="utf-8", buffering=1)
# Tests whose body is `for round in range(...)`, and into how many parts the rounds go. The first runs the conversion
# of 4 billion values, the second 65 million programs.
_PARTS = {"test_typeconvert_downcast": 64, "test_load_store_same_ptr": 125}
_part = pytest.StashKey[tuple[int, int]]()


def _missing(name: str) -> Any:
    """A checkout newer than the installed Triton asks which backend is active by functions that this one lacks."""
    if name.startswith("is_"):
        return lambda *_: False
    raise AttributeError(name)


class _ProductOfTheCpu:
    """What tests compare with, in the place of cuBLAS: A times B transposed."""

    def __init__(self, workspace: Any) -> None:
        pass

    @staticmethod
    def matmul(a: Any, b: Any, result: Any) -> None:
        result.copy_((a.float() @ b.float().T).to(result.dtype))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: Any) -> None:
    import triton._internal_testing as internal_testing  # which asks the active driver at once

    internal_testing.__getattr__ = _missing
    import triton._C.libtriton as libtriton

    if hasattr(libtriton, "nvidia"):
        libtriton.nvidia.cublas.CublasLt = _ProductOfTheCpu
    internal_testing.default_alloc_fn = lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cpu")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Keeps the sampled ones that have no result yet, and begins with those that are known to be slow."""
    done, slow = set(_options["done"]), set(_options["slow"])

    def sampled(item: Any) -> bool:
        return int(hashlib.sha1(item.nodeid.encode()).hexdigest()[:12], 16) % _options["every"] == 0

    parts = [part for item in items if sampled(item) for part in _parts_of(item)]
    kept = [item for item in parts if item.nodeid not in done]
    items[:] = sorted(kept, key=lambda item: item.nodeid not in slow)


def _parts_of(item: Any) -> list[Any]:
    """The test itself, or the parts that stand for it, whose names end with `#0/64` and so on."""
    parts = _PARTS.get(getattr(item, "originalname", ""), 1)
    if parts == 1:
        return [item]
    made = []
    for part in range(parts):
        made.append(type(item).from_parent(
            item.parent, name=f"{item.name}#{part}/{parts}", callspec=getattr(item, "callspec", None),
            fixtureinfo=item._fixtureinfo, originalname=item.originalname))
        made[-1].stash[_part] = (part, parts)
    return made


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: Any) -> bool:
    if session.config.option.collectonly:
        return False
    torch.set_num_threads(1)
    # Tens of thousands of collected tests are no garbage: workers would look through them, and copy their pages, again
    # and again.
    gc.collect()
    gc.freeze()
    following = multiprocessing.get_context("fork").Value("i", 0)
    with tempfile.TemporaryDirectory() as name:
        current: dict[int, tuple[pathlib.Path, pathlib.Path]] = {}
        started = 0
        while True:
            while len(current) < _options["jobs"] and following.value < len(session.items) and time.time() < _options["end"]:
                output, test = pathlib.Path(name) / f"output{started}", pathlib.Path(name) / f"test{started}"
                started += 1
                current[_fork_worker(session, following, output, test)] = (output, test)
            if not current:
                return True
            process, status = os.wait()
            if process not in current:
                continue
            output, test = current.pop(process)
            if status != 0 and test.exists():
                _write({"id": test.read_text(encoding="utf-8"), "outcome": "crashed",
                        "message": _message_of_crash(output, os.waitstatus_to_exitcode(status))})


def _fork_worker(session: Any, following: Any, output: pathlib.Path, test: pathlib.Path) -> int:
    process = os.fork()
    if process:
        return process
    status = 1
    # For the programs that tests start.
    os.environ["HEDDLE_TRITON"] = _options["target"] + (",check" if _options["check"] else "")
    try:
        # pytest takes descriptors 1 and 2 for itself while a test runs.
        faults = open(output, "wb")
        faulthandler.enable(file=faults)
        while time.time() < _options["end"]:
            with following.get_lock():
                index = following.value
                following.value += 1
            if index >= len(session.items):
                break
            item = session.items[index]
            test.write_text(item.nodeid, encoding="utf-8")
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        status = 0
    finally:
        os._exit(status)


def _message_of_crash(output: pathlib.Path, status: int) -> str:
    """Python's handler of faults prints its stack, the innermost call first."""
    stack = output.read_text(encoding="utf-8", errors="replace").rpartition("most recent call first")[2]
    in_triton = re.search(r"in make_(\w+)\n", stack)
    return f"Triton Error: crash in make_{in_triton[1]}" if in_triton else f"exit status {status}"


class TooLong(Exception):
    """A test took more than its seconds."""


_too_long = pytest.StashKey[str]()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    def too_long(*_: Any) -> None:
        item.stash[_too_long] = f"more than {_options['test_seconds']} s"
        raise TooLong(item.stash[_too_long])

    part, parts = item.stash.get(_part, (0, 1))
    if parts > 1:
        item.module.range = lambda rounds: builtins.range(part, rounds, parts)
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(_options["test_seconds"])
    try:
        yield
    finally:
        signal.alarm(0)
        if parts > 1:
            del item.module.range


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    outcome: Any = yield
    report = outcome.get_result()
    if report.when != "call" and not (report.when == "setup" and report.outcome != "passed"):
        return
    record = {"id": item.nodeid, "outcome": report.outcome, "seconds": round(report.duration, 2)}
    if _too_long in item.stash and report.outcome == "failed":
        # Some of PyTorch's functions make an exception of their own of every other.
        record["kind"], record["message"] = "TooLong", item.stash[_too_long]
    elif call.excinfo is not None:
        record["kind"] = call.excinfo.type.__name__
        record["message"] = str(call.excinfo.value)[:600]
    elif report.outcome == "failed":
        # The test itself passed, and heddle.triton's plugin failed it.
        record["kind"] = "KernelFinding"
        record["message"] = report.longreprtext[:1200]
    _write(record)


def _write(record: dict[str, Any]) -> None:
    _results.write(json.dumps(record | {"target": _options["target"], "check": _options["check"]}) + "\n")
