"""The plan that `heddle compile --emit plan --format json` prints, given back, makes the same plan.

plan_round_trip.py HEDDLE FILE: exits with 1, and the difference, where it does not.
"""
import json
import subprocess
import sys
import tempfile

heddle, file_of_text = sys.argv[1:]


def plan(target, file=None):
    command = [heddle, "compile", file_of_text, "--target", target, "--emit", "plan", "--format", "json"]
    done = subprocess.run(command + (["--plan", file] if file else []), capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    printed = json.loads(done.stdout)
    for choice in printed["choices"]:
        del choice["why"]
    return printed, done.stdout


for target in ("sm_80", "sm_90", "sm_90a", "gfx1151", "gfx1201", "gfx942"):
    first, text = plan(target)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(text)
        file.flush()
        again, _ = plan(target, file.name)
    if again != first:
        sys.exit(f"{target}: {first} became {again}")
