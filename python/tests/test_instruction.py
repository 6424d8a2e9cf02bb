"""Instructions, against formulas of the ISA documents and PTX's manual."""

import base64

import numpy
import pytest

import heddle


@pytest.mark.parametrize("name", [
    "v_wmma_f32_16x16x16_f16", "V_WMMA_F32_16X16X16_F16_w32", "WMMAR3_F32_16x16x16_F16",
    "__builtin_amdgcn_wmma_f32_16x16x16_f16_w32"])
@pytest.mark.parametrize("target", ["gfx1151", "Strix Halo"])
def test_any_name(name, target):
    wmma = heddle.instruction(name, target=target)
    assert (wmma.name, wmma.target, wmma.wave) == ("v_wmma_f32_16x16x16_f16", "gfx1151", 32)
    assert wmma.shape == (16, 16, 16) and wmma.blocks == 1
    assert wmma.operands == ("A", "B", "C", "D")
    assert "EXEC must be all ones" in wmma.needs and len(wmma.witnesses) == 4
    assert "__builtin_amdgcn_wmma_f32_16x16x16_f16_w32" in wmma.call
    assert "f16 x f16 + f32 -> f32" in wmma.computes and wmma.computes in repr(wmma)
    assert wmma._repr_svg_().startswith("<svg") and "in HIP:" in str(wmma)


def test_a_fragment_is_the_documents():
    """RDNA3: lane l holds row l % 16 of A, element k in half k % 2 of register k / 2; row
    2 * r + l / 16 and column l % 16 of D."""
    wmma = heddle.instruction("v_wmma_f32_16x16x16_f16", target="gfx1151")
    a = wmma.operand("A")
    assert (a.type, a.bits, a.registers, a.storage) == ("f16", 16, 8, "registers")
    element, register, lane = numpy.indices((2, 8, 32))
    expected = numpy.stack([lane % 16, 2 * register + element], -1)
    assert (a.layout.indices() == expected).all()
    d = wmma.operand("D").layout.indices()[0]
    register, lane = numpy.indices((8, 32))
    assert (d == numpy.stack([2 * register + lane // 16, lane % 16], -1)).all()


def test_places():
    a = heddle.instruction("mma.sync.m16n8k16.f32.f16.f16.f32", target="sm_80").operand("A")
    table = a.table()
    row, k = numpy.indices((16, 16))  # PTX ISA, figure of the m16n8k16 fragment of A
    assert (table["lane"] == row % 8 * 4 + k % 8 // 2).all()
    assert (table["register"] == row // 8 + k // 8 * 2).all()
    assert (table["bit"] == k % 2 * 16).all() and table["lane_copies"].tolist() == [0]
    (place,) = a.at(9, 3)
    assert (place.lane, place.register, place.bit, place.bits) == (5, 1, 16, 16)
    assert place in a.holds(register=1, lane=5) and len(a.holds(1, 5)) == 2
    assert a._repr_svg_().startswith("<svg") and "lane" in str(a)
    image = a._repr_html_().split("base64,")[1].split('"')[0]
    assert base64.b64decode(image).decode() == a._repr_svg_()
    assert repr(a).startswith("<A of mma.sync.aligned.m16n8k16")


def test_shared_memory():
    wgmma = heddle.instruction("wgmma.mma_async.sync.aligned.m64nNk16.f32.f16.f16", n=96)
    assert wgmma.shape == (64, 96, 16)
    b = wgmma.operand("B", swizzle=128, major="k")
    assert b.storage == "shared memory" and b._repr_svg_() is None
    assert b.table()["byte"].shape == (16, 96)
    assert b.at(0, 0)[0].byte == 0 and b.at(0, 0)[0].lane is None
    assert b._repr_html_().startswith("<pre>")
    with pytest.raises(heddle.Error, match="lies in no registers: a descriptor says where"):
        b.layout


def test_orders_and_modifiers():
    wmma = heddle.instruction("v_wmma_f32_16x16x16_f16", target="gfx1201")
    isa, contiguous = (wmma.operand("A", k_order=order).layout for order in ("isa", "contiguous"))
    assert isa != contiguous and contiguous(element=1, register=3, lane=16)["k"] == 15
    mfma = heddle.instruction("v_mfma_f32_4x4x4_16b_f16", target="MI300X")
    assert mfma.operand("A").table()["lane"].shape == (16, 4, 4)
    assert (mfma.operand("A", cbsz=4).table()["lane"][5] == mfma.operand("A").table()["lane"][0]).all()


def test_what_goes_into_an_element():
    wmma = heddle.instruction("v_wmma_f32_16x16x16_f16", target="gfx1151")
    found = wmma.operand("D").sources(3, 7)
    assert {place.lane for place in found if place.operand == "A"} == {3, 19}
    assert sorted({(p.row, p.column) for p in found if p.operand == "B"}) == [(k, 7) for k in range(16)]
    with pytest.raises(heddle.Error, match=r"sources are of an element of D, as operand\('D'\)"):
        wmma.operand("A").sources(3, 7)


def test_elements_by_the_names_of_their_axes():
    wmma = heddle.instruction("v_wmma_f32_16x16x16_f16", target="gfx1151")
    a, b, d = (wmma.operand(letter) for letter in "abd")
    assert (a.letter, b.letter, d.letter) == ("A", "B", "D")
    assert a.at(m=5, k=3) == a.at(5, 3) == a.at(row=5, column=3) == a.at(5, k=3) != a.at(3, 5)
    assert b.at(k=3, n=7) == b.at(3, 7) and d.at(n=7, m=3) == d.at(3, 7)
    assert d.sources(m=3, n=7) == d.sources(3, 7)
    for call, sentence in (
        (lambda: a.at(m=5), r"k is missing; an element of A is at\(m, k\)"),
        (lambda: a.at(m=5, n=3), "A has the axes m and k, and no 'n'"),
        (lambda: a.at(5, 3, m=5), "m is given twice"),
        (lambda: wmma.operand(0), "an operand is a letter, as 'A', not int"),
    ):
        with pytest.raises(TypeError, match=sentence):
            call()


def test_what_is_published():
    wmma = heddle.instruction("v_wmma_f32_16x16x16_f16", target="gfx1151")
    assert (wmma.throughput.multiply_adds_per_clock, wmma.throughput.of) == (256, "CU")
    assert wmma.latency is None
    assert (wmma.encoding.format, wmma.encoding.opcode, wmma.encoding.bytes) == ("VOP3P", 64, 8)
    assert wmma.encoding.scale_load is None
    mfma = heddle.instruction("v_mfma_f32_32x32x8_f16", target="MI300X")
    assert (mfma.co_execution.first_cycle, mfma.co_execution.cycles) == (4, 28)
    assert mfma.co_execution.source and mfma.to_json()["co_execution"]["cycles"] == 28
    mma = heddle.instruction("mma.sync.m16n8k16.f32.f16.f16.f32", target="sm_80")
    assert mma.co_execution is None and mma.encoding is None
    assert mma.operand("A").to_json()["rows"] == 16


def test_every_record_of_the_catalogue_is_read():
    """No row has what the records do not take; some have each of them, with scales too."""
    seen = {"throughput": 0, "latency": 0, "co_execution": 0, "encoding": 0}
    scales = 0
    for target in ("gfx1151", "MI300X", "gfx950", "gfx1250", "H100"):
        for row in heddle.instructions(target=target):
            one = heddle.instruction(row.name, target=target)
            for name in seen:
                seen[name] += getattr(one, name) is not None
            scales += one.encoding is not None and one.encoding.scale_load is not None
    assert all(seen.values()) and scales, seen


def test_highlights():
    d = heddle.instruction("v_wmma_f32_16x16x16_f16", target="gfx1151").operand("D")
    lit = d.highlighted(lane=5)
    assert lit._repr_svg_().count('class="lane">5<') == 8 and 'class="lane">6<' not in lit._repr_svg_()
    assert str(lit) != str(d) and lit.at(0, 5) == d.at(0, 5) and "lane" in lit.table()
    for call in (
        lambda: d.highlighted(),
        lambda: d.highlighted(row=-1),
        lambda: d.highlighted(lane=99),
    ):
        with pytest.raises(heddle.Error):
            call()


def test_an_operand_is_a_layout():
    mfma = heddle.instruction("v_mfma_f32_32x32x8_f16", target="MI300X").operand("A")
    assert heddle.layout(mfma) == mfma.layout and mfma.layout.read_as == "A of v_mfma_f32_32x32x8_f16"
    spread = heddle.layout(mfma, shape=(64, 16), warps=2)
    assert spread.inputs["lane"] == 64 and spread.inputs["warp"] == 2 and spread.element_bits == 16
    wgmma = heddle.instruction("wgmma.mma_async.sync.aligned.m64nNk16.f32.f16.f16", n=96).operand("D")
    assert wgmma.name.startswith("wgmma.mma_async.sync.aligned.m64n96k16")
    wave64 = heddle.instruction("v_wmma_f32_16x16x16_f16", target="gfx1151", wave=64).operand("D")
    assert heddle.layout(wave64, shape=(32, 32)).inputs["lane"] == 64
    contiguous = heddle.instruction("v_wmma_f32_16x16x16_f16", target="gfx1201").operand(
        "A", k_order="contiguous")
    found = heddle.place(target="gfx1201", tile=(64, 32), warps=2, store="rows:8", load=contiguous)
    assert found.chosen.passes == 64  # of the ISA's order 96
    for call in (lambda: heddle.layout(contiguous, shape=(64, 32)),
                 lambda: heddle.convert(contiguous, mfma, target="gfx1201", tile=(64, 32))):
        with pytest.raises(heddle.Error, match="order"):
            call()


def test_the_catalogue():
    rows = heddle.instructions(target="gfx1151")
    assert len(rows) == 12 and rows[0].name == "v_wmma_f32_16x16x16_f16"
    assert rows[0].multiply_adds_per_clock == 256 and rows[0].families == ("gfx11",)
    assert len(heddle.instructions()) > 800
    assert all(row.m == 16 and row.a in ("bf16", "f16") or row.b == "bf16"
               for row in heddle.instructions(target="sm_80", type="bf16", shape="16x8"))


@pytest.mark.parametrize("call, sentence", [
    (lambda: heddle.instruction("v_wmma_f32_16x16x16_f61"), "v_wmma_f32_16x16x16_f16"),
    (lambda: heddle.instruction("v_wmma_f32_16x16x16_f16", target="sm_80"), "sm_80"),
    (lambda: heddle.instruction("v_wmma_f32_16x16x16_f16", target="gfx9999"), "gfx9999"),
    (lambda: heddle.instruction("v_wmma_f32_16x16x16_f16", wave=16), "a wave has 32 or 64 lanes"),
    (lambda: heddle.instruction("v_wmma_f32_16x16x16_f16", n=-1), "n is -1"),
    (lambda: heddle.instruction("wgmma.mma_async.sync.aligned.m64nNk16.f32.f16.f16", n=7), "no n = 7"),
    (lambda: heddle.instruction("v_wmma_f32_16x16x16_f16").operand("E"), "no operand of .* 'E'; there are A, B"),
    (lambda: heddle.instruction("v_wmma_f32_16x16x16_f16").operand("A", k_order="no"), "no k_order 'no'"),
    (lambda: heddle.instruction("v_wmma_f32_16x16x16_f16").operand("A", cbsz=1), "cbsz"),
    (lambda: heddle.instruction("v_wmma_f32_16x16x16_f16").operand("A", cbsz=-1), "cbsz is -1"),
    (lambda: heddle.instruction("v_wmma_f32_16x16x16_f16").operand("A").at(16, 0), "row 16"),
    (lambda: heddle.instruction("v_wmma_f32_16x16x16_f16").operand("A").at(0, -1), "column -1"),
    (lambda: heddle.instruction("v_wmma_f32_16x16x16_f16").operand("A").holds(8, 0), "register 8"),
    (lambda: heddle.instruction("v_wmma_f32_16x16x16_f16").operand("A").holds(0, -1), "lane -1"),
    (lambda: heddle.instructions(shape="1x1x1"), "no instruction meets all conditions"),
])
def test_refusals_are_sentences(call, sentence):
    with pytest.raises(heddle.Error, match=sentence):
        call()
