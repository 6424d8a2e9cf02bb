"""The report of a program: every launch, kernel by kernel, with the keys of docs/json.md."""
import json
import sys

report = json.load(sys.stdin)
assert report["schema"] == 1 and report["report"] == "program", report["report"]
assert report["launches"] == 2 and report["exit_status"] == 1 and report["signal"] is None
assert report["checked"] and report["finished"] and report["right"] is False
assert report["refusals"] == []
kernels = report["kernels"]
assert [kernel["kernel"] for kernel in kernels] == ["reduce", "reduce"]
for number, kernel in enumerate(kernels, 1):
    assert kernel["launches"] == 1 and kernel["launch"] is None
    assert kernel["grid"] == [2, 1, 1] and kernel["block"] == [128, 1, 1]
    assert kernel["emulated"]["workgroups"] == 2
    finding, = kernel["findings"]
    assert finding["launch"] == number and finding["kind"].startswith("lds-race")
