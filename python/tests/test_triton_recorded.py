"""Kernels that Triton has compiled, through the launcher of heddle.triton, against numpy."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "triton_launches"))

import launched  # noqa: E402
import recorded  # noqa: E402
from cases import CASES  # noqa: E402

import heddle.triton  # noqa: E402

ENTRIES = recorded.read()


@pytest.fixture(autouse=True, scope="module")
def afterwards():
    yield
    heddle.triton.deactivate()


def not_yet(entry):
    """What an emulator lacks for a launch, or nothing. A launch that passes nevertheless is a failure."""
    case, target = entry.case, entry.target
    if case in ("prints", "assertion_fails"):
        return "hostcalls" if target.startswith("gfx") else "vprintf and __assertfail"
    if case in MAPS and target in ("sm_90a", "sm_100a", "sm_120a"):
        return "tensor maps as bytes"
    if target in ("sm_100a", "sm_120a") and case in ("reductions", "softmax", "matmul_f32") and (
        case != "softmax" or target == "sm_100a"
    ):
        return "add.f32x2, fma.rn.f32x2 and redux.sync.max.f32"
    if target == "sm_100a" and (case.startswith("matmul_") or case == "attention") and case not in NO_TCGEN05:
        return "tcgen05"
    return "mma of kind::mxf4nvf4" if (case, target) == ("scaled_product", "sm_120a") else ""


MAPS = ("device_descriptors", "host_descriptor", "host_descriptors", "host_descriptors_padded", "matmul_descriptors",
        "scratch_of_descriptors", "warp_specialise")
NO_TCGEN05 = ("matmul_i8",)


def parameter_of(entry):
    lacks = not_yet(entry)
    marks = [pytest.mark.xfail(reason=f"the emulator lacks {lacks}", strict=True)] if lacks else []
    return pytest.param(entry, id=f"{entry.case}-{entry.target}", marks=marks)


@pytest.mark.parametrize("entry", [parameter_of(each) for each in ENTRIES])
def test_recorded(entry):
    # All are checked: what is right has no finding.
    assert launched.problem_of(entry, check=True) == ""


def test_every_case_is_recorded_for_all_its_targets():
    assert {(each.case, each.target) for each in ENTRIES} == {
        (name, target) for name, case in CASES.items() for target in case.targets
    }
    assert len(ENTRIES) >= 200
