#!/usr/bin/env python3
"""Runs recorded kernels of Triton under --check: those that are right raise nothing.

    python3 tests/kernels/triton_test.py HEDDLE DATA [NAME ...]

With names, only kernels so called are run.
"""
import base64
import concurrent.futures
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def failure(heddle, folder, case):
    stem = os.path.join(folder, f"{case['name']}.{case['target']}")
    code = stem + (".ptx" if case["target"].startswith("sm_") else ".hsaco")
    pathlib.Path(code).write_bytes(base64.b64decode(case["code"]))
    pathlib.Path(stem + ".launch").write_text(case["launch"])
    command = [heddle, "run", code, stem + ".launch", "--check", "--report", "json"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    found = sorted({finding["kind"] for finding in json.loads(result.stdout).get("findings", [])})
    wanted = case["finding"]
    if wanted:
        fits = found and all(kind.startswith(wanted) for kind in found)
    else:
        fits = not found and result.returncode == 0
    return "" if fits else f"{stem}: {found}, status {result.returncode}\n{result.stdout[:2000]}"


def main(heddle, data, *names):
    cases = json.loads(gzip.decompress(pathlib.Path(data).read_bytes()))["kernels"]
    cases = [case for case in cases if not names or case["name"] in names]
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [text for text in
                    pool.map(lambda case: failure(heddle, folder, case), cases) if text]
    for text in failures:
        print(text)
    print(f"{len(cases)} kernels, {len(failures)} failures")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
