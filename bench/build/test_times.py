#!/usr/bin/env python3
"""What tests take of the processor: `./dev bench tests REGEX [PRESET]`.

    test_times.py FOLDER REGEX      FOLDER is a build folder

ctest records seconds of the clock, which other work makes longer. This runs the tests whose names match,
one after the other, with the environment that ctest gives them, and prints what they and their children
took of the processor. Tests are run as they were built.
"""

import json
import os
import re
import resource
import subprocess
import sys


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def environment(properties):
    variables = dict(os.environ)
    for entry in properties.get("ENVIRONMENT", []):
        name, value = entry.split("=", 1)
        variables[name] = value
    for entry in properties.get("ENVIRONMENT_MODIFICATION", []):
        name, change = entry.split("=", 1)
        kind, value = change.split(":", 1)
        if kind != "string_append":
            sys.exit(f"test_times.py: {kind} of {name} is not known here; string_append is")
        variables[name] = variables.get(name, "") + value
    return variables


def main():
    folder, pattern = os.path.abspath(sys.argv[1]), sys.argv[2]
    listing = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], check=True,
                             capture_output=True, text=True).stdout
    total, status = 0.0, 0
    print("| seconds | test |\n|---:|---|")
    for test in json.loads(listing)["tests"]:
        if not re.search(pattern, test["name"]) or "command" not in test:
            continue
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        begin = processor_seconds()
        done = subprocess.run(test["command"], env=environment(properties), capture_output=True,
                              cwd=properties.get("WORKING_DIRECTORY", folder), check=False)
        seconds = processor_seconds() - begin
        total += seconds
        # Of some tests the words decide, which are ctest's to read.
        failed = done.returncode != 0 and "PASS_REGULAR_EXPRESSION" not in properties
        status |= failed
        print(f"| {seconds:.1f} | {test['name']}{', FAILED' if failed else ''} |", flush=True)
    print(f"| {total:.1f} | in all |")
    return status


if __name__ == "__main__":
    sys.exit(main())
