"""Runs `heddle compile` within limits of memory from too little to enough: each run answers, or is
refused with a sentence and status 2."""
import resource
import subprocess
import sys

program, source = sys.argv[1:]
MIB = 1 << 20
endings = set()
limits = [(resource.RLIMIT_DATA, size) for size in (8, 24, 48, 56, 64, 80, 112, 512)]
limits += [(resource.RLIMIT_AS, size) for size in (64, 256, 320, 352, 384, 400, 416, 448, 2048)]
for which, size in limits:

    def limit():
        resource.setrlimit(which, (size * MIB, size * MIB))

    run = subprocess.run([program, "compile", source, "--emit", "asm", "-o", "/dev/null"],
                         preexec_fn=limit, stdin=subprocess.DEVNULL, capture_output=True)
    if run.returncode == 0:
        endings.add("answered")
    elif run.returncode == 2 and run.stderr.strip():
        endings.add("refused")
    elif run.returncode == 127 and b"cannot allocate memory for thread-local data" in run.stderr:
        endings.add("refused")  # by the system's loader, which ends the process with its own sentence
    else:
        sys.exit(f"{size} MiB of {which}: status {run.returncode}, said {run.stderr!r}")
if endings != {"answered", "refused"}:
    sys.exit(f"only {endings}")
print("refused and answered, and nothing else")
