"""What the kernels of a function move, beside the least: every argument and constant read once, every
result written once.

  sequence_bytes.py HEDDLE FILE FUNCTION… [--target TARGET]

Runs each function, so that every kernel is judged, and prints a table of them. `of the plan` are the bytes
of the arrays that a kernel reads and writes, each once; `by lanes` are those that its lanes asked for, before
any cache, as the emulator counted them.
"""
import json
import subprocess
import sys


def answer(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def one_function(heddle, file, function, target):
    chosen = [file, "--function", function, "--target", target]
    plan = answer([heddle, "compile", *chosen, "--emit", "plan", "--format", "json"])
    run = answer([heddle, "run", *chosen, "--report", "json"])
    if not run["right"]:
        sys.exit(f"{function} on {target} is wrong")
    buffers = plan["buffers"]
    inputs = [each["bytes"] for each in buffers if each["kind"] in ("argument", "constant")]
    outputs = [each["bytes"] for each in buffers
               if each["kind"] == "result" or (each["kind"] == "argument" and each["written"])]
    between = [each["bytes"] for each in buffers if each["kind"] == "intermediate"]
    print(f"\n### @{function} on {target}: {len(plan['kernels'])} kernels, all right\n")
    print("| kernel | writes | of the plan: read | written | by lanes: read | written |")
    print("| --- | --- | --- | --- | --- | --- |")
    total = [0, 0, 0, 0]
    for kernel, done in zip(plan["kernels"], run["kernels"]):
        arrays = [(buffers[number], buffer["written"]) for number, buffer in
                  zip(kernel["buffers"], kernel["launch"]["buffers"])]
        numbers = [sum(array["bytes"] for array, written in arrays if written == is_written)
                   for is_written in (False, True)]
        numbers += [done["emulated"]["bytes_read"], done["emulated"]["bytes_written"]]
        total = [a + b for a, b in zip(total, numbers)]
        names = ", ".join(array["name"] for array, written in arrays if written)
        print(f"| {kernel['launch']['kernel']} | {names} | {' | '.join(map(str, numbers))} |")
    print(f"| all | | {' | '.join(map(str, total))} |")
    least = sum(inputs) + sum(outputs)
    moved = total[0] + total[1]
    print(f"\nThe least is {least} bytes: {sum(inputs)} read and {sum(outputs)} written. By the plan the kernels move "
          f"{moved}, {moved / least:.2f} times as many; {len(between)} arrays of {sum(between)} bytes lie between them.")


def main(arguments):
    target = "sm_90a"
    if "--target" in arguments:
        at = arguments.index("--target")
        target = arguments[at + 1]
        del arguments[at:at + 2]
    if len(arguments) < 3:
        sys.exit(__doc__)
    for function in arguments[2:]:
        one_function(*arguments[:2], function, target)


if __name__ == "__main__":
    main(sys.argv[1:])
