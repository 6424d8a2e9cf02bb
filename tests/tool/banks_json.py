#!/usr/bin/env python3
"""banks_json.py FILE: counts the passes of every instruction again from its addresses and phases."""
import collections
import json
import sys

found = json.load(open(sys.argv[1]))
instructions = extra = 0
for memory in found["memories"]:
    total = 0
    for one in memory["instructions"]:
        instructions += 1
        for phase in one["phases"]:
            words = collections.defaultdict(lambda: collections.defaultdict(set))
            for lane in phase["lanes"]:
                first = one["addresses"][lane]
                for word in range(first // 4, (first + one["bytes"] + 3) // 4):
                    words[word % found["banks"]][4 * word].add(lane)
            passes = max(len(wanted) for wanted in words.values())
            assert passes == phase["passes"] == phase["extra_passes"] + 1, phase
            assert len(words[phase["fullest_bank"]]) == passes, phase
            told = {(c["bank"], c["byte"], tuple(c["lanes"])) for c in phase["collisions"]}
            true = {(bank, byte, tuple(sorted(lanes))) for bank, wanted in words.items()
                    for byte, lanes in wanted.items() if len(wanted) > 1}
            assert told == true, (told, true)
            total += passes - 1
    assert total == memory["extra_passes"] == sum(r["extra_passes"] for r in memory["reasons"])
    extra += total
print(f"{len(found['memories'])} layouts, {instructions} instructions: extra passes add up to {extra}")
