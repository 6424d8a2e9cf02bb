"""The report of a launch file with three launches, with the keys of docs/json.md."""
import json
import sys

report = json.load(sys.stdin)
assert report["schema"] == 1 and report["report"] == "sequence", report["report"]
assert report["right"] is True and report["finished"] is True and report["checked"] is True
assert [kernel["kernel"] for kernel in report["kernels"]] == ["product", "scale", "scale"]
assert [kernel["block"][0] for kernel in report["kernels"]] == [8, 64, 64]
assert [result["array"] for result in report["results"]] == ["H", "P", "P", "counter", "H", "counter"]
assert all(result["right"] for result in report["results"])
assert report["launch"].endswith("two.launch") and report["findings"] == []
assert report["seconds"]["run"] > 0 and report["hardware"] is False
