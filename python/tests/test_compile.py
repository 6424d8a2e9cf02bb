"""heddle.compile: functions of MLIR text on arrays, compared with numpy."""

import os
import shutil

import numpy
import pytest

import heddle

pytestmark = pytest.mark.skipif(
    not (os.environ.get("HEDDLE_PROGRAM") or shutil.which("heddle")), reason="no program heddle"
)

MATMUL = """
func.func @f(%a: tensor<24x40xf16>, %b: tensor<40x48xf16>, %c: tensor<24x48xf32>) -> tensor<24x48xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<24x40xf16>, tensor<40x48xf16>) outs(%c : tensor<24x48xf32>) -> tensor<24x48xf32>
  return %d : tensor<24x48xf32>
}
"""

# Two kernels, and a result that is the second's.
SOFTMAX = """
func.func @f(%x: tensor<6x32xf32>) -> tensor<6x32xf32> {
  %e = tensor.empty() : tensor<6x32xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<6x32xf32>) outs(%e : tensor<6x32xf32>) -> tensor<6x32xf32>
  return %s : tensor<6x32xf32>
}
"""

IN_PLACE = """
func.func @f(%a: memref<16x16xf32>, %b: memref<16x16xf32>, %c: memref<16x16xf32>) {
  linalg.matmul ins(%a, %b : memref<16x16xf32>, memref<16x16xf32>) outs(%c : memref<16x16xf32>)
  return
}
"""

DYNAMIC = MATMUL.replace("24x", "?x")


@pytest.mark.parametrize("target", ["gfx1201", "gfx942", "sm_80", "sm_90a"])
def test_a_product(target):
    draw = numpy.random.default_rng(1)
    a, b = (draw.integers(-4, 5, size).astype(numpy.float16) for size in ((24, 40), (40, 48)))
    c = draw.integers(-4, 5, (24, 48)).astype(numpy.float32)
    product = heddle.compile(MATMUL, target)
    expected = a.astype(numpy.float32) @ b.astype(numpy.float32) + c
    assert (product(a, b, c, check=True) == expected).all()
    assert (product(a, 2 * b, c) == 2 * expected - c).all()
    assert product.runs[0].finished


@pytest.mark.parametrize("target", ["gfx1151", "sm_80"])
def test_several_kernels(target):
    x = numpy.random.default_rng(2).random((6, 32), numpy.float32)
    function = heddle.compile(SOFTMAX, target)
    e = numpy.exp(x.astype(float) - x.max(1, keepdims=True))
    assert numpy.abs(function(x, check=True) - e / e.sum(1, keepdims=True)).max() < 1e-6
    assert len(function.runs) == len(function.kernels) > 1


@pytest.mark.parametrize(
    "text", [IN_PLACE, IN_PLACE.replace("f32>) {", "f32>) -> memref<16x16xf32> {").replace("return", "return %c : memref<16x16xf32>")]
)
def test_memory_that_is_written(text):
    a = numpy.eye(16, dtype=numpy.float32)
    b = numpy.arange(256, dtype=numpy.float32).reshape(16, 16)
    c = numpy.ones((16, 16), numpy.float32)
    assert heddle.compile(text)(a, b, c) == ()
    assert (c == b + 1).all()


@pytest.mark.parametrize(
    "text, arguments, words",
    [
        ("func.func @f(", (), "text:1:"),
        (DYNAMIC, (), "dynamic sizes"),
        (MATMUL, (numpy.zeros((24, 40), numpy.float16),), "argument 2 (B) is missing"),
        (MATMUL, (numpy.zeros((24, 40), numpy.float32),), "float32"),
        (MATMUL, (numpy.zeros((40, 24), numpy.float16),), "the shape (40, 24)"),
        (MATMUL, (numpy.zeros((40, 24), numpy.float16).T,), "not contiguous"),
    ],
)
def test_refusals(text, arguments, words):
    with pytest.raises(heddle.Error) as refused:
        heddle.compile(text, "gfx1151")(*arguments)
    assert words in str(refused.value)


# Functions on vectors and what numpy says of them.
CONTRACTION = """
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: vector<4x8xf16>, %b: vector<6x8xf16>, %c: vector<4x6xf32>, %k: index) -> (vector<4x6xf32>, f32) {
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %mask = vector.create_mask %c4, %c6, %k : vector<4x6x8xi1>
  %d = vector.mask %mask {
    vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"],
                     kind = #vector.kind<add>} %a, %b, %c : vector<4x8xf16>, vector<6x8xf16> into vector<4x6xf32>
  } : vector<4x6x8xi1> -> vector<4x6xf32>
  %row = vector.extract %d[2] : vector<6xf32> from vector<4x6xf32>
  %most = vector.reduction <maximumf>, %row : vector<6xf32> into f32
  return %d, %most : vector<4x6xf32>, f32
}
"""

PARTS = """
func.func @f(%x: vector<4x6xf32>, %y: vector<6xf32>) -> (vector<6x4xf32>, vector<2x3xf32>, vector<8xf32>, vector<4xf32>) {
  %0 = vector.broadcast %y : vector<6xf32> to vector<4x6xf32>
  %1 = arith.addf %x, %0 : vector<4x6xf32>
  %2 = vector.transpose %1, [1, 0] : vector<4x6xf32> to vector<6x4xf32>
  %3 = vector.extract_strided_slice %1 {offsets = [1, 2], sizes = [2, 3], strides = [1, 1]} : vector<4x6xf32> to vector<2x3xf32>
  %4 = vector.shape_cast %x : vector<4x6xf32> to vector<24xf32>
  %5 = vector.shuffle %4, %y [3, 25, 0, 9, 23, 24, 1, 29] : vector<24xf32>, vector<6xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %6 = vector.multi_reduction <add>, %1, %zero [1] : vector<4x6xf32> to vector<4xf32>
  %half = arith.constant 0.5 : f32
  %7 = vector.insert %half, %6[1] : f32 into vector<4xf32>
  return %2, %3, %5, %7 : vector<6x4xf32>, vector<2x3xf32>, vector<8xf32>, vector<4xf32>
}
"""

TRANSFERS = """
func.func @f(%x: tensor<5x9xf32>, %into: tensor<6x8xf32>, %i: index) -> (vector<8x4xf32>, tensor<6x8xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %pad = arith.constant 7.0 : f32
  %v = vector.transfer_read %x[%i, %c3], %pad {permutation_map = affine_map<(d0, d1) -> (d1, d0)>}
       : tensor<5x9xf32>, vector<8x4xf32>
  %w = vector.transfer_write %v, %into[%c3, %c0] {permutation_map = affine_map<(d0, d1) -> (d1, d0)>}
       : vector<8x4xf32>, tensor<6x8xf32>
  return %v, %w : vector<8x4xf32>, tensor<6x8xf32>
}
"""


@pytest.mark.parametrize("target", ["gfx1201", "sm_80"])
def test_vectors(target):
    draw = numpy.random.default_rng(3)

    def drawn(*shape, dtype=numpy.float32):
        return draw.integers(-8, 9, shape).astype(dtype)

    a, b, c = drawn(4, 8, dtype=numpy.float16), drawn(6, 8, dtype=numpy.float16), drawn(4, 6)
    d, most = heddle.compile(CONTRACTION, target)(a, b, c, 5, check=True)
    expected = c + a[:, :5].astype(numpy.float32) @ b[:, :5].astype(numpy.float32).T
    assert (d == expected).all() and most == expected[2].max()

    x, y = drawn(4, 6), drawn(6)
    moved, part, shuffled, sums = heddle.compile(PARTS, target)(x, y, check=True)
    both = x + y
    assert (moved == both.T).all() and (part == both[1:3, 2:5]).all()
    assert (shuffled == numpy.concatenate([x.ravel(), y])[[3, 25, 0, 9, 23, 24, 1, 29]]).all()
    assert (sums == [both[0].sum(), 0.5, *both[2:].sum(1)]).all()

    x, into = drawn(5, 9), drawn(6, 8)
    read, written = heddle.compile(TRANSFERS, target)(x, into, 2, check=True)
    padded = numpy.full((4, 8), 7, numpy.float32)
    padded[:3, :6] = x[2:, 3:]
    into[3:] = padded[:3]
    assert (read == padded.T).all() and (written == into).all()


def test_a_product_of_constants():
    text = """
func.func @f(%c: tensor<4x4xf32>) -> tensor<2x3xf32> {
  %a = arith.constant dense<1.5> : tensor<4x8xf32>
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %b = linalg.fill ins(%two : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %d = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = tensor.extract_slice %d[1, 1] [2, 3] [1, 1] : tensor<4x4xf32> to tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}
"""
    c = numpy.arange(16, dtype=numpy.float32).reshape(4, 4)
    assert (heddle.compile(text, "gfx942")(c, check=True) == c[1:3, 1:] + 24).all()


def test_a_sum_that_keeps_its_dimension():
    text = """
#all = affine_map<(i, j, k) -> (i, j, k)>
#kept = affine_map<(i, j, k) -> (0, j, k)>
func.func @f(%x: tensor<5x2x3xf32>, %i: index) -> (tensor<1x2x3xf32>, f32) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  %s = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%x : tensor<5x2x3xf32>) outs(%init : tensor<1x2x3xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %next = arith.addf %in, %sum : f32
    linalg.yield %next : f32
  } -> tensor<1x2x3xf32>
  %c0 = arith.constant 0 : index
  %one = tensor.extract %s[%c0, %i, %c0] : tensor<1x2x3xf32>
  return %s, %one : tensor<1x2x3xf32>, f32
}
"""
    x = numpy.arange(30, dtype=numpy.float32).reshape(5, 2, 3)
    sums, one = heddle.compile(text, "gfx942")(x, 1, check=True)
    assert (sums == x.sum(0, keepdims=True)).all() and one == sums[0, 1, 0]
