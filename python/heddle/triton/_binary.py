"""Registers and spills of a compiled kernel, which Triton shows as `kernel.n_regs` and `kernel.n_spills`."""

from __future__ import annotations

import re


def resources_of(binary: bytes, is_amd: bool) -> tuple[int, int]:
    """Registers of a thread, and how many of them are spilled.

    PTX has no physical registers: of it the answer is an upper bound, the 32-bit registers that it declares, at
    most 255, and no spills.

    >>> resources_of(b".reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .pred %p<7>;", False)
    (58, 0)
    """
    if is_amd:
        return _note(binary, b".vgpr_count"), _note(binary, b".vgpr_spill_count")
    declared = re.findall(rb"\.reg \.[busf](\d+)\s+%\w+<(\d+)>", binary)
    return min(255, sum(int(count) * max(int(bits), 32) // 32 for bits, count in declared)) or 255, 0


def _note(binary: bytes, key: bytes) -> int:
    """The number of a key in the code object's note: MessagePack, as LLVM's AMDGPU usage says."""
    at = binary.find(key)
    if at < 0:
        return 0
    at += len(key)
    first = binary[at]
    if first < 0x80:
        return first
    size = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}.get(first, 0)
    return int.from_bytes(binary[at + 1 : at + 1 + size], "big")
