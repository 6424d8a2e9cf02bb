# Checks a SARIF log on standard input against what SARIF 2.1.0 requires of the properties used here
# (sections in brackets), and that the places it names exist.
import json
import sys
from pathlib import Path

LEVELS = {"none", "note", "warning", "error"}


def location(place):
    physical = place["physicalLocation"]  # 3.28.3
    uri = physical["artifactLocation"]["uri"]  # 3.4.3
    path = uri.removeprefix("file://")
    assert " " not in uri and Path(path).exists(), uri
    if "region" in physical:
        region = physical["region"]  # 3.30
        assert region["startLine"] >= 1
        lines = Path(path).read_text().splitlines()
        line = lines[region["startLine"] - 1]
        assert 1 <= region.get("startColumn", 1) <= len(line) + 1
        assert line.strip(), f"{uri}:{region['startLine']} is an empty line"
    if "message" in place:
        assert place["message"]["text"]


log = json.load(sys.stdin)
assert log["version"] == "2.1.0"  # 3.13.2
assert log["$schema"].endswith("sarif-schema-2.1.0.json")
assert len(log["runs"]) == 1
run = log["runs"][0]
driver = run["tool"]["driver"]  # 3.18.2
assert driver["name"] == "heddle"
rules = driver["rules"]
assert len({rule["id"] for rule in rules}) == len(rules)  # 3.19.23: unique
for rule in rules:
    assert rule["shortDescription"]["text"] and rule["help"]["text"]
    assert rule["defaultConfiguration"]["level"] in LEVELS
assert isinstance(run["invocations"][0]["executionSuccessful"], bool)  # 3.20.14
assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
for result in run["results"]:
    assert result["message"]["text"]  # 3.27.11: required
    assert result["level"] in LEVELS
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]  # 3.27.6
    assert result["locations"]
    for place in result["locations"] + result.get("relatedLocations", []):
        location(place)
    print(result["level"], result["ruleId"], len(result.get("relatedLocations", [])))
