#!/usr/bin/env python3
"""banks_pictures.py HEDDLE: pictures of random tiles and accesses hold together. The SVG is
well-formed, all is inside it, no two lines of text overlap, and in every row of banks the boxes lie
side by side; the boxes that wait for an extra pass, by phase, are as many banks wide as the JSON
has words beyond the first of their bank."""
import collections
import json
import random
import subprocess
import sys
import xml.etree.ElementTree as xml

heddle = sys.argv[1]
SIZES = {"title": 15, "name": 12, "note": 12, "axis": 10, "row": 11, "extra": 11, "lane": 11}
WIDE = {"title": 0.66, "name": 0.66, "extra": 0.66}


def run(*words):
    done = subprocess.run([heddle, "banks", *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"heddle banks {' '.join(words)}: {done.stderr}")
    return done.stdout


def text_box(element):
    style = element.get("class")
    width = len(element.text) * SIZES[style] * WIDE.get(style, 0.6)
    x, y = float(element.get("x")), float(element.get("y"))
    left = x - width if style == "row" else x - width / 2 if style in ("axis", "lane") else x
    return left, y - 0.75 * SIZES[style], left + width, y + 0.2 * SIZES[style]


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def check(words):
    root = xml.fromstring(run(*words, "--format", "svg"))
    width, height = float(root.get("width")), float(root.get("height"))
    rects = [e for e in root.iter() if e.tag.endswith("rect") and e.get("class")]
    texts = [text_box(e) for e in root.iter() if e.tag.endswith("text")]
    cells = collections.defaultdict(list)
    for rect in rects:
        x, y, w, h = (float(rect.get(k)) for k in ("x", "y", "width", "height"))
        cells["idle" if rect.get("class") == "idle" else "taken"].append((x, y, x + w, y + h))
    for box in texts + cells["idle"] + cells["taken"]:
        assert box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height, box
    for boxes in (texts, cells["taken"]):
        boxes.sort()
        for i, box in enumerate(boxes):
            for other in boxes[i + 1:]:
                if other[0] >= box[2]:
                    break
                assert not overlap(box, other), (box, other)
    one = min(x1 - x0 for x0, _, x1, _ in cells["idle"])
    wait = [e for e in rects if e.get("class") == "waits"]
    marks = [e for e in root.iter() if e.tag.endswith("path")]
    assert len(marks) == len(wait)
    drawn = sum(float(e.get("width")) / one for e in wait)
    memory, = json.loads(run(*words, "--format", "json"))["memories"]
    worst = max(memory["instructions"], key=lambda i: i["extra_passes"])
    beyond = sum(len(p["collisions"]) - len({c["bank"] for c in p["collisions"]})
                 for p in worst["phases"])
    assert round(drawn) == beyond, (drawn, beyond)


def basis(axes):
    return "(" + ",".join(map(str, axes)) + ")"


random.seed(1)
count = 0
for arch, lanes in (("gfx1151", 5), ("gfx950", 6), ("sm_90", 5), ("gfx1201", 5)) * 8:
    bits = [(1 << i, 0) for i in range(5)] + [(0, 1 << i) for i in range(5)]
    tile = random.sample(bits, 10)
    if count % 3 == 0:
        tile[7] = tuple(a ^ b for a, b in zip(tile[7], tile[2]))
    held = random.sample(bits, 10)
    memory = f"offset: {' '.join(map(basis, tile))} -> m: 32, k: 32"
    if count % 4 == 3:
        memory += f" padding {2 ** random.randint(3, 6)}:+{2 * random.randint(1, 12)}"
    access = (f"register: {' '.join(map(basis, held[:3]))}; "
              f"lane: {' '.join(map(basis, held[3:3 + lanes]))} -> m: 32, k: 32")
    check(["--arch", arch, "--memory", memory, "--access", access,
           "--type", random.choice(["f16", "f32", "i8"])])
    count += 1
print(f"{count} pictures hold together and mark what waits")
