"""Nothing that is given ends the interpreter: it is answered, or refused by heddle.Error."""

import concurrent.futures
import random

import pytest

import heddle

SEEDS = [
    "register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, n: 8",
    "offset: (0,1) (0,2) (1,0) (2,0) -> dim0: 4, dim1: 4 padding 4:+2",
    "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>",
    "((4,8),(2,2)):((32,1),(16,8))", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)",
    "Fragment([16, 16] -> [16], replicate: 2, thread: 32, forward_thread: _rep * 16 + _i, forward_index: [_j])",
    "gl.BlockedLayout([1, 2], [8, 4], [1, 1], [1, 0])", "v_wmma_f32_16x16x16_f16.A", "rows:8",
]
WORDS = ["(", ")", ",", ":", "0", "1", "3", "64", "2^64", "-1", "99999999999999999999", "->", ";", "A", "\0",
         "é", "\n", "[", "]", "<", "{", "lane"]


def mutated(rng):
    text = rng.choice(SEEDS)
    for _ in range(rng.choice([0, 0, 1, 2, 3])):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(WORDS) + text[at + rng.randrange(4):]
    return text


def tried(call):
    try:
        return call()
    except heddle.Error as refusal:
        assert str(refusal)
        return None


def test_texts():
    rng = random.Random(5)
    read = 0
    for _ in range(300):
        layout = tried(lambda: heddle.layout(mutated(rng), shape=rng.choice([None, (16, 8), (64, 64)]),
                                             lanes=rng.choice([0, 32, 64])))
        if layout is None:
            continue
        read += 1
        assert heddle.layout(layout.text) == layout
        for use in (layout.inverse, layout.pseudo_inverse, layout.kernel, layout.complement,
                    layout.indices, layout.places, layout.describe, layout._repr_svg_,
                    lambda: layout.copies, lambda: layout.compose(layout), lambda: layout.divide(layout),
                    lambda: layout.product(layout), lambda: layout.join_inputs(layout)):
            tried(use)
        for dialect in ("ttg", "gluon", "cute", "iree", "tilelang", "ck-tile", "linear"):
            tried(lambda: layout.to(dialect))
    assert read > 50


def test_wrong_types():
    layout = heddle.layout("(8,8):(1,8)")
    for call in (lambda: heddle.Layout("ab", {}), lambda: heddle.Layout({"a": [[1]]}, "m"),
                 lambda: heddle.Layout({"a": [[1]]}, {"m": 2.0}),
                 lambda: heddle.Layout({"a": [["1); b: (1"]]}, {"m": 2}),  # no text gets in
                 lambda: layout.rename("m"), lambda: layout.reshape([2]), lambda: layout.to(5),
                 lambda: layout.reshape({"mode0": "8"}), lambda: heddle.Launch("k.s", arrays=5)):
        with pytest.raises(TypeError, match=" (is|are) an? "):
            call()


def test_questions():
    rng = random.Random(6)
    answered = 0
    for _ in range(150):
        memory, access, other = (
            rng.choice([mutated(rng), usual]) for usual in ("(64,32):(32,1)", "rows:8", "columns:2"))
        tile = rng.choice([(16, 16), (64, 32), (64, 32), None, (3, 5), (1 << 40, 2)])
        target = rng.choice(["gfx1151", "sm_80", "sm_80", "MI300X", "x"])
        for call in (
            lambda: heddle.banks(memory, access, target=target, tile=tile, warps=rng.choice([None, 2, 3])),
            lambda: heddle.place(target=target, tile=tile, store=access, load=other),
            lambda: heddle.convert(access, other, target=target, tile=tile, type=rng.choice(["", "f32"])),
        ):
            answer = tried(call)
            if answer is not None:
                answered += 1
                assert str(answer)
    assert answered > 5


def test_threads():
    """Answers are computed side by side, and each is its own."""
    targets = ["gfx1151", "sm_80", "gfx1201", "MI300X"] * 4
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(
            lambda target: str(heddle.place(target=target, tile=(64, 64), store="rows:8",
                                            load="columns:8", warps=4)), targets))
    assert found[:4] * 4 == found and len(set(found)) == 4
