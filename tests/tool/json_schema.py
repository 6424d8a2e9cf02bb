"""json_schema.py DOCUMENT REPORT...: every report of `heddle run` has the keys that all have, with
the same types, and its results likewise; what it has besides is printed and stands in the document.
"""
import json
import re
import sys

TYPES = {"schema": int, "report": str, "file": str, "launch": (str, type(None)), "kernel": str,
         "symbol": str, "target": str, "executed_on": str, "device": str, "hardware": bool,
         "checked": bool, "finished": bool, "right": (bool, type(None)), "grid": list, "block": list,
         "resources": (dict, type(None)), "occupancy": (dict, type(None)), "findings": list,
         "changes": list, "remarks": list, "results": list, "emulated": (dict, type(None)),
         "seconds": dict}
RESULT = {"array": str, "expectation": str, "line": (int, type(None)),
          "right": (bool, type(None)), "elements": int, "wrong": int,
          "unwritten": (int, type(None)), "unjudged": int, "exact": int,
          "not_finite": (int, type(None)),
          "largest_error": (int, float, str, type(None)), "worst": (dict, type(None)), "note": str,
          "explanations": list}
EMULATED = {"mix", "lines", "lds", "global", "profiled_workgroups", "workgroups", "bytes_read",
            "bytes_written", "simd", "host_threads"}


def check(what, found, types):
    for key, wanted in types.items():
        if key not in found or not isinstance(found[key], wanted):
            sys.exit(f"{what}: {key} is {found.get(key, 'not there')}")


def check_places(name, report):
    """An instruction of PTX has no address."""
    for entry in report["emulated"]["lds"] + report["emulated"]["global"] + report["findings"]:
        if (entry["program_counter"] is None) != report["target"].startswith("sm_"):
            sys.exit(f"{name}: program_counter is {entry['program_counter']}")


document = open(sys.argv[1]).read()
documented = set(re.findall(r"`(\w+)`", document))
for name in sys.argv[2:]:
    report = json.load(open(name))
    check(name, report, TYPES)
    for result in report["results"]:
        check(f"{name}: results", result, RESULT)
    assert report["results"] and report["schema"] == 1
    if report["report"] == "sequence":  # which has a report of each kernel
        assert all(set(kernel["emulated"]) >= EMULATED for kernel in report["kernels"]), name
    else:
        assert set(report["emulated"]) >= EMULATED, name
        check_places(name, report)
    unknown = set(report) - documented
    if unknown:
        sys.exit(f"{name}: not in the document: {sorted(unknown)}")
    further = sorted(set(report) - set(TYPES))
    print(f"{report['report']}:" + "".join(" " + key for key in further))
