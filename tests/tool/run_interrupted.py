#!/usr/bin/env python3
"""run_interrupted.py HEDDLE PROGRAM FOLDER: a signal ends `heddle run` in the middle of a launch, and nothing of it stays
in the folder for temporary files. The program says when it launches, and its kernel runs for minutes."""
import os
import signal
import subprocess
import sys

heddle, program, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
for number in (signal.SIGTERM, signal.SIGINT):
    run = subprocess.Popen(
        [heddle, "run", program, "--limit", "1000000000000", "--limit-run", "1000000000000"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "TMPDIR": folder}, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert run.stdout.readline() == "launching\n"
    run.send_signal(number)
    try:
        ended = run.wait(60)
    except subprocess.TimeoutExpired:
        run.kill()
        sys.exit(f"signal {number} did not end it")
    assert ended == -number, ended
    assert os.listdir(folder) == [], os.listdir(folder)
