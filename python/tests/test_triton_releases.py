"""The launcher of heddle.triton with what releases of Triton before and behind 3.6 give to it.

What they give was read in their sources: up to 3.5 the launcher takes the blocks of a cluster from `cluster_dims`,
and 3.4 has no scratch memory for profiles and no padding of descriptors; 3.7 gives its own launcher's arguments by
name and its descriptors a second flag.
"""

import pathlib
import sys
import types

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "triton_launches"))

import launched  # noqa: E402
import numpy as np  # noqa: E402
import recorded  # noqa: E402
from cases import CASES, HostDescriptor  # noqa: E402

import heddle.triton  # noqa: E402
from heddle.triton import Array, _driver  # noqa: E402
from heddle.triton._arguments import Descriptors, flatten, placed  # noqa: E402

OLD = {"profile_scratch_size", "profile_scratch_align", "num_ctas", "launch_cooperative_grid"}
NAMES = ("clusters", "sm_90a"), ("add", "gfx942"), ("device_descriptors", "sm_90a")
ENTRIES = [each for each in recorded.read() if (each.case, each.target) in NAMES]


@pytest.fixture(autouse=True, scope="module")
def afterwards():
    yield
    heddle.triton.deactivate()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda each: f"{each.case}-{each.target}")
def test_metadata_of_triton_3_4(entry):
    blocks = entry.metadata.get("num_ctas", 1)
    metadata = {name: value for name, value in entry.metadata.items() if name not in OLD}
    old = recorded.Entry(entry.case, entry.target, entry.signature, metadata | {"cluster_dims": (blocks, 1, 1)},
                         entry.grid, entry.code)
    case = CASES[entry.case]
    heddle.triton.activate(entry.target, check=True)
    driver = launched.triton.runtime.driver.active
    launched.triton.set_allocator(lambda size, align, stream: Array.aligned(np.zeros(size, np.int8)))
    arguments = list(case.make(np.random.default_rng(1)))
    loaded = driver.utils.load_binary(metadata["name"], old.code, metadata["shared"], 0)
    launcher = driver.launcher_cls(old.source, old.packed)
    packed = (metadata["num_warps"], blocks, metadata["shared"], blocks, 1, 1)  # with clusterDimX, Y and Z
    constants = [None] * (len(old.signature) - len(arguments))
    launcher(*old.grid, 0, loaded[1], packed, None, None, None, *arguments, *constants)
    case.check(*arguments)


@pytest.mark.parametrize("names, values", [(("n_regs", "n_spills"), 4), (("n_regs", "n_max_threads"), 5)])
def test_what_a_loaded_binary_has(monkeypatch, names, values):
    kernel = type("CompiledKernel", (), {})
    exec("def _init_handles(self):\n    " + "; ".join(f"self.{name} = 0" for name in names), space := {})
    kernel._init_handles = space["_init_handles"]
    for name in ("triton.compiler", "triton.compiler.compiler"):
        monkeypatch.setitem(sys.modules, name, types.SimpleNamespace(CompiledKernel=kernel))
    entry = next(each for each in ENTRIES if each.target == "gfx942")
    heddle.triton.activate("gfx942")
    found = _driver.Utils().load_binary(entry.metadata["name"], entry.code, 0, 0)
    assert len(found) == values


@pytest.mark.parametrize("flags", [(), ("padding",), ("padding", "round_f32_to_tf32")])
def test_the_parts_of_a_descriptor(flags):
    given = HostDescriptor(Array(np.zeros((8, 16), np.float32)), (4, 16))
    del given.padding
    for name in flags:
        setattr(given, name, "nan" if name == "padding" else True)
    flat = flatten({"x": "tensordesc<fp32[4, 16]>"}, [given], Descriptors([], True, 4))
    sizes = [8] * 5 + [1] * len(flags) + [4, 4, 8, 8]
    assert [len(each) for each in flat.values] == sizes
    assert flat.values[5 : 5 + len(flags)] == [b"\1"] * len(flags)
    image = placed(flat, [], [(16 * number, size) for number, size in enumerate(sizes)])
    assert image[16 : 24] == (8).to_bytes(8, "little")
