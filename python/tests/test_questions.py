"""banks, place and convert: the records are the answers of the program, and agree with brute force."""

import collections

import numpy
import pytest

import heddle

WMMA_A = "v_wmma_f32_16x16x16_f16.A"


def test_conflicts_are_words_of_one_bank():
    found = heddle.banks("(16,16):(16,1)", WMMA_A, target="gfx1151", tile=(16, 16))
    assert (found.target, found.wave, found.banks, found.kind) == ("gfx1151", 32, 32, "load")
    (memory,) = found.memories
    assert found.extra_passes == memory.extra_passes == sum(
        access.extra_passes for access in memory.instructions)
    for access in memory.instructions:
        assert sorted(lane for phase in access.phases for lane in phase.lanes) == list(range(32))
        for phase in access.phases:
            words = collections.defaultdict(set)
            for lane in phase.lanes:
                for byte in range(0, access.bytes, 4):
                    word = access.addresses[lane] + byte
                    words[word // 4 % 32].add(word)
            assert phase.passes == max(map(len, words.values()))
            assert {(c.bank, c.byte) for c in phase.collisions} == {
                (bank, word) for bank, each in words.items() if len(each) > 1 for word in each}
    assert "128 B, the width of all 32 banks" in found.reasons[0].why
    assert str(found.reasons[0]) in " ".join(str(found).split()) or "why" in str(found)
    assert found._repr_svg_().startswith("<svg")


def test_a_list_compares_and_objects_are_layouts():
    a = heddle.instruction("v_wmma_f32_16x16x16_f16", target="gfx1151").operand("A")
    padded = numpy.zeros((16, 24), numpy.float16)[:, :16]
    found = heddle.banks(["(16,16):(16,1)", padded, heddle.layout("(16,16):(24,1)")], a,
                         target="gfx1151", tile=(16, 16))
    assert [memory.extra_passes for memory in found.memories] == [8, 0, 0]
    few = heddle.banks("(16,16):(16,1)", a, target="gfx1151", tile=(16, 16), active=0xf, width=4)
    assert few.memories[0].instructions[0].active == (0, 1, 2, 3)
    stored = heddle.banks("(8,64):(64,1)", "rows:8", target="sm_80", tile=(8, 64), store=True)
    assert stored.kind == "store"


def test_place_proves_its_layout():
    a = heddle.instruction("v_wmma_f32_16x16x16_f16", target="gfx1201").operand("A")
    found = heddle.place(target="gfx1201", tile=(64, 32), warps=2, k_order="contiguous",
                         store="rows:8", load=a)
    assert found.chosen.passes == found.chosen.bound == 64 and found.chosen.optimal
    assert set(found.others) == {"swizzle only", "padding only", "none"} and not found.impossible
    assert found.others["none"].passes > 64
    assert found.layout.kind == "shared" and found.layout == found.chosen.layout
    for access in found.chosen.accesses:
        again = heddle.banks(found.layout, access.layout, target="gfx1201", tile=(64, 32), warps=2,
                             store=access.move == "store", width=access.bytes_per_lane)
        assert again.extra_passes == access.passes - access.conflict_free_passes == 0
    assert "this one is optimal" in " ".join(str(found).split())
    narrow = heddle.place(target="sm_90", tile=(64, 64), load="ldmatrix:mma.sync.m16n8k16.f32.f16.f16.f32.A",
                          store="rows:8", warps=4, means="descriptor")
    assert narrow.chosen.triton.startswith("#ttg.nvmma_shared") or narrow.chosen.cute.startswith("Sw<")


@pytest.mark.parametrize("target, banks", [("MI350X", 64), ("gfx1250", 64), ("H100", 32)])
def test_banks_are_those_of_the_processor(target, banks):
    tile = {"target": target, "tile": (32, 64), "type": "f32"}
    placed = heddle.place(store="rows:4", **tile)
    moved = heddle.convert("rows:8", "rows:4", **tile)
    counted = heddle.banks("(32,64):(64,1)", "rows:4", **tile)
    for found in (placed, moved, counted):
        assert (found.banks, found.bank_bytes, found.element_bits) == (banks, 4, 32)


def test_convert_finds_each_element():
    plan = heddle.convert("mma.sync.m16n8k16.f32.f16.f16.f32.D", "rows:8", target="sm_80",
                          tile=(64, 64), warps=4)
    assert plan.chosen.way == "shared memory" and plan.impossible
    assert plan.source.compose(plan.source_layout) == plan.destination_layout
    assert sum(step.count for step in plan.chosen.steps) == plan.chosen.instructions
    same = heddle.convert("rows:8", "rows:8", target="sm_80", tile=(64, 64), warps=4)
    assert same.chosen.way == "nothing" and same.chosen.cost == 0
    assert "way" in str(plan)


@pytest.mark.parametrize("call, sentence", [
    (lambda: heddle.banks([], WMMA_A, target="gfx1151"), "no memory is given"),
    (lambda: heddle.banks("(16,16):(16,1)", WMMA_A, target="gfx0"), "gfx0"),
    (lambda: heddle.banks("(16,16):(16,1)", WMMA_A, target="gfx1151", move="ldmatrix"), "has no ldmatrix"),
    (lambda: heddle.banks("(16,16):(16,1)", WMMA_A, target="gfx1151", move="load"), "move: no 'load' on gfx1151; gfx1151 has no load"),
    (lambda: heddle.banks("(16,16):(16,1)", WMMA_A, target="gfx1151", width=3), "width 3"),
    (lambda: heddle.banks("(16,16):(16,1)", WMMA_A, target="gfx1151", wave=16), "wave 16"),
    (lambda: heddle.banks("(16,16):(16,1)", WMMA_A, target="gfx1151", active=-1), "active is -1"),
    (lambda: heddle.banks("(16,16):(16,1)", WMMA_A, target="gfx1151", active=0), "no lane takes part"),
    (lambda: heddle.banks("(16,16):(16,1)", WMMA_A, target="gfx1151", k_order="x"), "no k_order 'x'"),
    (lambda: heddle.banks("(16,16):(16,1)", "rows:8", target="gfx1151"), "needs the tile"),
    (lambda: heddle.place(target="gfx1151"), "no access is given"),
    (lambda: heddle.place(target="gfx1151", load=WMMA_A, means="luck"), "no means 'luck'"),
    (lambda: heddle.place(target="gfx1151", load=WMMA_A, bytes=0), "bytes is 0"),
    (lambda: heddle.place(target="gfx1151", load=WMMA_A, tile=(64, 0)), r"tile is \(64, 0\)"),
    (lambda: heddle.convert("(4,8):(8,1)", WMMA_A, target="gfx1151"), "wanted is who holds it"),
])
def test_refusals_are_sentences(call, sentence):
    with pytest.raises(heddle.Error, match=sentence):
        call()


@pytest.mark.parametrize("call, sentence", [
    (lambda: heddle.banks("(16,16):(16,1)", "rows:8", target="gfx1151"),
     r"access: 'rows:8' needs the tile, as tile=\(64, 32\)$"),
    (lambda: heddle.convert("rows:8", "columns:8", target="sm_80", warps=2), r"as tile=\(64, 32\)$"),
    (lambda: heddle.place(target="gfx1151"), "with store and who reads it with load"),
    (lambda: heddle.layout("v_wmma_f32_16x16x16_f16.A", warps=2), r"as shape=\(64, 32\)$"),
    (lambda: heddle.instruction("wgmma.mma_async.sync.aligned.m64nNk16.f32.f16.f16").operand("B"),
     "add swizzle none, 32, 64, 128, and major='k' or mn"),
])
def test_refusals_name_the_arguments_of_python(call, sentence):
    with pytest.raises(heddle.Error, match=sentence) as refusal:
        call()
    assert "--" not in str(refusal.value)


def test_answers_as_json():
    found = heddle.banks("(16,16):(16,1)", "v_wmma_f32_16x16x16_f16.A", target="gfx1151", tile=(16, 16))
    assert found.to_json()["memories"][0]["extra_passes"] == found.extra_passes
    placed = heddle.place(target="gfx1151", tile=(64, 32), store="rows:8", load="columns:8")
    assert placed.to_json()["arch"] == "gfx1151"
    plan = heddle.convert("rows:8", "columns:8", target="sm_80", tile=(64, 64))
    assert plan.to_json()["chosen"]["way"] == plan.chosen.way
