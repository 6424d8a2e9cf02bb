"""Triton's kernels without a GPU: compiled by Triton itself, run and checked by Heddle's emulators.

    import heddle.triton
    heddle.triton.activate("gfx942", check=True)

Then `kernel[grid](x, y, n)` runs the machine code (of NVIDIA's targets the PTX) on tensors of the CPU. The
environment variable HEDDLE_TRITON=gfx942,check does the same for a program that stays as it is.
docs/triton.md says more. Triton itself is imported by `activate`.
"""

# Triton is imported, which need not be there when types are checked.
# mypy: disable-error-code="import,misc"
from __future__ import annotations

from typing import Any

from ._findings import DeviceAssertion, Finding, KernelFault, KernelFinding
from ._layouts import KernelLayout, KernelLayouts, layouts_of
from ._memory import Array
from ._report import Report
from ._session import KernelWarning, Session, active, close_session, is_active, open_session
from ._timing import NothingTimed

__all__ = [
    "Array",
    "DeviceAssertion",
    "Finding",
    "KernelFault",
    "KernelFinding",
    "KernelLayout",
    "KernelLayouts",
    "KernelWarning",
    "NothingTimed",
    "Report",
    "activate",
    "deactivate",
    "findings",
    "layouts",
    "report",
]

pytest_plugins = ("heddle.triton._pytest_plugin",)  # of `pytest -p heddle.triton`

_driver_before: Any = None


def activate(
    target: str,
    *,
    check: bool = False,
    findings: str = "raise",
    threads: int = 0,
    multiprocessors: int = 8,
    cuda: bool = False,
    inductor: bool = False,
) -> None:
    """From now on, kernels of Triton are compiled for `target` and run by Heddle.

    `target` is a processor (gfx90a, gfx942, gfx950, gfx11xx, gfx12xx, gfx1250, sm_80 to sm_121a) or a product
    (MI300X, H100). `check` watches every access (docs/checker.md). What is found is raised as KernelFinding
    (`findings="raise"`), warned of ("warn"), or kept for `heddle.triton.findings()` ("collect"). A fault, which
    ends a kernel early, is always raised. `threads` of the host run workgroups, 0: all. `multiprocessors` is
    what a program is told of the GPU: with few, kernels that stay on a multiprocessor walk over several tiles
    also in small tests. With `cuda`, tensors that a program asks for on the device "cuda" are on the CPU, and
    torch.cuda answers for the target. With `inductor`, torch.compile makes kernels of Triton of functions on the
    CPU.

    Raises heddle.Error for another target, and ImportError without Triton.
    """
    global _driver_before
    import triton  # noqa: F401  without it, nothing is changed

    from ._compiler import replace_compiler
    from ._driver import HeddleDriver
    from ._timing import replace_timing

    open_session(target, check, findings, threads, multiprocessors)
    from triton.runtime.driver import driver

    current = getattr(driver, "_active", None)
    if not isinstance(current, HeddleDriver):
        _driver_before = current
    replace_compiler()
    replace_timing()
    driver.set_active(HeddleDriver())
    if cuda:
        from ._torch import cuda_is_the_processor

        cuda_is_the_processor()
    if inductor:
        from ._inductor import inductor_makes_triton

        inductor_makes_triton()


def deactivate() -> None:
    """Triton is again what it was before `activate`."""
    if not is_active():
        return
    from triton.runtime.driver import driver

    from ._compiler import restore_compiler
    from ._inductor import inductor_makes_cpp
    from ._timing import restore_timing
    from ._torch import cuda_is_cuda

    inductor_makes_cpp()
    cuda_is_cuda()
    restore_compiler()
    restore_timing()
    driver.set_active(_driver_before)
    close_session()


def findings() -> list[Finding]:
    """What the launches since `activate` have found, in order."""
    return list(active().findings)


def report() -> Report:
    """What the launches since `activate` did: by kernel and by line of Python, as text, HTML and JSON."""
    session = active()
    return Report(session.statistics.kernels(), session.all_findings)


def layouts(kernel: Any) -> KernelLayouts:
    """Every layout that Triton has chosen for a kernel: read from its TTGIR, and drawn in a notebook.

    `kernel` is what a launch returns, a function of triton.jit (then all its compiled versions), or the text of
    TTGIR.
    """
    return layouts_of(kernel)
