"""heddle.triton with tensors of torch, where that is installed."""

import pathlib
import sys

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "triton_launches"))

import launched  # noqa: E402
import recorded  # noqa: E402
from cases import CASES  # noqa: E402

import heddle.triton  # noqa: E402
from heddle.triton import _memory  # noqa: E402

ENTRIES = {(each.case, each.target): each for each in recorded.read()}


@pytest.fixture(autouse=True)
def afterwards():
    yield
    heddle.triton.deactivate()


@pytest.mark.parametrize("target", ["gfx942", "sm_80"])
def test_tensors(target):
    heddle.triton.activate(target, check=True)
    x, y, z = torch.rand(1000), torch.rand(1000), torch.empty(1000)
    launched.launch(ENTRIES["add", target], CASES["add"], [x, y, z, 1000])
    assert torch.equal(z, x + y)
    with pytest.raises(heddle.triton.KernelFault, match="array y"):
        launched.launch(ENTRIES["missing_mask", target], CASES["missing_mask"], [x, z])


def test_a_view_has_the_memory_of_its_storage():
    whole = torch.zeros(100)
    memory = _memory.Memory()
    assert memory.address_of(whole[10:20], "x", "*fp32") == whole.data_ptr() + 40
    assert memory.ranges() == [(whole.data_ptr(), 400, "x", True)]


def test_tables_of_addresses():
    heddle.triton.activate("gfx942", check=True)
    xs = [torch.rand(64) for _ in range(3)]
    table, out = torch.tensor([each.data_ptr() for each in xs]), torch.empty(64)
    launched.launch(ENTRIES["pointer_table", "gfx942"], CASES["pointer_table"], [table, out, *xs])
    assert torch.allclose(out, sum(xs))


def test_cuda_is_the_processor():
    before = torch.cuda.is_available()
    heddle.triton.activate("gfx942", cuda=True)
    x = torch.rand(4, device="cuda")
    assert x.device.type == "cpu" and x.cuda().to("cuda:0").to(torch.device("cuda")).device.type == "cpu"
    assert torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 4)
    assert torch.cuda.get_device_properties(0).multi_processor_count == 8
    with torch.cuda.device(0):
        assert torch.zeros(4, pin_memory=True).device.type == "cpu"
    heddle.triton.deactivate()
    assert torch.cuda.is_available() == before


@pytest.mark.skipif(not launched.HAS_TRITON, reason="no Triton")
@pytest.mark.parametrize("target", ["gfx942", "sm_80"])
def test_inductor_makes_kernels_of_triton(target):
    pytest.importorskip("functorch")  # a part of PyTorch's wheels

    def scaled_softmax(x):
        return torch.softmax(2 * x + 1, dim=-1)

    x = torch.rand(16, 100)
    heddle.triton.activate(target, check=True, inductor=True)
    assert torch.allclose(torch.compile(scaled_softmax)(x), scaled_softmax(x))
    assert [each for each in heddle.triton.active().statistics.kernels() if "softmax" in each.name]
