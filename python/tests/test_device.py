"""heddle.Device: compiled kernels in this process, on arrays where they are."""

import ctypes
import gc
import importlib.metadata
import json
import mmap
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import numpy
import pytest

import heddle

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ["gfx942", "gfx1201"]
ALL = [*TARGETS, "sm_80"]

HIP = r"""
#include <hip/hip_runtime.h>
struct Arrays { const float* x; float* y; int n; };
__device__ int counter = 40;
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
extern "C" __global__ void through(Arrays* arrays, float by) {
  int i = threadIdx.x;
  if (i < arrays->n) arrays->y[i] = by * arrays->x[i];
}
extern "C" __global__ void count(int* out) { if (threadIdx.x == 0) *out = counter = counter + 1; }
extern "C" __global__ void say(int n) { if (threadIdx.x == 3) printf("lane 3 of %d\n", n); }
extern "C" __global__ void forever(int* x) { while (__hip_atomic_load(x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {} }
extern "C" __global__ void race(int* x) { *x = threadIdx.x; }
extern "C" __global__ void shared(int* out) {
  extern __shared__ int s[];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void small(short a, double b, char c, double* out) { *out = a + b + c; }
"""

PTX = r"""
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 counter = 40;
.visible .entry add(.param .u64 x, .param .u64 y, .param .u64 z, .param .u32 n) {
  .reg .b64 %rd<10>; .reg .b32 %r<10>; .reg .f32 %f<5>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u64 %rd3, [z]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1; @%p1 ret;
  mul.wide.s32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd3, %rd4;
  ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd6]; add.f32 %f3, %f1, %f2; st.global.f32 [%rd7], %f3;
  ret;
}
.visible .entry through(.param .u64 arrays, .param .f32 by) {
  .reg .b64 %rd<10>; .reg .b32 %r<10>; .reg .f32 %f<5>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [arrays]; ld.param.f32 %f1, [by];
  ld.u64 %rd2, [%rd1]; ld.u64 %rd3, [%rd1+8]; ld.u32 %r1, [%rd1+16];
  mov.u32 %r2, %tid.x; setp.ge.s32 %p1, %r2, %r1; @%p1 ret;
  mul.wide.s32 %rd4, %r2, 4; add.s64 %rd5, %rd2, %rd4; add.s64 %rd6, %rd3, %rd4;
  ld.f32 %f2, [%rd5]; mul.f32 %f3, %f1, %f2; st.f32 [%rd6], %f3;
  ret;
}
.visible .entry count(.param .u64 out) {
  .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<3>;
  mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 ret;
  ld.param.u64 %rd1, [out]; ld.global.u32 %r2, [counter]; add.u32 %r2, %r2, 1;
  st.global.u32 [counter], %r2; st.global.u32 [%rd1], %r2;
  ret;
}
.visible .entry forever(.param .u64 x) {
  .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [x];
again: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra again;
  ret;
}
.visible .entry race(.param .u64 x) {
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; st.global.u32 [%rd1], %r1;
  ret;
}
.extern .shared .align 4 .b8 s[];
.visible .entry shared(.param .u64 out) {
  .reg .b64 %rd<4>; .reg .b32 %r<8>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, s;
  mad.lo.u32 %r4, %r1, 4, %r3; st.shared.u32 [%r4], %r1; bar.sync 0;
  sub.u32 %r5, %r2, %r1; sub.u32 %r5, %r5, 1; mad.lo.u32 %r5, %r5, 4, %r3; ld.shared.u32 %r6, [%r5];
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r6;
  ret;
}
"""


def compiled(folder, target):
    """The path of a code object of HIP."""
    source, out = folder / "kernels.hip", folder / f"kernels.{target}.co"
    source.write_text(HIP)
    clang = shutil.which("clang++-22") or "/usr/lib/llvm-22/bin/clang++"
    subprocess.run(
        [clang, "-x", "hip", "-O2", "-g1", "-nogpuinc", "-nogpulib", "--cuda-device-only", "-std=c++20", "-DHEDDLE_PRINTS",
         "--no-gpu-bundle-output", f"--offload-arch={target}", f"-I{ROOT}/runtime/hip_without_rocm",
         f"-I{ROOT}/include", "-c", source, "-o", out],
        check=True,
    )
    return out


@pytest.fixture(scope="session")
def codes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("device")
    return {**{target: compiled(folder, target) for target in TARGETS}, "sm_80": PTX}


@pytest.fixture(params=ALL)
def module(request, codes):
    return heddle.Device(request.param).load(codes[request.param])


@pytest.fixture(params=TARGETS)
def amd(request, codes):
    return heddle.Device(request.param).load(codes[request.param])


def arrays(n=1000):
    return numpy.arange(n, dtype="f4"), numpy.full(n, 0.5, "f4"), numpy.zeros(n, "f4")


def test_a_device_tells_what_it_is():
    assert [heddle.Device(target).wave for target in ALL] == [64, 32, 32]
    assert heddle.Device("gfx942").target == "gfx942"
    with pytest.raises(heddle.Error, match="no target 'gfx9'; the targets are .*gfx942"):
        heddle.Device("gfx9")
    with pytest.raises(heddle.Error, match="did you mean gfx942"):
        heddle.Device("gfx9042")
    with pytest.raises(heddle.Error, match="gfx906 has no matrix instructions; .* The targets are .*gfx942"):
        heddle.Device("gfx906", isolated=True)


def test_kernels_and_parameters(module):
    assert {"add", "through", "race"} <= set(module.kernels)
    assert module["add"].parameters == [(0, 8), (8, 8), (16, 8), (24, 4)]
    with pytest.raises(heddle.Error, match="no kernel 'sub'; it has .*add"):
        module["sub"]


@pytest.mark.parametrize("check", [False, True])
def test_a_kernel_runs_on_arrays_where_they_are(module, check):
    x, y, z = arrays()
    run = module["add"](4, 256, x, y, z, 1000, check=check)
    assert (z == x + y).all()
    assert run.finished and run.findings == () and isinstance(run, heddle.Run)
    assert run.counts["workgroups"] == 4 and run.report["checked"] is check
    assert run.kernel == "add" and run.right is None and run.launches == ()


def test_parts_of_arrays(module):
    x, y, z = arrays()
    module["add"](1, 64, x[100:], y, z[7:], 50)
    assert (z[7:57] == x[100:150] + 0.5).all() and z[57:].sum() == 0


def test_pointers_in_structs(module):
    x, _, y = arrays(32)

    class Arrays(ctypes.Structure):
        _fields_ = [("x", ctypes.c_void_p), ("y", ctypes.c_void_p), ("n", ctypes.c_int)]

    of = Arrays(x.ctypes.data, y.ctypes.data, 32)
    kernel = module["through"]
    arguments = ctypes.addressof(of).to_bytes(8, "little") + numpy.float32(3).tobytes()
    memory = [
        (ctypes.addressof(of), ctypes.sizeof(of), "arrays", False),
        (x.ctypes.data, x.nbytes, "x", False),
        (y.ctypes.data, y.nbytes, "y", True),
    ]
    run = kernel.launch(grid=(1, 1, 1), block=(32, 1, 1), arguments=arguments, memory=memory, check=True)
    assert (y == 3 * x).all() and run.findings == ()
    run = kernel.launch(1, 32, arguments, memory[:2])
    assert not run.finished and "near" in run.findings[-1].message or "array" in run.findings[-1].message
    with pytest.raises(heddle.Error, match="global-out-of-bounds"):
        kernel.launch(1, 32, arguments, memory[:2], raise_on_fault=True)


def test_an_access_outside_names_the_array_and_the_distance(module):
    x, y, z = arrays()
    run = module["add"](4, 256, x, y, z[:400], 1000)
    assert not run.finished
    (finding,) = run.findings
    assert finding.kind == "global-out-of-bounds"
    assert "4 bytes at 0 bytes past the end of array" in finding.message and "(1600 bytes)" in finding.message


def test_read_only_arrays(module):
    x, y, z = arrays()
    z.flags.writeable = False
    run = module["add"](4, 256, x, y, z, 1000)
    assert [each.kind for each in run.findings] == ["global-read-only"] and z.sum() == 0


def test_the_null_pointer(module):
    x, y, _ = arrays()
    run = module["add"](4, 256, x, y, None, 1000)
    assert [each.kind for each in run.findings] == ["global-out-of-bounds"]


def test_a_checked_device(codes):
    out = numpy.zeros(1, "i4")
    for target in ALL:
        module = heddle.Device(target, check=True, threads=1).load(codes[target])
        assert module["race"](1, 64, out).findings
        assert module["race"](1, 64, out, check=False).findings == ()


def test_variables_keep_their_values(module):
    out = numpy.zeros(1, "i4")
    for expected in (41, 42, 43):
        module["count"](1, 32, out)
        assert out[0] == expected


def test_what_is_printed_comes_back(amd):
    assert amd["say"](1, 32, 7).printed == "lane 3 of 7\n"
    assert amd["say"](1, 32, 8).printed == "lane 3 of 8\n"


def test_dynamic_shared_memory(module):
    out = numpy.zeros(64, "i4")
    assert module["shared"](1, 64, out, shared=256, check=True).findings == ()
    assert (out == numpy.arange(64)[::-1]).all()
    run = module["shared"](1, 64, out, shared=128)
    assert [each.kind for each in run.findings] == ["lds-out-of-bounds"]
    with pytest.raises(heddle.Error, match="bytes"):
        module["shared"](1, 64, out, shared=1 << 30)


def test_numbers_take_the_size_of_their_parameter(amd):
    out = numpy.zeros(1)
    kernel = amd["small"]
    assert [size for _, size in kernel.parameters] == [2, 8, 1, 8]
    kernel(1, 1, -3, 0.25, 7, out)
    assert out[0] == 4.25
    kernel(1, 1, numpy.int16(-3), ctypes.c_double(0.5), b"\x01", out)
    assert out[0] == -1.5
    with pytest.raises(heddle.Error, match="argument 1 .*2 bytes, and 40000 .*not fit|argument 1.* 70000"):
        kernel(1, 1, 70000, 0.25, 7, out)
    with pytest.raises(heddle.Error, match="numpy.float16"):
        kernel(1, 1, 1.5, 0.25, 7, out)
    with pytest.raises(heddle.Error, match="has 2 bytes, and 4 are given"):
        kernel(1, 1, numpy.int32(1), 0.25, 7, out)
    with pytest.raises(heddle.Error, match="no pointer"):
        kernel(1, 1, out, 0.25, 7, out)
    with pytest.raises(TypeError, match="argument 1"):
        kernel(1, 1, "three", 0.25, 7, out)


def test_other_arrays(module):
    x, y, z = arrays(64)

    class Tensor:  # as torch has it
        device = type("device", (), {"type": "cpu"})
        shape = (64,)

        def __init__(self, array):
            self.array = array

        def data_ptr(self):
            return self.array.ctypes.data

        def element_size(self):
            return 4

        def stride(self):
            return (1,)

    class Exchanged:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **more):
            return self.array.__dlpack__()

    module["add"](1, 64, Tensor(x), Exchanged(y), z, 64)
    assert (z == x + y).all()
    on_gpu = Tensor(x)
    on_gpu.device = type("device", (), {"type": "cuda"})
    with pytest.raises(heddle.Error, match="on the CPU"):
        module["add"](1, 64, on_gpu, y, z, 64)
    with pytest.raises(heddle.Error, match="numbers are taken"):
        module["add"](1, 64, numpy.array([None]), y, z, 64)


def test_refused_launches(module):
    x, y, z = arrays(64)
    add = module["add"]
    for grid, block, sentence in (
        (0, 64, "grid"),
        ((1, 1, 1, 1), 64, "sizes"),
        (1, 0, "threads"),
        (1, 4096, "threads"),
        (-1, 64, "grid"),
        (1 << 40, 64, "grid"),
    ):
        with pytest.raises(heddle.Error, match=sentence):
            add(grid, block, x, y, z, 64)
    with pytest.raises(TypeError):
        add("1", 64, x, y, z, 64)
    with pytest.raises(heddle.Error, match="takes 4 arguments, and 3 are given"):
        add(1, 64, x, y, z)
    for size in (0, 27, 4096):
        with pytest.raises(heddle.Error, match=f"takes 28 bytes of arguments, and {size} are given"):
            add.launch(1, 64, bytes(size))


def test_memory_that_is_not_there(module):
    kernel = module["race"]
    page = mmap.PAGESIZE
    mapped = mmap.mmap(-1, 4 * page)
    address = ctypes.addressof(ctypes.c_char.from_buffer(mapped))
    gc.collect()
    arguments = address.to_bytes(8, "little")
    assert kernel.launch(1, 32, arguments, [(address, 4 * page, "mapped", True)]).finished
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    assert libc.mprotect(address, 4 * page, mmap.PROT_READ) == 0
    with pytest.raises(heddle.Error, match="array mapped cannot be used"):
        kernel.launch(1, 32, arguments, [(address, 4 * page, "mapped", True)])
    assert kernel.launch(1, 32, arguments, [(address, 4 * page, "mapped", False)]).findings
    assert libc.mprotect(address, 4 * page, mmap.PROT_READ | mmap.PROT_WRITE) == 0
    for wrong in (
        [(address, 1 << 62, "large", True)],
        [(address, (1 << 64) - 1, "larger", True)],
        [((1 << 64) - 4096, 8192, "round", True)],
        [(16, 4096, "null", True)],
        [(address, 4 * page, "good", True), (1 << 46, 4096, "elsewhere", True)],
    ):
        with pytest.raises(heddle.Error, match=f"array {wrong[-1][2]} "):
            kernel.launch(1, 32, arguments, wrong)
    run = kernel.launch(1, 32, arguments, [(address, 0, "empty", True)])
    assert not run.finished
    run = kernel.launch(1, 32, arguments, [(address, page, "a", False)] * 3000 + [(address, 8, "b", True)])
    assert run.finished  # they overlap: what one lets the kernel write it may write


def test_a_kernel_without_an_end_is_ended(codes):
    for target in ALL:
        module = heddle.Device(target, limit=100_000).load(codes[target])
        run = module["forever"](1, 32, numpy.zeros(1, "i4"))
        assert not run.finished and [each.kind for each in run.findings] == ["budget-spent"]


def test_broken_code():
    for code in (b"", b"\x7fELF", b"x" * 1000, os.urandom(300)):
        with pytest.raises(heddle.Error):
            heddle.Device("gfx942").load(code)
    with pytest.raises(heddle.Error):
        heddle.Device("sm_80").load("nonsense")
    with pytest.raises(TypeError):
        heddle.Device("sm_80").load(3)
    with pytest.raises(heddle.Error, match="cannot be read"):
        heddle.Device("sm_80").load(pathlib.Path("nowhere.ptx"))


def test_code_for_another_processor(codes):
    with pytest.raises(heddle.Error, match="gfx942"):
        heddle.Device("gfx1201").load(codes["gfx942"])


def test_threads_may_launch_at_the_same_time(module):
    failed = []

    def work(number):
        x, y, z = arrays(512)
        x += number
        for _ in range(20):
            z[:] = 0
            run = module["add"](2, 256, x, y, z, 512)
            if not ((z == x + y).all() and run.finished and json.dumps(run.report)):
                failed.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_results_outlive_what_they_were_made_of(codes):
    x, y, z = arrays(64)
    run = heddle.Device("sm_80").load(codes["sm_80"])["add"](1, 64, x, y, z, 64)
    gc.collect()
    assert run.report["kernel"] == "add"


def aligned(values):
    """A copy of an array that begins at a multiple of 256, as a GPU's memory does."""
    room = numpy.zeros(values.nbytes + 256, "u1")
    first = -room.ctypes.data % 256
    copy = room[first : first + values.nbytes].view(values.dtype)
    copy[:] = values
    return copy


def test_the_same_as_the_program(amd, codes):
    """Bytes, findings and counts of `heddle run`, which has addresses of its own for arrays."""
    target = amd.device.target
    x, y = map(aligned, numpy.random.default_rng(1).standard_normal((2, 1000)).astype("f4"))
    for size, check in ((1000, False), (1000, True), (900, True)):
        out = aligned(numpy.zeros(size, "f4"))
        launch = heddle.Launch(
            codes[target], arrays={"x": x, "y": y, "z": numpy.zeros_like(out)}, arguments=["x", "y", "z", 1000],
            grid=4, block=256, name="add",
        )
        expected = launch.run(target=target, check=check)
        run = amd["add"](4, 256, x, y, out, 1000, check=check)
        assert run.finished == expected.finished
        assert out.tobytes() == expected.arrays["z"].tobytes() if run.finished else True
        assert [each.kind for each in run.findings] == [each.kind for each in expected.findings]
        assert [each.source for each in run.findings] == [each.source for each in expected.findings]
        for key in set(run.counts) - {"seconds", "core_seconds"}:
            assert run.counts[key] == expected.counts[key], key


@pytest.fixture(params=["gfx942", "sm_80"])
def isolated(request, codes):
    return heddle.Device(request.param, isolated=True).load(codes[request.param])


def test_an_isolated_kernel_runs_on_arrays_with_pointers(isolated):
    assert isolated["add"].parameters == [(0, 8), (8, 8), (16, 8), (24, 4)]
    for check in (False, True):
        x, y, z = arrays()
        run = isolated["add"](4, 256, x, y, z, 1000, check=check)
        assert run.finished and not run.findings and run.report["kernel"] == "add"
        numpy.testing.assert_array_equal(z, x + y)
    out = numpy.zeros(1, "i4")
    for expected in (41, 42):
        isolated["count"](1, 64, out)
        assert out[0] == expected
    run = isolated["race"](1, 64, out, check=True)
    assert run.findings and run.finished
    with pytest.raises(heddle.Error, match="takes 4 arguments"):
        isolated["add"](1, 64)
    with pytest.raises(heddle.Error, match="a workgroup|block"):
        isolated["count"](1, 5000, out)


def test_isolated_memory_that_is_not_there(isolated):
    data = numpy.zeros(4, "i4")
    bytes_of = data.ctypes.data.to_bytes(8, "little")
    with pytest.raises(heddle.Error, match="array wrong would have 16 bytes at address 0x1000"):
        isolated["race"].launch(1, 32, bytes_of, [(4096, 16, "wrong", True)])
    run = isolated["race"].launch(1, 32, bytes_of, [(data.ctypes.data, 16, "part", False)])
    assert not run.finished and "part" in str(run.findings[-1])


def test_a_process_that_ends_is_told_and_started_again(isolated):
    out = numpy.zeros(1, "i4")
    isolated["count"](1, 64, out)
    isolated.device._worker._process.kill()
    with pytest.raises(heddle.Error, match="the process of the device was ended by signal 9"):
        isolated["count"](1, 64, out)
    isolated["count"](1, 64, out)
    assert out[0] == 41
    worker = isolated.device._worker
    for wrong in (b"no length", (1 << 62).to_bytes(8, "little"), (2).to_bytes(8, "little") + b"[]"):
        script = f"import os, time; os.write(1, {wrong!r}); os.close(1); os.read(0, 8); time.sleep(9)"
        worker._end()
        worker._process = subprocess.Popen(
            [sys.executable, "-S", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        with pytest.raises(heddle.Error, match="the process of the device"):
            isolated["count"](1, 64, out)


@pytest.mark.parametrize("name", ["limit", "limit_run", "limit_memory"])
def test_every_budget_can_be_set(codes, name):
    for isolated in (False, True):
        kernel = heddle.Device("sm_80", isolated=isolated, **{name: 1}).load(codes["sm_80"])["add"]
        try:
            run = kernel(4, 256, *arrays(), 1000)
            assert not run.finished and "budget" in str(run.findings[-1])
        except heddle.Error as reason:
            assert "--limit-memory" in str(reason)


BULK = r"""
.version 8.0
.target sm_90
.address_size 64
.shared .align 16 .b8 tile[64];
.shared .align 8 .b64 bar;
.visible .entry copy(.param .u64 x) {
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [x]; mov.u32 %r1, bar; mov.u32 %r2, tile;
  mbarrier.init.shared::cta.b64 [%r1], 1;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 32, [%r1];
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+32], [%rd1], 32, [%r1];
  ret;
}
"""


@pytest.mark.parametrize("name, most", [("limit_bulk_bytes", 40), ("limit_pending", 1)])
def test_budgets_of_copies_can_be_set(name, most):
    x = numpy.zeros(64, "u1")
    assert heddle.Device("sm_90").load(BULK)["copy"](1, 1, x).finished
    run = heddle.Device("sm_90", **{name: most}).load(BULK)["copy"](1, 1, x)
    assert not run.finished and f"the budget of {most} " in str(run.findings[-1])


def test_a_wheel_has_the_notices_of_what_is_linked():
    try:
        files = importlib.metadata.files("heddle") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("heddle is not installed from a wheel")
    text = next(each for each in files if each.name == "copyright").read_text()
    for package in ("zlib1g-dev", "libzstd-dev", "llvm-22-dev"):
        assert f"Debian's package {package}:" in text


MAPS = r"""
.version 8.0
.target sm_90
.address_size 64
.visible .entry box(.param .align 64 .b8 map[128], .param .u64 out) {
  .reg .b64 %rd<5>; .reg .b32 %r<8>; .reg .pred %p<3>;
  .shared .align 1024 .b8 tile[512]; .shared .align 8 .b64 bar;
  mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mov.u32 %r3, bar;
  setp.ne.u32 %p1, %r1, 0; @%p1 bra wait;
  mbarrier.init.shared.b64 [%r3], 1;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 512;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd1, {8, 6}], [%r3];
wait:
  bar.sync 0;
again: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra again;
  shl.b32 %r4, %r1, 2; add.u32 %r5, %r2, %r4; ld.shared.u32 %r6, [%r5];
  cvt.u64.u32 %rd3, %r4; add.u64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r6;
  ret;
}
"""


@pytest.mark.parametrize("swizzle", [0, 128])
@pytest.mark.parametrize("fill", ["zero", "nan"])
def test_a_tensor_map_is_an_argument(swizzle, fill):
    box = heddle.Device("sm_90").load(MAPS)["box"]
    array = numpy.arange(10 * 40, dtype=numpy.float32).reshape(10, 40)
    out = numpy.zeros((4, 32) if swizzle else (8, 16), numpy.float32)
    tile = (4, 32) if swizzle else (8, 16)
    run = box(1, 128, heddle.TensorMap(array, tile, swizzle, fill), out)
    assert run.finished, run
    whole = numpy.full((14, 40), numpy.nan if fill == "nan" else 0, numpy.float32)
    whole[:10] = array
    wanted = whole[6 : 6 + tile[0], 8 : 8 + tile[1]].copy()
    if swizzle:  # row r of 128 bytes: 16-byte unit u is at u ^ r % 8
        units = wanted.reshape(4, 8, 4)
        wanted = numpy.stack([units[r, [u ^ r for u in range(8)]].reshape(32) for r in range(4)])
    numpy.testing.assert_array_equal(out, wanted)


def test_tensor_maps_that_are_refused():
    box = heddle.Device("sm_90").load(MAPS)["box"]
    array, out = numpy.zeros((10, 40), numpy.float32), numpy.zeros(128, numpy.float32)
    with pytest.raises(heddle.Error, match="a row of 256 bytes in the box"):
        box(1, 128, heddle.TensorMap(array, (2, 64), 128), out)
    with pytest.raises(heddle.Error, match="a box of 1"):
        box(1, 128, heddle.TensorMap(array, (8,)), out)
    with pytest.raises(heddle.Error, match="follow each other"):
        box(1, 128, heddle.TensorMap(array[:, ::2], (8, 16)), out)
    with pytest.raises(heddle.Error, match="complex64"):
        box(1, 128, heddle.TensorMap(array.astype(numpy.complex64), (8, 16)), out)
    with pytest.raises(heddle.Error, match="8 bytes, and a tensor map 128"):
        box(1, 128, heddle.TensorMap(array, (8, 16)), heddle.TensorMap(array, (8, 16)))
    with pytest.raises(heddle.Error, match="swizzle of 48"):
        heddle.TensorMap(array, (8, 16), 48)
