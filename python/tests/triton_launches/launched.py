"""Recorded kernels through the same code that Triton's launches take."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import pathlib
import sys
from typing import Any

FOLDER = pathlib.Path(__file__).resolve().parent
_found = importlib.util.find_spec("triton")
HAS_TRITON = _found is not None and _found.origin is not None  # a folder of that name is no Triton
if not HAS_TRITON:
    sys.path.insert(0, str(FOLDER / "stand_in"))

import numpy as np  # noqa: E402
import triton  # noqa: E402
from cases import CASES, Case  # noqa: E402
from recorded import Entry  # noqa: E402

import heddle.triton  # noqa: E402
from heddle.triton import Array  # noqa: E402


def launch(entry: Entry, case: Case, arguments: list[Any]) -> str:
    """Launches a recorded kernel on the active target, and gives what it printed."""
    driver = triton.runtime.driver.active
    metadata = entry.packed
    loaded = driver.utils.load_binary(metadata.name, entry.code, metadata.shared, driver.get_current_device())
    launcher = driver.launcher_cls(entry.source, metadata)
    # Behind the arguments stand the constants, which are a part of the code.
    constants = [None] * (len(entry.signature) - len(arguments))
    packed = (metadata.num_warps, metadata.num_ctas, metadata.shared)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        launcher(*entry.grid, 0, loaded[1], packed, None, None, None, *arguments, *constants)
    return printed.getvalue()


def problem_of(entry: Entry, check: bool) -> str:
    """What is wrong with a recorded launch, or nothing."""
    case = CASES[entry.case]
    heddle.triton.activate(entry.target, check=check)
    triton.set_allocator(lambda size, align, stream: Array.aligned(np.zeros(size, np.int8)))
    arguments = list(case.make(np.random.default_rng(len(entry.case))))
    try:
        printed = launch(entry, case, arguments)
        if case.fails:
            return f"raised nothing, and not {case.fails}"
        case.check(*arguments)
    except (RuntimeError, AssertionError, ValueError, TypeError) as reason:
        return "" if type(reason).__name__ == case.fails else f"{type(reason).__name__}: {reason}"
    return "" if case.prints in printed else f"printed {printed[:200]!r}"
