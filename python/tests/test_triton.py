"""heddle.triton without Triton: arguments, descriptors, memory, findings, reports, and what it reads and says."""

import doctest
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "triton_launches"))

import launched  # noqa: E402
import recorded  # noqa: E402
import triton  # noqa: E402
from cases import CASES  # noqa: E402

import heddle  # noqa: E402
import heddle.triton  # noqa: E402
from heddle.triton import (  # noqa: E402
    Array,
    _arguments,
    _binary,
    _environment,
    _findings,
    _memory,
    _targets,
    _tensor_maps,
    _types,
)

ENTRIES = {(each.case, each.target): each for each in recorded.read()}
LAUNCHES = pathlib.Path(launched.__file__).parent
PLAIN = _arguments.Descriptors([], True, 4)


@pytest.fixture(autouse=True)
def afterwards():
    yield
    heddle.triton.deactivate()


def run(case, target, **options):
    """A recorded launch, and its arguments."""
    heddle.triton.activate(target, **{"check": True, **options})
    triton.set_allocator(lambda size, align, stream: Array.aligned(np.zeros(size, np.int8)))
    arguments = list(CASES[case].make(np.random.default_rng(0)))
    launched.launch(ENTRIES[case, target], CASES[case], arguments)
    return arguments


def test_nothing_is_imported_before_it_is_used():
    code = "import sys, heddle; print(sorted({'triton', 'torch', 'numpy'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_targets():
    wave = {name: _targets.target_of(name).wave for name in ("gfx90a", "gfx950", "gfx1151", "gfx1250", "sm_120")}
    assert wave == {"gfx90a": 64, "gfx950": 64, "gfx1151": 32, "gfx1250": 32, "sm_120": 32}
    assert _targets.target_of("MI300X").name == "gfx942" and _targets.target_of("H100").name == "sm_90a"
    assert _targets.target_of("sm_89").capability == (8, 9) and _targets.target_of("gfx1201").capability == (12, 0)
    for name in ("gfx908", "sm_75", "gfx9999", "nothing"):
        with pytest.raises(heddle.Error):
            _targets.target_of(name)


def test_shared_memory_is_that_of_the_catalogue():
    text = (pathlib.Path(__file__).resolve().parents[2] / "include/heddle/instruction/target.h").read_text()
    for name in ("gfx90a", "gfx950", "gfx1250"):
        row = text[text.index(f'{{{name}, "{name}"') :]
        assert f"{_targets.target_of(name).shared_bytes >> 10} * kib" in row[: row.index("}")]
    for name in ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"):
        row = text[text.index(f'nvidia({name}, "{name}"') :]
        assert f"{_targets.target_of(name).shared_bytes >> 10} * kib" in row[: row.index(")")]


@pytest.mark.parametrize("type_name, value, expected", [
    ("i1", True, "01"), ("u1", False, "00"), ("i8", -1, "ff"), ("i16", 258, "0201"), ("i32", -2, "feffffff"),
    ("u32", 1 << 31, "00000080"), ("i64", 1, "0100000000000000"), ("u64", (1 << 64) - 1, "ff" * 8),
    ("fp16", 1.0, "003c"), ("bf16", -2.0, "00c0"), ("fp32", 0.5, "0000003f"), ("fp64", 1.0, "000000000000f03f"),
    ("fp32", 1e300, "0000807f"), ("fp16", -1e9, "00fc"), ("i32", np.int64(7), "07000000"),
])
def test_numbers(type_name, value, expected):
    assert _arguments.number_bytes(type_name, value).hex() == expected


def test_numbers_that_are_none():
    with pytest.raises(OverflowError):
        _arguments.number_bytes("i8", 300)
    with pytest.raises(TypeError):
        _arguments.number_bytes("complex64", 1)


def test_arguments_lie_in_the_order_of_the_signature():
    x, y = Array(np.zeros(4, np.float32)), Array(np.zeros(4, np.float32))
    signature = {"x": "*fp32", "n": "i32", "BLOCK": "constexpr", "both": ("*fp32", ("i64", "constexpr")), "none": "*fp32"}
    flat = _arguments.flatten(signature, [x, 5, 128, (y, (9, None)), None], PLAIN)
    assert flat.names == ["x", "n", "both[0]", "both[1][0]", "none"]
    image = _arguments.placed(flat, [1, 2], [(0, 8), (8, 4), (16, 8), (24, 8), (32, 8), (40, 8)])
    assert struct.unpack("<Qi4xQqQQ", image) == (x.data_ptr(), 5, y.data_ptr(), 9, 0, 1)
    assert [name for _, _, name, _ in flat.memory.ranges()].count("x") == 1
    with pytest.raises(TypeError, match="9 parameters"):
        _arguments.placed(flat, [0, 0], [(0, 8)] * 9)
    with pytest.raises(TypeError, match="n has 4 bytes"):
        _arguments.placed(flat, [0, 0], [(0, 8), (8, 8), (16, 8), (24, 8), (32, 8)])


def test_a_descriptor_without_a_map_comes_in_parts():
    base = Array(np.zeros((4, 8), np.float16))
    descriptor = SimpleNamespace(base=base, shape=[4, 8], strides=[8, 1], padding="nan")
    flat = _arguments.flatten({"x": "tensordesc<fp16[4, 8]>"}, [descriptor], PLAIN)
    assert b"".join(flat.values) == struct.pack("<Q4q?2i2q", base.data_ptr(), 4, 8, 8, 1, True, 4, 8, 8, 1)


META = {"swizzle": 3, "elem_size": 2, "elem_type": 6, "block_size": [16, 64], "fp4_padded": False}


def test_tensor_maps():
    words = _tensor_maps.tensor_map(META, 0x1000, [100, 200], [200, 1], False)
    assert len(words) == 128
    assert struct.unpack_from("<Q5Q5Q", words, 8) == (0x1000, 200, 100, 0, 0, 0, 0, 400, 0, 0, 0)
    assert struct.unpack_from("<5H", words, 96) == (64, 16, 0, 0, 0)
    assert list(words[106:117]) == [1, 1, 0, 0, 0, 1, 6, 0, 3, 0, 0]
    padded = _tensor_maps.tensor_map({**META, "fp4_padded": True}, 0x1000, [100, 200], [200, 1], True)
    assert struct.unpack_from("<Q", padded, 16) == (400,) and padded[116] == 1


@pytest.mark.parametrize("change, address, strides, what", [
    ({}, 0x1008, [200, 1], "begins at"), ({}, 0x1000, [200, 2], "last stride"), ({}, 0x1000, [199, 1], "stride of 398"),
    ({"block_size": [512, 64]}, 0x1000, [200, 1], "box of 512"), ({"block_size": [16, 128]}, 0x1000, [200, 1], "swizzle"),
    ({"block_size": [16, 4]}, 0x1000, [200, 1], "row of 8 bytes"), ({"block_size": [4]}, 0x1000, [200, 1], "box of 1"),
])
def test_tensor_maps_that_cuda_refuses(change, address, strides, what):
    with pytest.raises(heddle.Error, match=what):
        _tensor_maps.tensor_map({**META, **change}, address, [100, 200], strides, False)


def test_descriptors_of_gfx1250():
    meta = {"elem_bits": 16, "block_size": [32, 64], "interval_padding_pairs": [[128, 8]]}
    words = struct.unpack("<12I", _tensor_maps.tensor_data_descriptor(meta, 4, 0x123456789A, [100, 0x10203], [200, 1]))
    assert words[:4] == (0, 0, 0x3456789A, 0x80000012)
    assert words[4] == 1 << 16 | 1 << 20 | 5 << 22 | 3 << 25  # 2 bytes; 4 words of padding behind each 2^6
    assert words[5:] == (0x0203 << 16, 1 | 100 << 16, 64 << 16, 8, 200, 0, 0)
    with pytest.raises(heddle.Error, match="4 warps cannot share a block of 2x3"):
        _tensor_maps.tensor_data_descriptor({**meta, "block_size": [2, 3]}, 4, 0, [8, 8], [8, 1])
    with pytest.raises(heddle.Error, match="two dimensions"):
        _tensor_maps.tensor_data_descriptor({**meta, "block_size": [2]}, 4, 0, [8], [1])


def test_memory_is_what_tensors_own():
    whole = np.zeros(100, np.float32)
    memory = _memory.Memory()
    assert memory.address_of(Array(whole[10:20]), "x", "*fp32") == whole.ctypes.data + 40
    assert memory.address_of(Array(whole), "y", "*fp32") == whole.ctypes.data
    assert memory.ranges() == [(whole.ctypes.data, 400, "x", True)]
    locked = np.zeros(8, np.int32)
    locked.flags.writeable = False
    memory = _memory.Memory()
    memory.address_of(Array(locked), "z", "*i32")
    assert memory.ranges()[0][3] is False
    with pytest.raises(TypeError, match="y is a pointer"):
        memory.address_of("text", "y", "*fp32")


def test_an_aligned_copy_has_its_own_memory_alone():
    array = Array.aligned(np.arange(10, dtype=np.float32))
    memory = _memory.Memory()
    assert memory.address_of(array, "x", "*fp32") % 256 == 0 and (array.numpy == np.arange(10)).all()
    assert memory.ranges() == [(array.data_ptr(), 40, "x", True)]


def test_addresses_in_tables_are_found():
    inner = Array(np.zeros(16, np.float32))
    table = Array(np.array([inner.data_ptr() + 8, 3], np.int64))
    memory = _memory.Memory()
    memory.address_of(table, "table", "*i64")
    assert (inner.data_ptr(), 64, "what table leads to", True) in memory.ranges()
    memory = _memory.Memory()
    assert memory.address_of(inner.data_ptr() + 4, "raw", "*fp32") == inner.data_ptr() + 4
    assert memory.ranges() == [(inner.data_ptr(), 64, "what raw leads to", True)]


def test_integers_that_are_no_addresses_start_no_search(monkeypatch):
    monkeypatch.setattr(_memory, "_alive", lambda: pytest.fail("looked through all objects"))
    integers = [3, -1, -(1 << 62), (1 << 47) - 1, 1 << 50, 0x7000_0000_0001 ^ 0x7FFF_0000_0000]
    _memory.Memory().address_of(Array(np.array(integers, np.int64)), "x", "*i64")


def kernel_line(text):
    """The line of kernels.py with this text."""
    lines = (LAUNCHES / "kernels.py").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize("target", ["gfx942", "gfx1201", "sm_80", "sm_90a"])
def test_a_race_is_at_its_line_of_python(target):
    with pytest.raises(heddle.triton.KernelFinding) as caught:
        run("race", target)
    first = caught.value.findings[0]
    assert "race" in first.kind and first.kernel == "race" and len(first.program) == 3
    assert os.path.basename(first.file) == "kernels.py" and first.line == kernel_line("tl.store(out, tl.load(out) + total)")
    assert any("kernels.py" in each for each in first.related) and first.fix
    assert f":{first.line}: {first.kind} in race, program {first.program}: " in str(first)


@pytest.mark.parametrize("target", ["gfx942", "gfx1201", "sm_80", "sm_90a"])
def test_a_missing_mask_ends_the_kernel(target):
    with pytest.raises(heddle.triton.KernelFault) as caught:
        run("missing_mask", target, check=False, findings="collect")
    (fault,) = caught.value.findings
    assert fault.kind == "global-out-of-bounds" and fault.line == kernel_line("tl.store(y + i, tl.load(x + i, mask=i < 1000))")
    assert fault.program == (3, 0, 0) and "array y" in fault.message


def test_findings_are_warned_of_or_collected():
    run("race", "gfx942", findings="collect")
    assert heddle.triton.findings() and tuple(heddle.triton.findings()) == heddle.triton.report().findings
    with pytest.warns(heddle.triton.KernelWarning, match="race") as warned:
        run("race", "gfx942", findings="warn")
    assert os.path.basename(warned[0].filename) == "launched.py"  # where the program launches
    run("race", "gfx942", check=False)
    assert heddle.triton.findings() == []
    with pytest.raises(heddle.Error, match="not 'ignore'"):
        heddle.triton.activate("gfx942", findings="ignore")


def test_lines_of_ptx_name_where_a_function_was_called():
    sources = _findings.Sources(None)
    sources.add_ptx("a\n\t.loc\t1 5 23 // /x/k.py:5:23 @[ /x/k.py:10:18 ]\nb\n\t.loc 1 7 0 // /x/triton/language/standard.py:7:1 @[ k.py:9:2 ]\nc")
    assert sources.stack("kernel.ptx:3:1") == (("/x/k.py", 5), ("/x/k.py", 10))
    assert sources.own_places("kernel.ptx:5:1") == [("k.py", 9)] and sources.own_places("kernel.ptx:1") == []
    assert sources.stack("k.py:3:4", ["k.py:8:1"]) == (("k.py", 3), ("k.py", 8))


def test_the_report(tmp_path):
    run("transpose", "gfx942")
    run("add", "gfx942", findings="collect")
    heddle.triton.deactivate()
    heddle.triton.activate("gfx942", check=True, findings="collect")
    for case in ("transpose", "race"):
        launched.launch(ENTRIES[case, "gfx942"], CASES[case], list(CASES[case].make(np.random.default_rng(0))))
    report = heddle.triton.report()
    data = report.to_json()
    transpose, race = data["kernels"]
    assert (transpose["kernel"], transpose["launches"], race["workgroups"]) == ("transpose", 1, 4)
    conflicts = {each["line"]: each["shared_extra_passes"] for each in transpose["lines"] if each["shared_extra_passes"]}
    assert conflicts and set(conflicts) <= {kernel_line("tl.store(y + j[:, None] * M + i[None, :], value.T)")}
    assert sum(transpose["classes"].values()) == transpose["instructions"]
    assert race["findings"] and data["findings"][0]["kernel"] == "race"
    assert "kernel          transpose" in str(report) and "kernels.py:" in str(report)
    for name in ("r.html", "r.json", "r.txt"):
        report.write(tmp_path / name)
    assert json.loads((tmp_path / "r.json").read_text()) == json.loads(json.dumps(data))
    page = (tmp_path / "r.html").read_text()
    assert page.startswith("<!doctype html>") and "global-race" in page and "<h2>transpose</h2>" in page
    assert (tmp_path / "r.txt").read_text() == str(report) + "\n"


TTGIR = """#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  %0 = tt.load %a : tensor<64x32x!tt.ptr<f16>, #blocked>
  %1 = ttg.local_alloc %0 : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<2x64x32xf16, #shared, #smem>
  %2 = ttg.memdesc_index %1 : !ttg.memdesc<64x32xf16, #shared, #smem, mutable, 2x64x32>
  %3 = tt.dot %x, %y : tensor<64x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> -> tensor<64x64xf32, #mma>
}
"""


def test_layouts_of_a_kernel():
    found = heddle.triton.layouts(TTGIR)
    assert [each.name for each in found] == ["#blocked", "#shared", "#mma", "#ttg.dot_op"]
    assert not [each.problem for each in found if each.problem]
    assert "#ttg.nvidia_mma<" in found[3].text and "<img" in found._repr_html_()
    assert found[1].layout.kind == "shared"
    compiled = SimpleNamespace(asm={"ttgir": TTGIR})
    function = SimpleNamespace(device_caches={0: ({"key": compiled},)})
    assert heddle.triton.layouts(compiled) == heddle.triton.layouts(SimpleNamespace(fn=function)) == found
    with pytest.raises(TypeError):
        heddle.triton.layouts(7)


def test_autotuning_counts_instead_of_timing():
    from triton.runtime.autotuner import Autotuner

    heddle.triton.activate("gfx942")
    done = []

    def launch_of(count):
        done.append(count)
        for _ in range(count):
            launched.launch(ENTRIES["add", "gfx942"], CASES["add"], list(CASES["add"].make(np.random.default_rng(0))))

    if launched.HAS_TRITON:
        pytest.skip("the stand-in's autotuner alone takes plain functions")
    tuner = Autotuner(launch_of, [3, 1, 2])
    with pytest.warns(heddle.triton.NothingTimed, match="fewest counted"):
        tuner.run()
    assert tuner.best_config == 1 and done == [3, 1, 2, 1]
    with pytest.warns(heddle.triton.NothingTimed, match="NaN"):
        assert np.isnan(triton.testing.do_bench(lambda: done.append("once")))
    assert done[-1] == "once" and done.count("once") == 1
    assert [np.isnan(each) for each in triton.testing.do_bench(lambda: 0, quantiles=[0.5, 0.9])] == [True, True]
    before = triton.testing.do_bench
    heddle.triton.deactivate()
    assert triton.testing.do_bench is not before


def test_no_more_than_256_launches_are_counted(monkeypatch):
    monkeypatch.setattr(heddle.triton._statistics, "_most_counted", 2)
    heddle.triton.activate("gfx942")
    driver, entry = triton.runtime.driver.active, ENTRIES["add", "gfx942"]
    launcher = driver.launcher_cls(entry.source, entry.packed)
    function = driver.utils.load_binary("add", entry.code, 0, 0)[1]
    arguments = CASES["add"].make(np.random.default_rng(0))
    for _ in range(3):
        launcher(4, 1, 1, 0, function, None, None, None, None, *arguments, 256)
    (kernel,) = heddle.triton.report().kernels
    assert (kernel.launches, kernel.counted, kernel.workgroups) == (3, 2, 8)
    assert "3, the first 2 counted, 8 workgroups" in str(heddle.triton.report())


def test_hooks_and_empty_grids():
    heddle.triton.activate("gfx942")
    driver = triton.runtime.driver.active
    entry = ENTRIES["add", "gfx942"]
    seen = []
    launcher = driver.launcher_cls(entry.source, entry.packed)
    function = driver.utils.load_binary("add", entry.code, 0, 0)[1]
    arguments = CASES["add"].make(np.random.default_rng(0))
    launcher(0, 1, 1, 0, function, None, "metadata", seen.append, lambda what: seen.append((what, 2)), *arguments, 256)
    assert seen == ["metadata", ("metadata", 2)] and not arguments[2].numpy.any()


@pytest.mark.parametrize("target", ["gfx942", "sm_80"])
def test_registers(target):
    heddle.triton.activate(target)
    _, _, registers, spills, threads = triton.runtime.driver.active.utils.load_binary(
        "matmul", ENTRIES["matmul_f16", target].code, 0, 0)
    assert 16 <= registers <= 512 and spills == 0 and threads == 1024


def test_scratch_memory_comes_from_the_program():
    heddle.triton.activate("sm_90a")
    triton.set_allocator(launched.triton.runtime._allocation.NullAllocator())
    with pytest.raises(RuntimeError, match="no allocator was set"):
        launched.launch(ENTRIES["scratch_of_descriptors", "sm_90a"], CASES["scratch_of_descriptors"],
                        list(CASES["scratch_of_descriptors"].make(np.random.default_rng(0))))


def test_profile_scratch_has_an_allocator_of_its_own():
    from triton.runtime import _allocation

    heddle.triton.activate("gfx942", check=True)
    asked = []
    _allocation._profile_allocator.set(lambda size, align, stream: asked.append((size, align)) or Array(np.zeros(size, np.int8)))
    entry = ENTRIES["add", "gfx942"]
    entry.metadata.update(profile_scratch_size=16, profile_scratch_align=8)
    try:
        launched.launch(entry, CASES["add"], list(CASES["add"].make(np.random.default_rng(0))))
    finally:
        entry.metadata.update(profile_scratch_size=0)
    assert asked == [(4 * 16, 8)]


def test_examples_in_docstrings():
    for module in (_arguments, _environment, _targets, _binary, _types):
        assert doctest.testmod(module).attempted and not doctest.testmod(module).failed


def test_the_environment():
    assert _environment.arguments_of("sm_90a, check ,collect,multiprocessors=4") == (
        {"target": "sm_90a", "check": True, "findings": "collect", "multiprocessors": 4}, "")
    with pytest.raises(heddle.Error, match="'chek'"):
        _environment.arguments_of("gfx942,chek")


def test_the_compiler_stops_at_ptx():
    from triton.backends import backends

    heddle.triton.activate("sm_90a")
    if launched.HAS_TRITON:
        pytest.skip("programs show it")
    compiler = backends["nvidia"].compiler(SimpleNamespace(arch=90))
    stages = {}
    compiler.add_stages(stages, compiler.parse_options({}))
    assert stages["cubin"]("text of PTX", {}) == b"text of PTX" and "ptx" in compiler.hash()
    assert compiler.parse_options({})["ptx_version"] and compiler.parse_options({"ptx_version": 80})["ptx_version"] == 80
    heddle.triton.deactivate()
    with pytest.raises(RuntimeError, match="ptxas"):
        backends["nvidia"].compiler(SimpleNamespace(arch=90)).hash()



PLUGIN_TEST = """
import sys
sys.path.insert(0, {launches!r})
import launched, recorded, numpy, pytest, triton
ENTRIES = {{(each.case, each.target): each for each in recorded.read()}}
def go(case):
    target = triton.runtime.driver.active.get_current_target()
    name = target.arch if target.backend == "hip" else "sm_%sa" % target.arch
    launched.launch(ENTRIES[case, name], launched.CASES[case], list(launched.CASES[case].make(numpy.random.default_rng(0))))
def test_right(): go("add")
def test_race(): go("race")
def test_fault(): go("missing_mask")
def test_caught():
    with pytest.raises(RuntimeError): go("missing_mask")
@pytest.mark.parametrize("case", ["add", "softmax"])
def test_several(case): go(case)
"""


def test_the_plugin_of_pytest(tmp_path):
    (tmp_path / "test_kernels.py").write_text(PLUGIN_TEST.format(launches=str(LAUNCHES)))
    paths = os.pathsep.join([str(LAUNCHES / "stand_in")] * (not launched.HAS_TRITON) + sys.path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "heddle.triton", "--heddle",
               "gfx942,sm_90a", "--heddle-check", "--heddle-report", "r.json", "test_kernels.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": paths})
    assert "6 failed, 6 passed" in done.stdout, done.stdout + done.stderr
    assert "KernelFault" in done.stdout and not re.search(r"heddle/triton/_\w+\.py:\d+", done.stdout), done.stdout
    for target in ("gfx942", "sm_90a"):
        assert f"found by heddle on {target}" in done.stdout
        assert f"test_race[{target}]" in done.stdout and f"test_caught[{target}]" in done.stdout
    data = json.loads((tmp_path / "r.json").read_text())
    assert {each["target"] for each in data["kernels"]} == {"gfx942", "sm_90a"} and data["findings"]
