#!/usr/bin/env python3
"""pictures.py HEDDLE: every picture holds together. Of one instruction of each shape, type and
register count: the SVG is well-formed, all is inside the picture, no two cells overlap, no text of
a cell is wider than it, no two lines of text overlap; and the cells say what the JSON says."""
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

heddle = sys.argv[1]
# Pixels, and the width of a character of a proportional font, the widest on the way (DejaVu Sans).
SIZES = {"name": 15, "title": 14, "note": 12, "axis": 11, "block": 11, "row": 11, "lane": 13,
         "register": 11}
WIDE = {"name": 0.66, "title": 0.66, "lane": 0.69}


def run(*words):
    done = subprocess.run([heddle, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"heddle {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def text_box(element):
    style, words = element.get("class"), element.text
    width = len(words) * SIZES[style] * WIDE.get(style, 0.6)
    x, y = float(element.get("x")), float(element.get("y"))
    left = {"row": x - width, "name": x, "title": x, "note": x}.get(style, x - width / 2)
    return left, y - 0.75 * SIZES[style], left + width, y + 0.2 * SIZES[style]


def overlap(boxes):
    """The first two of (left, top, right, bottom) that overlap: a sweep from the left."""
    slack = 0.01
    active = []
    for box in sorted(boxes):
        active = [other for other in active if other[2] > box[0] + slack]
        for other in active:
            if other[1] < box[3] - slack and box[1] < other[3] - slack:
                return other, box
        active.append(box)
    return None


def check(words):
    root = xml.fromstring(run("show", *words, "--format", "svg"))
    width, height = float(root.get("width")), float(root.get("height"))
    rects = [e for e in root.iter() if e.tag.endswith("rect") and e.get("x")]
    texts = [e for e in root.iter() if e.tag.endswith("text")]
    cells = [tuple(float(r.get(k)) for k in ("x", "y", "width", "height")) for r in rects]
    cells = [(x, y, x + w, y + h) for x, y, w, h in cells]
    boxes = [text_box(t) for t in texts]
    for left, top, right, bottom in cells + boxes:
        if left < 0 or top < 0 or right > width or bottom > height:
            return f"something reaches outside: {left, top, right, bottom} of {width, height}"
    if found := overlap(cells):
        return f"cells overlap: {found}"
    if found := overlap(boxes):
        return f"texts overlap: {found}"
    grid = grid_of(cells)
    for box, element in zip(boxes, texts):
        if element.get("class") not in ("lane", "register"):
            continue
        if not any(c[0] <= box[0] and c[1] <= box[1] and c[2] >= box[2] and c[3] >= box[3]
                   for c in cells_at(grid, box)):
            return f"'{element.text}' does not fit its cell"
    return None


TILE = 64  # pixels


def grid_of(cells):
    """The cells by the tiles of the picture that they touch."""
    grid = {}
    for cell in cells:
        for column in range(int(cell[0] // TILE), int(cell[2] // TILE) + 1):
            for row in range(int(cell[1] // TILE), int(cell[3] // TILE) + 1):
                grid.setdefault((column, row), []).append(cell)
    return grid


def cells_at(grid, box):
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return [c for c in grid.get((int(x // TILE), int(y // TILE)), ()) if c[0] <= x <= c[2] and c[1] <= y <= c[3]]


def places(words):
    """The (lane, register) that a picture of one operand shows, and those of the JSON."""
    root = xml.fromstring(run("show", *words, "--format", "svg"))
    texts = [e for e in root.iter() if e.tag.endswith("text")]
    lanes = [int(e.text) for e in texts if e.get("class") == "lane"]
    registers = [e.text for e in texts if e.get("class") == "register"]
    registers = [int(re.match(r"[a-z](\d+)", r)[1]) for r in registers]
    table = json.loads(run("show", *words, "--format", "json"))
    return set(zip(lanes, registers)), set(zip(table["lane"], table["reg"])), table


# Every fourth shape: rows differ little from one to the next.
seen, count, compared = set(), 0, 0
for row in json.loads(run("list", "--format", "json"))["instructions"]:
    key = (row["m"], row["n"], row["k"], row["blocks"], row["wave"], str(row["operands"]))
    if key in seen:
        continue
    seen.add(key)
    words = [row["name"], *(["--wave", row["wave"]] if row["wave"] <= 64 else [])]
    words += ["--arch", row["families"][0]] if row["families"][0].startswith("sm") else []
    if len(seen) % 4 != 1:
        continue
    if wrong := check(words):
        sys.exit(f"heddle show {' '.join(map(str, words))} --format svg: {wrong}")
    count += 1
    if row["kind"] != "multiply" or row["d"] == "f16":
        continue
    drawn, true, table = places([*words, "--operand", "D"])
    complete = table["rows"] <= 64 and table["cols"] <= 64 and table["blocks"] == 1
    if not drawn <= true or (complete and drawn != true):
        sys.exit(f"{row['name']}: the picture of D shows other places than the JSON")
    compared += 1
print(f"{count} pictures hold together, {compared} of D show what the JSON says")
