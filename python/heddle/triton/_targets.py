"""The processors that Triton's kernels can be compiled for and run as."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Union

from .._core import Error
from .._instruction import processor_of

# Bytes of shared memory that one workgroup may have: the rows of include/heddle/instruction/target.h.
_shared_bytes = {
    "gfx90a": 64 << 10,
    "gfx942": 64 << 10,
    "gfx950": 160 << 10,
    "gfx11": 64 << 10,
    "gfx12": 64 << 10,
    "gfx1250": 320 << 10,
    "gfx1251": 320 << 10,
    "sm_80": 163 << 10,
    "sm_86": 99 << 10,
    "sm_87": 163 << 10,
    "sm_88": 99 << 10,
    "sm_89": 99 << 10,
    "sm_90": 227 << 10,
    "sm_100": 227 << 10,
    "sm_101": 227 << 10,
    "sm_103": 227 << 10,
    "sm_110": 227 << 10,
    "sm_120": 99 << 10,
    "sm_121": 99 << 10,
}


@dataclass(frozen=True)
class Target:
    """A processor, as Triton and Heddle name it."""

    name: str  #: Heddle's name: gfx942, sm_90a
    backend: str  #: Triton's: hip or cuda
    arch: Union[str, int]  #: Triton's: gfx942, 90
    wave: int  #: threads of a warp
    shared_bytes: int  #: that one workgroup may have

    @property
    def is_amd(self) -> bool:
        return self.backend == "hip"

    @property
    def capability(self) -> tuple[int, int]:
        """Of NVIDIA's the compute capability; of AMD's what PyTorch gives: the digits of its name."""
        digits = str(self.arch).replace("gfx", "")
        if self.is_amd:
            return (int(digits[:-2]), int(digits[-2], 16))
        return (int(digits[:-1]), int(digits[-1]))


def target_of(name: str) -> Target:
    """The target of a processor's name, or of a product's (MI300X, H100). Raises Error for another word.

    >>> target_of("gfx942").wave, target_of("sm_90a").arch
    (64, 90)
    """
    processor = processor_of(name)
    family = re.match(r"(gfx125[01]|gfx1[12]|gfx\w+|sm_\d+)", processor)
    shared = _shared_bytes.get(family[1]) if family else None
    if shared is None:
        raise Error(
            f"no target '{name}' for kernels of Triton: take one of gfx90a, gfx942, gfx950, gfx11xx, gfx12xx, "
            "gfx1250, or sm_80 to sm_121a"
        )
    if processor.startswith("gfx"):
        wave = 64 if processor.startswith("gfx9") else 32
        return Target(processor, "hip", processor, wave, shared)
    number = int(re.sub(r"\D", "", processor))
    # Triton compiles for the variants with an "a" from Hopper on.
    return Target(f"sm_{number}a" if number >= 90 else f"sm_{number}", "cuda", number, 32, shared)
