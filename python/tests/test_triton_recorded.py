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


@pytest.mark.parametrize("entry", [pytest.param(each, id=f"{each.case}-{each.target}") for each in ENTRIES])
def test_recorded(entry):
    # All are checked: what is right has no finding.
    assert launched.problem_of(entry, check=True) == ""


def test_every_case_is_recorded_for_all_its_targets():
    assert {(each.case, each.target) for each in ENTRIES} == {
        (name, target) for name, case in CASES.items() for target in case.targets
    }
    assert len(ENTRIES) >= 200
