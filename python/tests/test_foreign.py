"""Objects of other packages, by what they look like. The classes here have the attributes and texts
of the packages' own, which no test can import: pycute (NVIDIA/cutlass, python/pycute), Triton's
LinearLayout and Gluon's layouts, torch's tensors."""

import dataclasses

import numpy
import pytest

import heddle


class PycuteLayout:
    def __init__(self, shape, stride):
        self.shape, self.stride = shape, stride

    def __repr__(self):
        return f"Layout({self.shape},{self.stride})"


class PycuteSwizzle:
    def __init__(self, bits, base, shift):
        self.bits, self.base, self.shift = bits, base, shift


class PycuteComposed:
    def __init__(self, layoutB, offset, layoutA):
        self.layoutB, self.offset, self.layoutA = layoutB, offset, layoutA


class TritonLinear:
    bases = [("register", [[0, 1]]), ("lane", [[1, 0], [2, 0]]), ("warp", []), ("block", [])]
    out_dims = [("dim0", 4), ("dim1", 2)]

    def __repr__(self):
        return "\n - register=1 -> (0, 1)"


@dataclasses.dataclass(frozen=True)
class BlockedLayout:  # its repr is Gluon's
    size_per_thread: list
    threads_per_warp: list
    warps_per_cta: list
    order: list
    cga_layout: list


@dataclasses.dataclass(frozen=True)
class DistributedLinearLayout:
    reg_bases: list
    lane_bases: list
    warp_bases: list
    block_bases: list
    shape: list


@dataclasses.dataclass(frozen=True)
class SwizzledSharedLayout:
    vec: int
    per_phase: int
    max_phase: int
    order: list
    ctas_per_cga: object = None
    cta_split_num: object = None
    cta_order: object = None


class TorchSize(tuple):
    pass


class TorchTensor:
    class dtype:
        itemsize = 2

    def __init__(self, shape, steps):
        self.shape, self._steps = TorchSize(shape), steps

    def stride(self):
        return self._steps


class CuteLayout:
    """CuTe DSL's: numbers that only the compiler knows, and the text of the type."""
    shape = stride = (object(),)

    def __str__(self):
        return "(4,8):(8,1)"


class MlirAttribute:
    text = ("#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], "
            "outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2], "
            "subgroup_strides = [0, 0], thread_strides = [4, 1]>")

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"Attribute({self.text})"


class constexpr:  # Triton's
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"constexpr[{self.value}]"


def test_pycute():
    assert heddle.layout(PycuteLayout((4, 8), (8, 1))) == heddle.layout("(4,8):(8,1)")
    accumulator = PycuteLayout(((4, 8), (2, 2)), ((32, 1), (16, 8)))
    assert heddle.layout(accumulator, shape=(16, 8)).inputs["lane"] == 32
    composed = PycuteComposed(PycuteSwizzle(3, 3, 3), 0, PycuteLayout((8, 64), (64, 1)))
    assert heddle.layout(composed) == heddle.layout("Sw<3,3,3> o 0 o (8,64):(64,1)")
    assert heddle.layout(PycuteLayout(12, 1)).kind == "function"


def test_cute_dsl():
    assert heddle.layout(CuteLayout()) == heddle.layout("(4,8):(8,1)")


def test_triton():
    layout = heddle.layout(TritonLinear())
    assert layout.inputs == {"register": 2, "lane": 4, "warp": 1, "block": 1}
    assert layout(register=1, lane=3) == {"dim0": 3, "dim1": 1}
    blocked = BlockedLayout([1, 2], [8, 4], [1, 1], [1, 0], [])
    assert heddle.layout(blocked, shape=(8, 8)).dialect == "gluon"
    linear = DistributedLinearLayout([[0, 1]], [[1, 0], [2, 0]], [], [], [4, 2])
    assert heddle.layout(linear) == layout
    swizzled = heddle.layout(SwizzledSharedLayout(8, 1, 8, [1, 0]), shape=(8, 64))
    assert swizzled == heddle.layout("Sw<3,3,3> o 0 o (8,64):(64,1)")
    assert heddle.layout(constexpr(blocked), shape=(8, 8)) == heddle.layout(blocked, shape=(8, 8))


def test_attributes_of_mlir():
    layout = heddle.layout(MlirAttribute())
    assert layout.dialect == "iree" and layout(lane=5, register=1) == {"dim0": 1, "dim1": 3}


def test_arrays():
    tensor = heddle.layout(TorchTensor((8, 16), (16, 1)))
    assert tensor.kind == "shared" and tensor.element_bits == 16
    assert heddle.layout(TorchTensor((8, 16), (1, 8))).to("cute") == "(8,16):(1,8)"
    array = numpy.zeros((8, 64), numpy.float16)
    assert heddle.layout(array) == heddle.layout("(8,64):(64,1)")
    padded = numpy.zeros((8, 72), numpy.float16)[:, :64]
    assert heddle.layout(padded).padding == ((64, 8),)
    assert (heddle.layout(padded).places() == numpy.arange(8 * 72).reshape(8, 72)[:, :64]).all()
    assert heddle.layout(array.T).places().tolist() == numpy.arange(512).reshape(8, 64).T.tolist()


def test_what_looks_like_nothing():
    with pytest.raises(heddle.Error, match="a builtins.object does not look like a layout"):
        heddle.layout(object())
    with pytest.raises(heddle.Error, match="strides of .* are no multiples"):
        heddle.layout(numpy.zeros(4, [("a", "i1"), ("b", "i4")])["b"])
    for thing in (None, 5, 12.5, True, b"(4,8):(8,1)", numpy.float32(1), numpy.bool_(True)):
        with pytest.raises(TypeError, match="a layout is a text or an object with a layout, not "):
            heddle.layout(thing)
