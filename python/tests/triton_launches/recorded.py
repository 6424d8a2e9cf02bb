"""The file of recorded kernels: a line of JSON, and behind it their code, all packed together."""

from __future__ import annotations

import json
import lzma
import pathlib
import re
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

# The fields of Triton's metadata that launches need.
_fields = (
    "name",
    "num_warps",
    "num_ctas",
    "shared",
    "warp_size",
    "launch_cooperative_grid",
    "global_scratch_size",
    "global_scratch_align",
    "profile_scratch_size",
    "profile_scratch_align",
    "tensordesc_meta",
)

DATA = pathlib.Path(__file__).resolve().parents[3] / "tests" / "data" / "triton_recorded.xz"


@dataclass
class Entry:
    """One recorded launch."""

    case: str
    target: str
    signature: dict[str, Any]
    metadata: dict[str, Any]
    grid: tuple[int, ...]
    code: bytes

    @property
    def source(self) -> Any:
        """What Triton's `src` is."""
        return SimpleNamespace(signature=self.signature, name=self.metadata["name"], fn=None)

    @property
    def packed(self) -> Any:
        return SimpleNamespace(**self.metadata, hash=f"{self.case}-{self.target}")


def entry_of(case: str, target: str, launcher: Any, compiled: Any) -> Entry:
    is_text = "ptx" in compiled.asm
    code = compiled.asm["ptx"].encode() if is_text else compiled.asm["hsaco"]
    metadata = {each: getattr(compiled.metadata, each) for each in _fields if hasattr(compiled.metadata, each)}
    return Entry(case, target, launcher.signature, metadata, launcher.grid, _shortened(code, is_text))


def _shortened(code: bytes, is_text: bool) -> bytes:
    """PTX without its debugging sections, whose lines stay in .loc."""
    if not is_text:
        return code
    text = re.sub(r"\n\t\.section\t\.debug.*", "\n", code.decode(), flags=re.S)
    return text.encode()


def _listed(value: Any) -> Any:
    """Tuples of JSON's lists, as signatures have them."""
    return tuple(map(_listed, value)) if isinstance(value, list) else value


def write(path: str, entries: list[Entry]) -> None:
    blobs: dict[bytes, int] = {}
    rows = []
    for each in sorted(entries, key=lambda each: (each.target, each.case)):
        number = blobs.setdefault(each.code, len(blobs))
        rows.append([each.case, each.target, each.signature, each.metadata, each.grid, number])
    head = json.dumps({"rows": rows, "sizes": [len(each) for each in blobs]}, default=str)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 64 << 20}]
    data = lzma.compress(head.encode() + b"\n" + b"".join(blobs), format=lzma.FORMAT_XZ, filters=filters)
    pathlib.Path(path).write_bytes(data)


def read(path: pathlib.Path = DATA) -> list[Entry]:
    head, _, rest = lzma.decompress(path.read_bytes()).partition(b"\n")
    data = json.loads(head)
    blobs, at = [], 0
    for size in data["sizes"]:
        blobs.append(rest[at : at + size])
        at += size
    return [
        Entry(case, target, {name: _listed(each) for name, each in signature.items()}, metadata, tuple(grid), blobs[code])
        for case, target, signature, metadata, grid, code in data["rows"]
    ]
