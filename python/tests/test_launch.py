"""Launches: the launch file that is written, and runs of the program where it has been built."""

import html
import os
import shutil
import tempfile

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
    assert str(right) == "Y is RIGHT: all 32 elements" and "<pre>" not in right._repr_html_()
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
    assert run.findings and run.right is None and not run.finished
    finding = run.findings[0]
    assert finding.kind and finding.message and str(finding) in str(run)
    assert finding.source.startswith("kernel.hip:3:") and finding.code.startswith("if (threadIdx.x < n)")
    page = run._repr_html_()
    assert html.escape(finding.fix) in page and html.escape(finding.code) in page
    assert "heddle-" not in str(run) + page + repr(run) + str(run.report)
    assert repr(run) == "<Run: ended by a fault; 1 finding>"


@needs_program
def test_places_where_the_temporary_folder_is_below_the_working_folder(monkeypatch, tmp_path):
    (tmp_path / "with space").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "with space"))
    for folder in (tmp_path, tmp_path / "with space"):
        monkeypatch.chdir(folder)
        run = heddle.Launch(TWICE, arrays={"X": "f32[8]", "Y": "f32[32]"}, arguments=["X", "Y", 32]).run()
        assert run.findings[0].source.startswith("kernel.hip:3:") and run.findings[0].code
        assert run.findings and "heddle-" not in str(run.report)


@needs_program
def test_nothing_judged():
    """Errors without results are no verdict: neither what ended the run nor what did not."""
    source = TWICE.replace("2 * x[threadIdx.x]", "2 * x[0]")
    run = heddle.Launch(source, arrays={"X": "f32[1]", "Y": "f32[32]"}, arguments=["X", "Y", 32]).run()
    assert run.findings and run.right is None
    run = heddle.Launch(TWICE, arrays={"X": "f32[32] iota", "Y": "f32[32]"}, arguments=["X", "Y", 32]).run()
    assert not run.findings and run.right is None and run.finished
    assert repr(run) == "<Run: nothing judged>" and not run.changes[0].is_error


@needs_program
def test_what_is_said_of_a_wrong_result():
    source = """
__global__ void product(const float* A, const float* B, float* C) {
  for (int i = threadIdx.x; i < 256; i += 32) {
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += A[i / 16 * 16 + k] * B[i % 16 * 16 + k];
    C[i] = sum;
  }
}
"""
    arrays = {"A": "f32[16x16] random", "B": "f32[16x16] random", "C": "f32[16x16]"}
    run = heddle.Launch(source, arrays=arrays, expect={"C": "A @ B"}).run()
    (result,) = run.results
    fix = result.explanations[0]["fix"]
    assert fix in str(run) and html.escape(fix) in run._repr_html_()
    assert "the result equals A @ B'" in result.why[0]
    assert "\n" not in repr(run) and len(repr(run)) < 200 and "WRONG" in repr(run)
    assert run.to_json() is run.report


@needs_program
def test_arrays_of_what_must_come_out():
    source = """
__global__ void product(const _Float16* A, const _Float16* B, float* C, int k, float alpha) {
  const int row = blockIdx.x, column = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += (float)A[row * k + i] * (float)B[i * 32 + column];
  C[row * 32 + column] = alpha * sum;
}
"""
    random = numpy.random.default_rng(1)
    A = random.uniform(-1, 1, (4, 256)).astype(numpy.float16)
    B = random.uniform(-1, 1, (256, 32)).astype(numpy.float16)
    C = numpy.zeros((4, 32), numpy.float32)
    exact = A.astype(float) @ B
    how = dict(grid=numpy.int64(4), block=numpy.array([32]), lds=numpy.int32(0))
    arguments = [A, B, "C", numpy.int64(256), numpy.float32(1)]

    def launch(expected, **more):
        return heddle.Launch(source, arrays={"A": A, "B": B, "C": "f32[4x32]"}, expect={"C": expected},
                             **{"arguments": arguments, **how, **more})

    assert launch(A @ B).text.splitlines()[-3:] == [
        "expected_C = f16[4x32] file expected_C.bin", "arguments A B C 256 1.0",
        "expect C = expected_C tolerance 0.002"]
    for expected in (A @ B, exact, OfAnotherPackage(exact), exact.tolist(), (exact, 1e-5)):
        run = launch(expected).run()
        assert run.right and set(run.arrays) == {"A", "B", "C"}
    shifted = exact.copy()
    shifted[1, 2] += 1e-2
    assert not launch(shifted).run().right and launch((shifted, 1e-1)).run().right
    direct = heddle.Launch(source, arguments=[A, B, C, 256, 1.0], expect={"arg2": exact}, **how).run()
    assert direct.right and numpy.allclose(direct.arrays["arg2"], exact, 1e-4, 1e-4)
    whole = launch_of(32, X="i32[32] iota")
    assert "tolerance" not in whole.text
    assert heddle.Launch("k.hip", arrays={"Y": "i32[4]"}, expect={"Y": numpy.arange(4)}).text.endswith(
        "expect Y = expected_Y\n")


KERNELS = """
__global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }
__global__ void sum(float** x, float* y) { y[threadIdx.x] = x[0][threadIdx.x] + x[1][threadIdx.x]; }
"""


@needs_program
def test_several_launches():
    first = heddle.Launch(KERNELS, name="twice", arrays={"X": "f32[32] iota", "Y": "f32[32]"},
                          expect={"Y": "2 * X"})
    text = first.text
    both = first.then("sum", arrays={"P": ["X", "Y"], "Z": "f32[32]"}, arguments=["P", "Z"],
                      expect={"Z": 3 * numpy.arange(32)})
    assert first.text == text and both.text.startswith(text) and "P = pointer[2] X Y\n" in both.text
    run = both.run()
    assert run.right and [each.kernel for each in run.launches] == ["twice", "sum"]
    assert [each.results[0].array for each in run.launches] == ["Y", "Z"] and len(run.results) == 2
    assert (run.arrays["Z"] == 3 * numpy.arange(32)).all() and set(run.arrays) == {"X", "Y", "Z"}
    assert all(each.counts["workgroups"] == 1 for each in run.launches)
    assert str(run).startswith("launch 1, twice:\n  Y is RIGHT") and "launch 2" in run._repr_html_()
    wrong = first.then("sum", arrays={"P": ["X", None], "Z": "f32[32]"}, arguments=["P", "Z"]).run()
    assert not wrong.finished and wrong.right is False and wrong.launches[0].right
    assert wrong.launches[1].right is None and wrong.launches[1].findings[0].source.startswith("kernel.hip:3")
    three = both.then("twice", arrays={"W": "f32[32]"}, arguments=["Z", "W"], expect={"W": "2 * Z"})
    assert len(three.run().launches) == 3


@needs_program
def test_a_launch_file(tmp_path):
    numpy.save(tmp_path / "x.npy", numpy.arange(32, dtype=numpy.float32))
    (tmp_path / "kernels.hip").write_text("#include <hip/hip_runtime.h>" + KERNELS)
    (tmp_path / "two.launch").write_text(
        "X = f32[32] file x.npy  # beside this\nY = f32[32]\nZ = f32[32]\nP = pointer[2] X Y\n"
        "kernel twice\narguments X Y\nkernel sum\narguments P Z\nexpect Z = X + Y\n")
    launch = heddle.Launch.from_file(tmp_path / "kernels.hip", tmp_path / "two.launch")
    run = launch.run()
    assert run.right and len(run.launches) == 2 and set(run.arrays) == {"X", "Y", "Z"}
    with pytest.raises(heddle.Error, match="the launches are those of .*two.launch: add one there"):
        launch.then("twice", arguments=["Z", "Y"])
    with pytest.raises(heddle.Error, match="cannot read the launch file"):
        heddle.Launch.from_file("k.hip", tmp_path / "no.launch")


CUDA = TWICE.replace("hip/hip_runtime.h", "cuda_runtime.h")
PTX = """
.version 7.0
.target sm_80
.address_size 64
.visible .entry seven(.param .u64 y) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [y];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  mov.u32 %r2, 7;
  st.global.u32 [%rd1], %r2;
  ret;
}
"""


@needs_program
def test_processors_and_languages(tmp_path):
    assert launch_of(32).run(target="MI300X").report["target"] == "gfx942"
    assert launch_of(32).run(target="RDNA4").right
    with pytest.raises(heddle.Error, match="no target 'MI999X'; .*the targets are gfx1100"):
        launch_of(32).run(target="MI999X")
    arrays = {"X": "f32[32] iota", "Y": "f32[32]"}
    (tmp_path / "twice.cu").write_text(CUDA)
    for source in (CUDA, tmp_path / "twice.cu"):
        cuda = heddle.Launch(source, arrays=arrays, arguments=["X", "Y", 32], expect={"Y": "2 * X"})
        assert cuda.run().right
        for target, processor in (("sm_80", "sm_80"), ("H100", "sm_90a")):
            run = cuda.run(target=target)
            assert run.right and run.report["target"] == processor
    with pytest.raises(heddle.Error, match="sm_80 is NVIDIA's, for which kernels are CUDA's text"):
        launch_of(32).run(target="sm_80")
    seven = heddle.Launch(PTX, arrays={"Y": "i32[32]"}, expect={"Y": 7})
    for target in ("", "sm_80", "H100"):
        assert seven.run(target=target).right


@needs_program
def test_a_text_without_the_header_of_hip():
    text = TWICE.split("\n", 1)[1]
    how = dict(arrays={"X": "f32[32] iota", "Y": "f32[32]"}, arguments=["X", "Y", 32], expect={"Y": "2 * X"})
    assert heddle.Launch(text, **how).run().right
    assert heddle.Launch(text.replace("\n", " "), **how).run().right
    own = '#define __global__ __attribute__((global))\nextern "C" __global__ void f(int* x) { *x = 1; }\n'
    assert heddle.Launch(own, arrays={"X": "i32[1]"}, expect={"X": 1}).run().right


@needs_program
def test_a_file_without_the_header_of_hip(tmp_path):
    (tmp_path / "k.hip").write_text(TWICE.split("\n", 1)[1])
    with pytest.raises(heddle.Error, match="need #include <hip/hip_runtime.h>$"):
        heddle.Launch(tmp_path / "k.hip", arrays={"X": "f32[1]"}).run()


@needs_program
def test_flags_as_a_text():
    launch = heddle.Launch("__global__ void f(int* x) { *x = N; }\n", arrays={"X": "i32[1]"}, expect={"X": 6})
    assert launch.run(flags="-O2 -DN='1 + 5'").right and launch.run(flags=["-DN=1 + 5"]).right
    assert launch.run(flags="-DN=6", options="--limit 1000").right


@pytest.mark.parametrize("call, sentence", [
    (lambda: launch_of(32, X=None), "X is of object"),
    (lambda: launch_of(None), "an argument is a name, a number or an array, not NoneType"),
    (lambda: heddle.Launch("k.hip", grid="4x2"), r"grid is a number or up to three, as \(4, 2\), not the text '4x2'"),
    (lambda: heddle.Launch("k.hip", block=(32, 1.5)), "block is a whole number, not float"),
    (lambda: heddle.Launch("k.hip", lds="64"), "lds is a whole number, not str"),
    (lambda: heddle.Launch("k.hip", arguments="A"), r"arguments are a sequence, as \['A', 'B', 64\], not str"),
    (lambda: heddle.Launch("k.hip", expect={"C": None}), "what C holds is a formula or an array, not NoneType"),
    (lambda: heddle.Launch(5), "a kernel is a path or a text, not int"),
    (lambda: launch_of(32).run(target=80), "target is a text, as 'gfx1151' or 'MI300X', not int"),
])
def test_other_types_are_refused(call, sentence):
    with pytest.raises((heddle.Error, TypeError), match=sentence):
        call()


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
