"""`heddle.Device` by the program heddle, one process a launch: for a build without the run library."""

from __future__ import annotations

import ctypes
import functools
import json
import pathlib
import re
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any, Optional, Union

from .._core import Error
from .._launch import _program

Range = tuple[int, Union[int, bytes], str, bool]


class Run:
    def __init__(self, report: dict[str, Any]) -> None:
        self.report = report
        self.finished = report["finished"]
        self.findings = report["findings"]
        self.printed = report.get("printed") or ""
        self.counts = report.get("emulated") or {}


class Kernel:
    def __init__(self, module: Module, name: str) -> None:
        self.module, self.name = module, name

    @functools.cached_property
    def parameters(self) -> list[tuple[int, int]]:
        data = self.module.data
        if isinstance(data, str):
            found = re.search(r"\.entry\s+" + re.escape(self.name) + r"\s*\((.*?)\)", data, re.S)
            result, at = [], 0
            for line in (found[1] if found else "").split(","):
                word = re.search(r"\.param(?:\s+\.align\s+(\d+))?\s+\.[busf](\d+)\s.*?(?:\[(\d+)\])?\s*$", line.strip())
                if not word:
                    continue
                size = int(word[2]) // 8 * int(word[3] or 1)
                # .ptr .align describes what is pointed to; .align before the type the parameter
                align = int(word[1] or int(word[2]) // 8)
                at = -(-at // align) * align
                result.append((at, size))
                at += size
            return result
        notes = data
        start = notes.find(b".args")
        result = []
        for entry in re.finditer(rb"\xa7\.offset(\xcc.|\xcd..|.)\xa5\.size(\xcc.|\xcd..|.)\xab\.value_kind.([a-z_]+)", notes[start:], re.S):
            if not entry[3].startswith(b"hidden"):
                result.append((int.from_bytes(entry[1][-2:] if entry[1][0] == 0xCD else entry[1][-1:], "big"), int.from_bytes(entry[2][-1:], "big")))
        return result

    def launch(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: bytes,
        memory: Sequence[Range],
        shared: int = 0,
        cluster: Sequence[int] = (0, 0, 0),
        cooperative: bool = False,
        check: Optional[bool] = None,
        raise_on_fault: bool = False,
    ) -> Run:
        device = self.module.device
        with tempfile.TemporaryDirectory(prefix="heddle-") as place:
            folder = pathlib.Path(place)
            is_text = isinstance(self.module.data, str)
            kernel = folder / ("kernel.ptx" if is_text else "kernel.hsaco")
            kernel.write_bytes(self.module.data.encode() if is_text else self.module.data)
            lines = [f"kernel {self.name}", "grid " + " ".join(map(str, grid)), "block " + " ".join(map(str, block))]
            lines.append(f"lds {shared}")
            names = []
            for index, (address, size, name, _) in enumerate(memory):
                word = re.sub(r"\W", "_", name) + f"_{index}"
                names.append(word)
                (folder / f"{word}.bin").write_bytes(ctypes.string_at(address, size))
                lines.append(f"{word} = u8[{size}] file {word}.bin")
            words = []
            for number, (offset, size) in enumerate(self.parameters):
                value = int.from_bytes(arguments[offset : offset + size], "little")
                for (address, bytes_, _, _), word in zip(memory, names):
                    if size == 8 and address <= value < address + bytes_:
                        at = value - address
                        if at:
                            lines.append(f"w{number} = u8[{bytes_ - at}] inside {word} at {at}")
                            word = f"w{number}"
                        words.append(word)
                        break
                else:
                    lines.append(f"n{number} = u{8 * size} {value}")
                    words.append(f"n{number}")
            lines.append("arguments " + " ".join(words))
            launch = folder / "kernel.launch"
            launch.write_text("\n".join(lines) + "\n")
            command = [_program(), "run", str(kernel), str(launch), "--target", device.target, "--report", "json"]
            command += ["--check"] * bool(device.check if check is None else check)
            command += [f"--dump={word}={folder / word}.npy" for word in names]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            try:
                report = json.loads(done.stdout)
            except ValueError:
                raise Error(done.stderr or f"ended with {done.returncode}") from None
            if "error" in report:
                raise Error(str(report["error"]))
            for (address, size, _, writable), word in zip(memory, names):
                result = folder / f"{word}.npy"
                if writable and result.exists():
                    data = result.read_bytes()[-size:]
                    ctypes.memmove(address, data, size)
        return Run(report)


class Module:
    def __init__(self, device: Device, data: Union[bytes, str]) -> None:
        self.device, self.data = device, data

    def __getitem__(self, name: str) -> Kernel:
        return Kernel(self, name)


class Device:
    def __init__(self, target: str, check: bool = False, threads: int = 0) -> None:
        self.target, self.check = target, check
        self.wave = 64 if target.startswith("gfx9") else 32

    def load(self, data: Union[bytes, str]) -> Module:
        return Module(self, data)
