"""Times functions without a product (element_cases.py) on a GPU, next to a copy of as many bytes and
to PyTorch's own.

  elements.py write HEDDLE FOLDER [TARGET]   compiles them
  elements.py measure FOLDER… [--json FILE]  times them; several folders are variants
  elements.py table FILE                     prints what was measured, as Markdown
"""
import ctypes
import json
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from driver import Driver, launches  # noqa: E402
from element_cases import cases  # noqa: E402

SKIPPED = 77


def write(heddle, folder, target="sm_90a"):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases():
        source = folder / (case.name + ".mlir")
        source.write_text(case.text())
        for emitted, ending in (("plan", "json"), ("asm", "ptx")):
            command = [heddle, "compile", str(source), "--target", target, "--emit", emitted]
            if emitted == "plan":
                command += ["--format", "json"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                print(f"{case.name}: {done.stderr.strip()}")
                break
            (folder / f"{case.name}.{ending}").write_text(done.stdout)


class Memory:
    """Memory of PyTorch's, which lives as long as this."""

    def __init__(self, torch):
        self.torch, self.kept = torch, []

    def zeros(self, count):
        self.kept.append(self.torch.zeros(count, dtype=self.torch.uint8, device="cuda"))
        return self.kept[-1].data_ptr()

    def holding(self, content):
        host = self.torch.frombuffer(bytearray(content), dtype=self.torch.uint8)
        self.kept.append(host.cuda())
        return self.kept[-1].data_ptr()


class Kernels:
    """The kernels of one function, with their operands."""

    def __init__(self, torch, driver, folder, case, inputs, results):
        plan = json.loads((folder / (case.name + ".json")).read_text())
        ptx = (folder / (case.name + ".ptx")).read_text()
        self.torch, self.kept = torch, [inputs, results, Memory(torch)]
        self.calls = launches(driver, self.kept[-1], plan, ptx, [each.data_ptr() for each in inputs],
                              [each.data_ptr() for each in results])

    def __call__(self):
        stream = ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)
        for call in self.calls:
            call(stream)


def seconds(torch, call, repeats):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(repeats):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1000 / repeats


def difference(torch, found, wanted, tolerance):
    if tolerance == 0:
        return "right" if torch.equal(found, wanted.to(found.dtype)) else "WRONG"
    error = ((found.float() - wanted.float()).abs() / (1 + wanted.float().abs())).max().item()
    return "right" if error <= tolerance else f"WRONG by {error:.3g}"


def measure_case(torch, driver, folders, case, rounds, repeats):
    types = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "i8": torch.int8,
             "i64": torch.int64}

    def operand(sizes, element):
        if element in ("i8", "i64"):
            return torch.randint(-100, 100, sizes, dtype=types[element], device="cuda")
        return torch.randn(sizes, dtype=types[element], device="cuda")

    inputs = [operand(*each) for each in case.inputs]
    results = [torch.empty(sizes, dtype=types[element], device="cuda")
               for sizes, element in case.results]
    contestants, verdicts = {}, {}
    for folder in folders:
        if not (folder / (case.name + ".ptx")).exists():
            continue
        kernels = Kernels(torch, driver, folder, case, inputs, results)
        for result in results:
            result.fill_(77)
        kernels()
        wanted = case.torch_call(torch, *inputs)
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        verdicts[folder.name] = " ".join(sorted({
            difference(torch, *each, case.tolerance) for each in zip(results, wanted)}))
        contestants[folder.name] = kernels
        del wanted
    half = case.moved() // 2
    source = torch.empty(half, dtype=torch.uint8, device="cuda")
    target = torch.empty(half, dtype=torch.uint8, device="cuda")
    contestants["copy"] = lambda: target.copy_(source)
    contestants["torch"] = lambda: case.torch_call(torch, *inputs)
    times = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, call in contestants.items():
            call()
            times[name].append(seconds(torch, call, repeats))
    return {"case": case.name, "bytes": case.moved(), "verdicts": verdicts,
            "seconds": {name: statistics.median(each) for name, each in times.items()}}


def table(record):
    print(f"{record['device']}, driver {record['driver']}, torch {record['torch']}, {record['date']}.\n")
    print("| function | moved MiB | us | TB/s | of a copy | to PyTorch | result |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for one in record["cases"]:
        for name, verdict in one["verdicts"].items():
            own = one["seconds"][name]
            said = one["case"] if len(one["verdicts"]) == 1 else f"{one['case']} ({name})"
            print(f"| {said} | {one['bytes'] / 2**20:.0f} | {own * 1e6:.1f} | "
                  f"{one['bytes'] / own / 1e12:.2f} | {one['seconds']['copy'] / own:.3f} | "
                  f"{one['seconds']['torch'] / own:.2f} | {verdict} |")


def measure(folders, file):
    try:
        import torch  # pylint: disable=import-outside-toplevel
        if not torch.cuda.is_available():
            raise ImportError("no GPU")
    except ImportError as error:
        print(f"elements.py: {error}: nothing was timed", file=sys.stderr)
        return SKIPPED
    import datetime  # pylint: disable=import-outside-toplevel
    torch.empty(1, device="cuda")
    driver = Driver()
    number = ctypes.c_int()
    driver.call("cuDriverGetVersion", ctypes.byref(number))
    said = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                          capture_output=True, text=True, check=False).stdout.strip()
    record = {"device": torch.cuda.get_device_name(), "driver": said.split("\n")[0],
              "torch": torch.__version__, "date": str(datetime.date.today()), "cases": []}
    for case in cases():
        try:
            record["cases"].append(measure_case(torch, driver, folders, case, 5, 10))
            print(json.dumps(record["cases"][-1]), file=sys.stderr, flush=True)
        except RuntimeError as error:
            print(f"{case.name}: {error}", flush=True)
        torch.cuda.empty_cache()
    if file:
        pathlib.Path(file).write_text(json.dumps(record, indent=1) + "\n")
    table(record)
    return 0


def main(arguments):
    if arguments[:1] == ["write"]:
        return write(*arguments[1:])
    if arguments[:1] == ["table"]:
        return table(json.loads(pathlib.Path(arguments[1]).read_text()))
    if arguments[:1] != ["measure"]:
        sys.exit(__doc__)
    rest = arguments[1:]
    file = None
    if "--json" in rest:
        at = rest.index("--json")
        file = rest[at + 1]
        del rest[at:at + 2]
    return measure([pathlib.Path(folder) for folder in rest], file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
