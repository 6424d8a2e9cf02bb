"""heddle.compile on a GPU: through the driver where there is one, and through an imitation of its library."""

import os
import shutil

import numpy
import pytest

import heddle
from heddle._cuda import Gpu
from test_compile import IN_PLACE, MATMUL, SOFTMAX

pytestmark = pytest.mark.skipif(
    not (os.environ.get("HEDDLE_PROGRAM") or shutil.which("heddle")), reason="no program heddle"
)

ARGMAX = """
func.func @f(%x: tensor<5x9xf32>) -> (tensor<5xf32>, tensor<5xi64>) {
  %low = arith.constant -1.0e9 : f32
  %none = arith.constant 0 : i64
  %e = tensor.empty() : tensor<5xf32>
  %g = tensor.empty() : tensor<5xi64>
  %a = linalg.fill ins(%low : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %b = linalg.fill ins(%none : i64) outs(%g : tensor<5xi64>) -> tensor<5xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x9xf32>) outs(%a, %b : tensor<5xf32>, tensor<5xi64>) {
  ^bb0(%v: f32, %m: f32, %w: i64):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i64
    %h = arith.cmpf ogt, %v, %m : f32
    %n = arith.select %h, %v, %m : f32
    %p = arith.select %h, %k, %w : i64
    linalg.yield %n, %p : f32, i64
  } -> (tensor<5xf32>, tensor<5xi64>)
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xi64>
}
"""


@pytest.fixture(params=["a GPU", "an imitation"])
def target(request, monkeypatch):
    """A processor whose code the device runs."""
    if request.param == "an imitation":
        imitation = os.environ.get("HEDDLE_IMITATION_CUDA", "")
        if not os.path.isfile(imitation):
            pytest.skip("the imitation of CUDA's library is not built")
        monkeypatch.setenv("HEDDLE_CUDA_LIBRARY", imitation)
        return "sm_80"  # it encodes no tensor maps
    try:
        capability = Gpu("cuda").capability
    except heddle.Error as reason:
        pytest.skip(str(reason))
    return "sm_90a" if capability == (9, 0) else "sm_80"


def test_a_product(target):
    draw = numpy.random.default_rng(1)
    a, b = (draw.integers(-4, 5, size).astype(numpy.float16) for size in ((24, 40), (40, 48)))
    c = draw.integers(-4, 5, (24, 48)).astype(numpy.float32)
    product = heddle.compile(MATMUL, target, device="cuda")
    expected = a.astype(numpy.float32) @ b.astype(numpy.float32) + c
    assert (product(a, b, c) == expected).all()
    assert (product(a, 2 * b, c) == 2 * expected - c).all()


def test_a_product_by_tensor_maps(target):
    if target != "sm_90a":
        pytest.skip("wgmma is for sm_90a")
    text = MATMUL.replace("24x40x", "128x64x").replace("40x48x", "64x256x").replace("24x48x", "128x256x")
    draw = numpy.random.default_rng(2)
    a, b = (draw.integers(-4, 5, size).astype(numpy.float16) for size in ((128, 64), (64, 256)))
    product = heddle.compile(text, target, device="cuda")
    wanted = a.astype(numpy.float32) @ b.astype(numpy.float32)
    assert (product(a, b, numpy.zeros((128, 256), numpy.float32)) == wanted).all()


def test_several_kernels_and_results(target):
    x = numpy.random.default_rng(3).random((6, 32), numpy.float32)
    e = numpy.exp(x.astype(float) - x.max(1, keepdims=True))
    assert numpy.abs(heddle.compile(SOFTMAX, target, device="cuda")(x) - e / e.sum(1, keepdims=True)).max() < 1e-6
    y = numpy.random.default_rng(4).random((5, 9), numpy.float32)
    most, where = heddle.compile(ARGMAX, target, device="cuda")(y)
    assert (most == y.max(1)).all() and (where == y.argmax(1)).all()


def test_memory_that_is_written(target):
    b = numpy.arange(256, dtype=numpy.float32).reshape(16, 16)
    c = numpy.ones((16, 16), numpy.float32)
    assert heddle.compile(IN_PLACE, target, device="cuda")(numpy.eye(16, dtype=numpy.float32), b, c) == ()
    assert (c == b + 1).all()


def test_an_array_of_the_gpu_stays_there(target):
    gpu = Gpu("cuda")
    gpu.select()
    y = numpy.random.default_rng(5).random((5, 9), numpy.float32)
    there = heddle.DeviceArray.zeros(gpu, (5, 9), "float32")
    gpu.fill(there.address, y)
    most, where = heddle.compile(ARGMAX, target, device="cuda")(there)
    assert isinstance(most, heddle.DeviceArray) and where.__cuda_array_interface__["typestr"] == "<i8"
    assert (most.numpy() == y.max(1)).all() and (where.numpy() == y.argmax(1)).all()


def test_tensors_of_torch(target):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available() or os.environ.get("HEDDLE_CUDA_LIBRARY"):
        pytest.skip("torch has no GPU here")
    x = torch.randn(5, 9, device="cuda")
    most, where = (torch.as_tensor(each, device="cuda") for each in heddle.compile(ARGMAX, target, device="cuda")(x))
    assert torch.equal(most, x.amax(1)) and torch.equal(where, x.argmax(1))


@pytest.mark.parametrize("device, words", [("cuda:x", "cuda:1"), ("gpu", "'gpu' is none"), ("cuda", "missing.so")])
def test_refusals(device, words, monkeypatch):
    monkeypatch.setenv("HEDDLE_CUDA_LIBRARY", "missing.so")
    with pytest.raises(heddle.Error) as refused:
        heddle.compile(SOFTMAX, "sm_80", device=device)(numpy.zeros((6, 32), numpy.float32))
    assert words in str(refused.value)
