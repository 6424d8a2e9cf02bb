#!/usr/bin/env python3
"""layout_json.py HEDDLE: `heddle layout` and `heddle translate` seen from outside.

Every layout below goes into every dialect; each text that comes out is read again, and must place
every element where the first one did. The places are computed here from the bases, without the
program's algebra. The SVG has the cells that the JSON says.
"""

import itertools
import json
import subprocess
import sys
import xml.etree.ElementTree

LAYOUTS = [
    ["v_wmma_f32_16x16x16_f16.A"],
    ["v_wmma_f32_16x16x16_f16.D"],
    ["v_wmma_f32_16x16x16_f16.B", "--arch", "gfx1201"],
    ["v_wmma_f32_16x16x16_f16.D", "--shape", "64x32", "--warps", "2x1"],
    ["v_mfma_f32_32x32x8f16.A", "--arch", "gfx942"],
    ["((4,8),(2,2)):((32,1),(16,8))", "--shape", "16x8"],
    ["((4,8),(2,2)):((32,1),(16,8))"],
    ["Sw<3,3,3> o 0 o (8,64):(64,1)"],
    ["(3,5):(5,1)"],
    ["(2,3,4):(1,2,6)"],
    ["#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [16, 16]}>"],
    ["#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", "--shape", "64x64"],
    ["#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [1, 0]}>"],
    ["offset: (0,1) (0,0) (1,0) -> m: 2, k: 4 padding 2:+3"],
    ["#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [1, 0], "
     "CGALayout = [[0, 1]]}>"],
    ["#ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, "
     "partitionLayout = #ttg.padded_shared<[4:+2] {order = [1, 0], shape = [4, 4]}>}>"],
    ["lane: (0,1) (2,0) -> m: 4, k: 4"],
    ["(3,2):(-1,4)"],
    ["row: (1) (2); col: (4) (8) -> byte: 64"],
]


def heddle(*words):
    done = subprocess.run([sys.argv[1], *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def answer(*words):
    status, out, error = heddle(*words)
    assert status == 0, (words, error)
    return out


def apply(bases, names, point):
    """The sum over F2 of the bases of the bits of a point, by axis."""
    result = None
    for name in names:
        for bit, basis in enumerate(bases[name]):
            if result is None:
                result = [0] * len(basis)
            if point.get(name, 0) >> bit & 1:
                result = [a ^ b for a, b in zip(result, basis)]
    return result


def places(layout):
    """{coordinates: all that the layout says of them}, from the bases alone."""
    found = {}
    bases = layout.get("bases")
    names = list(bases)
    for numbers in itertools.product(*(range(1 << len(bases[name])) for name in names)):
        point = dict(zip(names, numbers))
        to = tuple(apply(bases, names, point) or [])
        if layout["kind"] == "held":
            lanes = 1 << len(bases["lane"])
            what = (point.get("block", 0), point["lane"] + lanes * point["warp"], point["register"])
        else:
            offset = point["offset"]
            place = offset + sum(offset // every * free for every, free in layout["padding"])
            what = (point.get("block", 0), point.get("partition", 0), place)
        found.setdefault(to, set()).add(what)
    return found


def check_cells(layout, found):
    """The table says of each element the first of what the bases say."""
    cells = layout["cells"]
    names = ("block", "thread", "register") if layout["kind"] == "held" else ("block", "partition", "place")
    for number, at in enumerate(itertools.product(*(range(size) for size in layout["sizes"]))):
        said = tuple(cells[name][number] for name in names)
        assert said in found[at] if at in found else said == (-1, -1, -1), (layout["text"], at, said)


def check_picture(words, layout):
    svg = xml.etree.ElementTree.fromstring(answer("layout", *words, "--format", "svg", "--all"))
    cells = [e.text for e in svg.iter() if e.tag.endswith("text") and e.get("class") == "cell"]
    said = layout["cells"]
    prefixes = [""] * len(cells)
    for name, letter in (("block", "B"), ("partition", "P")):
        if len((layout.get("bases") or {}).get(name, [])) > 0:
            prefixes = [before + f"{letter}{number}:" for before, number in zip(prefixes, said[name])]
    if layout["kind"] == "held":
        wanted = [f"{before}T{t}:{r}" if t >= 0 else "-" for before, t, r in
                  zip(prefixes, said["thread"], said["register"])]
    elif layout["kind"] == "shared":
        wanted = [f"{before}{p}" if p >= 0 else "-" for before, p in zip(prefixes, said["place"])]
    else:
        wanted = [str(p) for p in said["place"]]
    assert cells == wanted, words


def main():
    texts = refusals = pictures = 0
    for words in LAYOUTS:
        layout = json.loads(answer("layout", *words, "--format", "json"))
        found = None
        if layout["kind"] != "function":
            found = places(layout)
            check_cells(layout, found)
        check_picture(words, layout)
        pictures += 1
        lanes = 1 << len(layout["bases"]["lane"]) if layout["kind"] == "held" else 32
        translations = json.loads(answer("translate", *words, "--to", "all", "--format", "json"))
        for dialect in ("linear", "ttg", "gluon", "cute", "iree", "tilelang", "ck-tile"):
            one = translations[dialect]
            status, out, error = heddle("translate", *words, "--to", dialect)
            if "error" in one:
                assert status == 2 and out == "" and one["error"] in error, (words, dialect)
                refusals += 1
                continue
            assert status == 0 and out == one["text"] + "\n", (words, dialect)
            again = [one["text"]]
            if one["tile"]:
                again += ["--shape", "x".join(map(str, one["tile"]))]
            if lanes == 64:
                again += ["--lanes", "64"]
            read = json.loads(answer("layout", *again, "--format", "json"))
            texts += 1
            if found is None:
                assert read["cells"] == layout["cells"], (words, dialect)
            else:
                assert places(read) == found, (words, dialect)
    print(f"{texts} texts read back, {refusals} refusals say why, {pictures} pictures show the table")


main()
