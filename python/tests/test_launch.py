"""Launches: the launch file that is written, and runs of the program where it has been built."""

import os
import shutil

import numpy
import pytest

import heddle

needs_program = pytest.mark.skipif(
    not (os.environ.get("HEDDLE_PROGRAM") or shutil.which("heddle")), reason="no program heddle")

TWICE = """#include <hip/hip_runtime.h>
__global__ void twice(const float* x, float* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = 2 * x[threadIdx.x];
}
"""


def launch_of(count, **arrays):
    return heddle.Launch(TWICE, arrays={"X": "f32[32] iota", "Y": "f32[32]", **arrays},
                         arguments=["X", "Y", count], expect={"Y": "2 * X"})


def test_the_launch_file():
    arrays = {"A": numpy.zeros((32, 48), numpy.float16), "B": (numpy.zeros((4, 4), numpy.uint16), "bf16"),
              "C": "f32[32x64]", "alpha": "f32 0.5"}
    launch = heddle.Launch("k.hip", arrays=arrays, grid=(4, 2), block=64, lds=256, name="k",
                           expect={"C": "alpha * C"})
    assert launch.text.splitlines() == [
        "kernel k", "grid 4 2", "block 64", "lds 256", "A = f16[32x48] file A.bin",
        "B = bf16[4x4] file B.bin", "C = f32[32x64]", "alpha = f32 0.5", "arguments A B C alpha",
        "expect C = alpha * C"]


@needs_program
def test_right_and_wrong():
    x = numpy.arange(64, dtype=numpy.float32)[::2]  # not contiguous
    right = launch_of(32, X=x).run()
    assert right.right and right.finished and not right.findings
    assert (right.arrays["Y"] == 2 * x).all() and right.arrays["Y"].dtype == numpy.float32
    assert str(right) == "Y is RIGHT: all 32 elements" and right._repr_html_().startswith("<pre>")
    assert right.counts["workgroups"] == 1
    wrong = launch_of(16).run()
    (result,) = wrong.results
    assert not wrong.right and result.unwritten == 16 and result.wrong == 0
    assert str(wrong) == "Y is WRONG: 16 of 32 elements never written (columns 16 to 31)"
    assert numpy.isnan(wrong.arrays["Y"][16:]).all()


@needs_program
def test_findings_are_records():
    beyond = launch_of(32, Y="f32[32]", X="f32[16] iota", Z="f32[1]")
    beyond.text = beyond.text.replace("expect Y = 2 * X\n", "")
    run = beyond.run()
    assert run.findings and not run.right
    finding = run.findings[0]
    assert finding.kind and finding.message and str(finding) in str(run)


class OfAnotherPackage:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OfAGpu:
    def __dlpack__(self, **options):
        raise BufferError("not on the CPU")

    def __dlpack_device__(self):
        return 2, 0


def test_dlpack():
    launch = launch_of(32, X=OfAnotherPackage(numpy.ones(32, numpy.float32)))
    assert "X = f32[32] file X.bin" in launch.text
    with pytest.raises(heddle.Error, match="numpy cannot take a OfAGpu by DLPack"):
        launch_of(32, X=OfAGpu())


@pytest.mark.parametrize("call, sentence", [
    (lambda: launch_of(32, X=numpy.zeros(4, complex)), "X is of complex128; a kernel's arrays are of"),
    (lambda: launch_of(32, X=numpy.float32(1)), "X has no dimensions"),
    (lambda: launch_of(32, X="f32[32] # no"), "is no line of a launch file"),
    (lambda: launch_of(32, X="f32[32]\nexpect Y = 1"), "is no line of a launch file"),
    (lambda: launch_of(32, **{"a b": "f32[1]"}), "'a b' is no name of an array"),
])
def test_refusals_are_sentences(call, sentence):
    with pytest.raises(heddle.Error, match=sentence):
        call()


@needs_program
@pytest.mark.parametrize("call, sentence", [
    (lambda: launch_of(32, X="f33[32]").run(), "^kernel.launch:4:"),
    (lambda: launch_of(32).run(target="gfx0"), "gfx0"),
    (lambda: launch_of(32).run(device="abacus"), "abacus"),
    (lambda: heddle.Launch("no_such.hip", arrays={"X": "f32[1]"}).run(), "no_such.hip"),
    (lambda: heddle.Launch("\n__global__ void f(int* x) { y }\n", arrays={"X": "i32[1]"}).run(), "undeclared"),
])
def test_refusals_of_the_program(call, sentence):
    with pytest.raises(heddle.Error, match=sentence):
        call()


def test_no_program(monkeypatch):
    monkeypatch.delenv("HEDDLE_PROGRAM", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(heddle.Error, match="needs the program heddle"):
        launch_of(32).run()
    monkeypatch.setenv("HEDDLE_PROGRAM", "/bin/false")
    with pytest.raises(heddle.Error, match="/bin/false ended with 1"):
        launch_of(32).run()
    monkeypatch.setenv("HEDDLE_PROGRAM", "/no/such/program")
    with pytest.raises(heddle.Error, match="/no/such/program"):
        launch_of(32).run()
