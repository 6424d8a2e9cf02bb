"""Compiles the kernels of cases.py with Triton for all their targets, runs them, and records their code.

    python3 python/tests/triton_launches/record.py [-o tests/data/triton_recorded.xz] [-k WORD] [--no-run]

It needs Triton; the data of the repository are those of Triton 3.6.0. With -k or -t the other kernels stay as they were
recorded.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import traceback

import kernels
import numpy as np
import recorded
import triton
from cases import CASES, Case, HostDescriptor

import heddle.triton
from heddle.triton import Array, _driver


def own(argument: object) -> object:
    """Triton's own descriptor in place of that of the cases."""
    if isinstance(argument, HostDescriptor):
        from triton.tools.tensor_descriptor import TensorDescriptor

        return TensorDescriptor(
            argument.base, argument.shape, argument.strides, argument.block_shape, argument.padding
        )
    return argument


class Recorder(_driver.Launcher):
    """Keeps what Triton gives to a launcher."""

    last: Recorder

    def __call__(self, grid_x, grid_y, grid_z, stream, function, *rest):
        Recorder.last = self
        self.grid = (grid_x, grid_y, grid_z)
        super().__call__(grid_x, grid_y, grid_z, stream, function, *rest)


def launch(name: str, case: Case, target: str) -> tuple[object, str]:
    """The compiled kernel, and what is wrong with its run."""
    heddle.triton.activate(target, check=True)
    triton.runtime.driver.active.launcher_cls = Recorder
    triton.set_allocator(lambda size, align, stream: Array.aligned(np.zeros(size, np.int8)))
    arguments = case.make(np.random.default_rng(len(name)))
    constants = dict(case.constants)
    if case.gluon:
        constants["LANES"] = triton.runtime.driver.active.get_current_target().warp_size
    printed = io.StringIO()
    problem = ""
    try:
        with contextlib.redirect_stdout(printed):
            getattr(kernels, case.kernel)[case.grid](*map(own, arguments), **constants, **case.options)
        if case.fails:
            problem = f"raised nothing, and not {case.fails}"
        else:
            case.check(*arguments)
    except Exception as reason:
        if type(reason).__name__ != case.fails:
            problem = f"{type(reason).__name__}: {reason}"
    if not problem and case.prints not in printed.getvalue():
        problem = f"printed {printed.getvalue()[:200]!r}"
    versions = getattr(kernels, case.kernel).device_caches[triton.runtime.driver.active.get_current_device()][0]
    compiled = [each for each in versions.values() if each.hash == getattr(Recorder.last.metadata, "hash", "")]
    return (compiled[0] if compiled else None), problem


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("-o", "--output", default="")
    options.add_argument("-k", "--word", default="")
    options.add_argument("-t", "--target", default="")
    given = options.parse_args()
    entries, bad = [], 0
    for name, case in CASES.items():
        for target in case.targets:
            if given.word not in name or given.target not in target:
                continue
            Recorder.last = None
            try:
                compiled, problem = launch(name, case, target)
            except Exception:
                compiled, problem = None, traceback.format_exc(limit=-1).strip().splitlines()[-1]
            if problem:
                bad += 1
                print(f"{name} {target}: {problem[:300]}", file=sys.stderr, flush=True)
            if compiled is not None and given.output:
                entries.append(recorded.entry_of(name, target, Recorder.last, compiled))
    print(f"{len(entries)} recorded, {bad} with problems")
    if given.output:
        if given.word or given.target:  # what was not compiled now stays as it was recorded
            new = {(each.case, each.target) for each in entries}
            known = {(name, target) for name, case in CASES.items() for target in case.targets}
            entries += [each for each in recorded.read() if (each.case, each.target) in known - new]
        recorded.write(given.output, entries)
    return 0


if __name__ == "__main__":
    sys.exit(main())
