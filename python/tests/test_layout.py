"""Layouts: readers, arrays and algebra, against brute force in Python."""

import copy
import doctest
import itertools
import pickle
import random

import numpy
import pytest

import heddle

ATOM = "register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, n: 8"


def random_layout(rng, inputs=("register", "lane"), outputs=("m", "n")):
    sizes = {name: 1 << rng.randrange(4) for name in outputs}
    bases = {
        name: [
            tuple(rng.randrange(size) for size in sizes.values()) for _ in range(rng.randrange(4))
        ]
        for name in inputs
    }
    return heddle.Layout(bases, sizes)


def points(layout):
    names = list(layout.inputs)
    for values in itertools.product(*(range(size) for size in layout.inputs.values())):
        yield dict(zip(names, values))


def test_docstrings():
    for module in (heddle, heddle._layout, heddle._instruction, heddle._questions,
                   heddle._launch):
        result = doctest.testmod(module)
        assert result.attempted and not result.failed


def test_a_layout_is_its_parts():
    layout = heddle.layout(ATOM)
    assert layout.kind == "linear" and layout.dialect == "linear"
    assert layout.inputs == {"register": 4, "lane": 32}
    assert layout.outputs == {"m": 16, "n": 8}
    assert layout.bases["register"] == [(0, 1), (8, 0)]
    assert heddle.Layout(layout.bases, layout.outputs) == layout
    assert heddle.layout(str(layout)) == layout and eval(repr(layout), {
        "Layout": heddle.layout}) == layout
    assert pickle.loads(pickle.dumps(layout)) == copy.deepcopy(layout) == layout
    assert len({layout, heddle.layout(ATOM)}) == 1


def test_indices_are_what_a_call_gives():
    rng = random.Random(1)
    for _ in range(50):
        layout = random_layout(rng)
        table = layout.indices()
        assert table.shape == (*layout.inputs.values(), len(layout.outputs))
        for point in points(layout):
            assert tuple(table[tuple(point.values())]) == tuple(layout(**point).values())


def test_a_call_takes_arrays():
    lanes = numpy.arange(32)
    at = heddle.layout(ATOM)(register=2, lane=lanes)
    assert (at["m"] == lanes // 4 + 8).all() and (at["n"] == lanes % 4 * 2).all()


def test_compose_is_first_this_then_the_other():
    rng = random.Random(2)
    for _ in range(50):
        inner = random_layout(rng)
        outer = heddle.Layout(
            {name: [(rng.randrange(16),) for _ in range(size.bit_length() - 1)]
             for name, size in inner.outputs.items()}, {"bank": 16})
        both = inner.compose(outer)
        for point in points(inner):
            assert both(**point) == outer(**inner(**point))


def test_product_and_divide_undo_each_other():
    rng = random.Random(3)
    for _ in range(50):
        atom, tiling = random_layout(rng), random_layout(rng)
        tile = atom.product(tiling)
        assert tile.divide(atom) == tiling
        for point in points(tile):
            low = {name: value % atom.inputs[name] for name, value in point.items()}
            high = {name: value // atom.inputs[name] for name, value in point.items()}
            below, above = atom(**low), tiling(**high)
            assert tile(**point) == {
                name: below[name] + above[name] * atom.outputs[name] for name in below}


def test_inverses():
    layout = heddle.layout(ATOM)
    back = layout.inverse()
    for point in points(layout):
        assert back(**layout(**point)) == point
    assert layout.compose(back).rank == 7 and layout.is_injective and layout.is_surjective
    doubled = heddle.layout("register: (1) (0); lane: (1) -> m: 2")
    with pytest.raises(heddle.Error, match="not injective: basis 1 of input axis 'register'"):
        doubled.inverse()
    assert doubled.copies == {"register": 2, "lane": 1}
    again = doubled.compose(doubled.pseudo_inverse()).compose(doubled)
    assert again == doubled
    assert doubled.kernel().compose(doubled).rank == 0
    assert doubled.image().rank == doubled.rank == 1


def test_which_load_moves_a_fragment():
    fragment = heddle.layout("register: (0,1); lane: (1,0) (2,0) -> m: 4, n: 2")
    memory = heddle.layout("offset: (0,1) (1,0) (2,0) -> m: 4, n: 2")
    load = fragment.inverse_and_compose(memory)
    assert load.compose(memory) == fragment


def test_pictures():
    layout = heddle.layout(ATOM)
    assert layout._repr_svg_().startswith("<svg") and layout._repr_html_().startswith("<img src=")
    large = heddle.Layout({"lane": [(1 << bit,) for bit in range(40)]}, {"m": 1 << 40})
    assert large._repr_svg_() is None or large._repr_svg_().startswith("<svg")
    assert "who holds a tile" in layout.describe()


def test_axes():
    layout = heddle.layout(ATOM)
    assert layout.rename({"lane": "thread"}, {"m": "row"}).text.startswith("register: (0,1) (8,0); thr")
    assert layout.select(["lane"], ["n"]).text == "lane: (2) (4) (0) (0) (0) -> n: 8"
    assert list(layout.select(outputs=["n", "m"]).outputs) == ["n", "m"]
    assert layout.reshape(inputs={"thread_value": 128}).inputs == {"thread_value": 128}
    assert layout.resize(m=32).outputs == {"m": 32, "n": 8}
    other = heddle.layout("warp: (0,0) -> m: 16, n: 8")
    assert layout.join_inputs(other).inputs == {"register": 4, "lane": 32, "warp": 2}
    bank = heddle.layout("register: (1) (2); lane: (0) (0) (0) (0) (0) -> bank: 4")
    assert list(layout.join_outputs(bank).outputs) == ["m", "n", "bank"]
    half = heddle.layout("lane: (1,0) -> m: 2, n: 2")
    assert half.join_inputs(half.complement()).is_surjective


def test_places_count_the_padding():
    layout = heddle.layout("#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [16, 64]}>")
    assert layout.kind == "shared" and layout.padding == ((64, 8),)
    expected = numpy.arange(16)[:, None] * 72 + numpy.arange(64)
    assert (layout.places() == expected).all()
    assert layout.to("cute") == "(16,64):(72,1)"
    with pytest.raises(heddle.Error, match="a padded layout is not linear"):
        layout.inverse()
    assert layout.without_padding.is_surjective


def test_swizzled_places_are_cutes():
    layout = heddle.layout("Sw<3,3,3> o 0 o (8,64):(64,1)")
    row, column = numpy.meshgrid(numpy.arange(8), numpy.arange(64), indexing="ij")
    offset = row * 64 + column
    assert (layout.places() == (offset ^ ((offset >> 3) & 0b111000))).all()


def test_a_function_of_any_sizes():
    layout = heddle.layout("((3,2),5):((1,15),3)")
    assert layout.kind == "function" and layout.inputs == {}
    table = layout.indices()[..., 0]
    expected = [[c % 3 + c // 3 * 15 + 3 * d for d in range(5)] for c in range(6)]
    assert table.tolist() == expected
    with pytest.raises(heddle.Error, match="power"):
        layout.inverse()
    with pytest.raises(heddle.Error, match="powers of two"):
        layout(dim0=1)


def test_the_algebra_of_cute_is_read():
    layout = heddle.layout("zipped_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)")
    assert layout.to("cute") == "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"
    assert (layout.indices() == heddle.layout(layout.to("cute")).indices()).all()


def test_code():
    """The Python that is written computes what the arrays hold."""
    held = heddle.layout("v_wmma_f32_16x16x16_f16.D", target="gfx1151")
    for layout, name, table in (
        (held, "element", held.select(["register", "lane"]).indices()),
        (heddle.layout("(16,64):(72,1)"), "offset", heddle.layout("(16,64):(72,1)").places()),
        (heddle.layout("(3,5):(5,1)"), "offset", heddle.layout("(3,5):(5,1)").indices()[..., 0]),
    ):
        scope = {}
        exec(layout.to("python"), scope)
        sizes = table.shape[:-1] if name == "element" else table.shape
        values = scope[name](*numpy.indices(sizes))
        found = numpy.stack(values, -1) if isinstance(values, tuple) else values
        assert (found == table).all()
    assert all("(" in held.to(language) for language in heddle._core.languages())


@pytest.mark.parametrize("text, shape, dialect", [
    ("#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], "
     "order = [1, 0]}>", (8, 8), "ttg"),
    ("gl.BlockedLayout([1, 2], [8, 4], [1, 1], [1, 0])", (8, 8), "gluon"),
    ("((4,8),2):((16,1),8)", (8, 8), "cute"),
    ("Fragment([8, 8] -> [2], replicate: 1, thread: 32, forward_thread: _i * 4 + _j // 2, "
     "forward_index: [_j % 2])", None, "tilelang"),
])
def test_dialects_meet_in_the_map(text, shape, dialect):
    layout = heddle.layout(text, shape=shape)
    assert layout.dialect == dialect
    row, column = numpy.meshgrid(numpy.arange(8), numpy.arange(8), indexing="ij")
    at = layout.inverse()(dim0=row, dim1=column)
    assert (at["lane"] == row * 4 + column // 2).all() and (at["register"] == column % 2).all()
    for other in ("triton", "gluon", "cute", "iree", "tilelang", "ck"):
        again = heddle.layout(layout.to(other), shape=(8, 8))  # axes of size 1 may differ
        assert (again.indices().reshape(-1, 2) == layout.indices().reshape(-1, 2)).all()


@pytest.mark.parametrize("call, sentence", [
    (lambda: heddle.layout("register: (3) -> m: 2"), "column 12: coordinate 3 lies outside axis 'm'"),
    (lambda: heddle.layout("lane: ("), r"column 8: expected '->' .* \(taken for Heddle's linear layout\)"),
    (lambda: heddle.layout(""), "the text is empty; write a layout in any dialect"),
    (lambda: heddle.layout("\ud800"), "'\\?' is none of a layout in any dialect"),
    (lambda: heddle.layout("(4,8):(8,1)", shape=(0, 3)), r"shape is \(0, 3\); wanted are sizes"),
    (lambda: heddle.layout("(4,8):(8,1)", lanes=3), "lanes is 3; a warp has a power of two"),
    (lambda: heddle.layout("v_wmma_f32_16x16x16_f16.A", target="rx 580"), "rx 580"),
    (lambda: heddle.layout("(4,8):(8,1)").to("klingon"), "no dialect 'klingon'; there are linear, ttg"),
    (lambda: heddle.layout("(4,8):(8,1)").to("iree"), "it lies in shared memory"),
    (lambda: heddle.Layout({"lane": [(1, 2)]}, {"m": 2}), "column"),
    (lambda: heddle.Layout({"lane": [(1,)]}, {"m": 3}), "m has size 3; sizes are powers of two"),
    (lambda: heddle.Layout({"1lane": [(1,)]}, {"m": 2}), "column 1: expected the name of an axis"),
    (lambda: heddle.layout(ATOM)(row=1), "no input axis 'row'; there are register, lane"),
    (lambda: heddle.layout(ATOM)(lane=32), "the value 32 lies outside axis 'lane', which has size 32"),
    (lambda: heddle.layout(ATOM)(lane=numpy.int64(-1)), "the value -1 lies outside axis 'lane'"),
    (lambda: heddle.layout(ATOM)(lane=numpy.arange(33)), "lies outside axis 'lane', which has size 32"),
    (lambda: heddle.layout(ATOM).rename({"lane": "a-b"}), "'a-b' is no name of an axis"),
    (lambda: heddle.layout(ATOM).compose("lane: (1) -> m: 2"), "axis 'm' of the first layout"),
    (lambda: heddle.layout(ATOM).resize(m=4), "axis 'm' cannot shrink to size 4"),
    (lambda: heddle.layout(ATOM).places(), "places are those of a tile in memory"),
    (lambda: heddle.Layout({"i": [(0,)] * 25}, {"m": 2}).indices(), "an array may have 2\\*\\*24"),
    (lambda: heddle.layout("(3,16777216):(1,3)").indices(), "a table may have 16777216"),
])
def test_refusals_are_sentences(call, sentence):
    with pytest.raises(heddle.Error, match=sentence) as refusal:
        call()
    assert isinstance(refusal.value, ValueError)


def test_one_axis_and_sizes_of_other_types():
    layout = heddle.layout("register: (0,1); lane: (1,0) (2,0) -> m: 4, n: 2")
    assert layout.select("lane", "m") == layout.select(["lane"], ["m"])
    with pytest.raises(heddle.Error, match="no axis 'foo'"):
        layout.select("foo")
    blocked = ("#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], "
               "order = [1, 0]}>")
    sizes = numpy.array([16, 8])
    assert heddle.layout(blocked, shape=sizes) == heddle.layout(blocked, shape=(16, 8))
    for shape, sentence in (("16x8", "shape is a number or several"), ((16, 8.0), "is an integer, not float")):
        with pytest.raises(TypeError, match=sentence):
            heddle.layout(blocked, shape=shape)
