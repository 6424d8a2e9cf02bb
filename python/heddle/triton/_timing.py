"""Autotuning and benchmarks without time: configurations are compared by what was counted.

A host's time says nothing about a GPU's, so no number of milliseconds is given to anybody:
`triton.testing.do_bench` runs its function once and returns NaN, and the autotuner, which wants a number
for each configuration, gets instructions of all warps and passes of shared memory that conflicts add.
"""

# Triton is imported, which need not be there when types are checked.
# mypy: disable-error-code="import,misc"
from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Callable, Optional

from ._session import active

_said: set[str] = set()
_replaced: list[tuple[Any, str, Any]] = []


class NothingTimed(UserWarning):
    """Said once: what stands in place of time."""


def _say(key: str, sentence: str) -> None:
    if key not in _said:
        _said.add(key)
        warnings.warn(sentence, NothingTimed, stacklevel=4)


def measure(kernel_call: Callable[[], Any], quantiles: Sequence[float] = (0.5, 0.2, 0.8), **_: Any) -> list[float]:
    """The benchmarker of the driver: what one call costs, as often as quantiles are wanted."""
    _say(
        "autotune",
        "heddle.triton times nothing: triton.autotune takes the configuration with the fewest counted "
        "instructions and shared-memory passes",
    )
    session = active()
    before, session.costs = session.costs, 0.0
    try:
        kernel_call()
        cost = session.costs
    finally:
        session.costs = before
    return [cost] * len(quantiles or (0.5,))


def _do_bench(
    fn: Callable[[], Any],
    *_: Any,
    quantiles: Optional[Sequence[float]] = None,
    return_mode: str = "mean",
    **__: Any,
) -> Any:
    """In place of triton.testing.do_bench and do_bench_cudagraph."""
    _say("bench", "heddle.triton times nothing: do_bench runs its function once and returns NaN")
    fn()
    unknown = float("nan")
    if quantiles is not None:
        return [unknown] * len(quantiles) if len(quantiles) > 1 else unknown
    return [unknown] if return_mode == "all" else unknown


def _replace(owner: Any, name: str, value: Any) -> None:
    if hasattr(owner, name):
        _replaced.append((owner, name, owner.__dict__[name]))
        setattr(owner, name, value)


def replace_timing() -> None:
    """Makes Triton's benchmarks and autotuner count, until `restore_timing`."""
    if _replaced:
        return
    import triton.testing

    for name in ("do_bench", "do_bench_cudagraph"):
        _replace(triton.testing, name, _do_bench)
    try:
        from triton.runtime.autotuner import Autotuner
    except ImportError:
        return
    # Also where a program gives a benchmark of its own: it could only compare times.
    _replace(Autotuner, "do_bench", property(lambda self: measure))


def restore_timing() -> None:
    while _replaced:
        owner, name, value = _replaced.pop()
        setattr(owner, name, value)
