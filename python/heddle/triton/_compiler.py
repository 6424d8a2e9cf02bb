"""Triton's compiler for NVIDIA, stopped at PTX: the simulator runs the text, and no ptxas is needed."""

# Triton is imported, which need not be there when types are checked.
# mypy: disable-error-code="import,misc"
from __future__ import annotations

from typing import Any

# The version of PTX that is asked for: CUDA 12.8's. The code generator of Triton 3.4 to 3.6 writes no newer one.
_ptx_version = 87

_replaced: dict[str, Any] = {}


def _without_ptxas(compiler: type) -> type:
    """The compiler of a backend of Triton's, where the binary is the text of PTX."""

    class WithoutPtxas(compiler):
        def parse_options(self, opts: dict[str, Any]) -> Any:
            if opts.get("ptx_version") is None:
                opts = {**opts, "ptx_version": _ptx_version}
            return super().parse_options(opts)

        def make_cubin(self, src: str, *_: Any) -> bytes:
            return src.encode()

        def hash(self) -> str:  # a key of Triton's cache: no program of CUDA's makes these binaries
            return f"heddle-ptx-{_ptx_version}-{self.target.arch}"

    WithoutPtxas.__name__ = WithoutPtxas.__qualname__ = compiler.__name__
    return WithoutPtxas


def replace_compiler() -> None:
    """Makes Triton use it, until `restore_compiler`."""
    from triton.backends import Backend, backends

    for name, backend in list(backends.items()):
        if hasattr(backend.compiler, "make_cubin") and name not in _replaced:
            _replaced[name] = backend
            backends[name] = Backend(_without_ptxas(backend.compiler), backend.driver)


def restore_compiler() -> None:
    from triton.backends import backends

    backends.update(_replaced)
    _replaced.clear()
