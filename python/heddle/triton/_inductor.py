"""PyTorch's inductor: `torch.compile` of functions on the CPU makes kernels of Triton, which run on the target.

Inductor has a backend of Triton for its device "cpu", meant for a Triton that compiles for processors. Here it is
told the active target's properties in place of the processor's.
"""

# torch and Triton are imported, which need not be there when types are checked.
# mypy: disable-error-code="import,misc"
from __future__ import annotations

from typing import Any

from ._interface import DeviceInterface
from ._session import active
from ._timing import measure

_replaced: list[tuple[Any, str, Any]] = []
_names = ("cpu", "heddle")  # of backends of Triton, which inductor looks for


class _Interface(DeviceInterface):
    """What inductor asks of the module of a device."""

    @staticmethod
    def get_raw_stream(device: Any = None) -> int:
        return 0

    @staticmethod
    def exchange_device(device: Any) -> int:
        return 0

    maybe_exchange_device = exchange_device


def _properties(device: Any) -> Any:
    from torch._inductor.runtime.hints import DeviceProperties

    session = active()
    target = session.target
    return DeviceProperties(
        type="hip" if target.is_amd else "cuda",
        index=0,
        multi_processor_count=session.multiprocessors,
        cc=target.arch,
        major=target.capability[0],
        regs_per_multiprocessor=65536,
        max_threads_per_multi_processor=2048,
        max_threads_per_block=1024,
        warp_size=target.wave,
    )


def _bench(self: Any, launcher: Any, *arguments: Any, with_profiler: bool = False, **named: Any) -> float:
    """In place of seconds what a launch costs, as for triton.autotune."""

    def call() -> None:
        copies, named_copies = self.maybe_clone_args({}, *arguments, **named)
        self.reset_to_zero_args(*arguments, **named)
        launcher(*copies, **named_copies, stream=0)

    return measure(call)[0]


def _replace(owner: Any, name: str, value: Any) -> None:
    _replaced.append((owner, name, owner.__dict__[name] if isinstance(owner, type) else getattr(owner, name)))
    setattr(owner, name, value)


def inductor_makes_triton() -> None:
    """From now on, until `inductor_makes_cpp`. Raises ImportError without torch."""
    if _replaced:
        return
    import torch._inductor.config as config
    from torch._inductor.runtime import hints, triton_heuristics
    from torch.utils import _triton
    from triton.backends import Backend, backends

    from ._driver import HeddleDriver
    from .backend.compiler import NoCompiler

    for name in _names:
        backends.setdefault(name, Backend(NoCompiler, HeddleDriver))
    for each in (_triton.has_triton, _triton.triton_backend, _triton.triton_hash_with_backend):
        each.cache_clear()
    _replace(config, "cpu_backend", "triton")
    for name in ("use_static_triton_launcher", "use_static_cuda_launcher"):  # which launches by CUDA's driver
        if hasattr(config, name):
            _replace(config, name, False)
    _replace(config, "compile_threads", 1)  # other processes know nothing of the target
    _replace(hints.DeviceProperties, "create", staticmethod(_properties))
    _replace(triton_heuristics, "cc_warp_size", lambda cc: active().target.wave)
    _replace(triton_heuristics.CachingAutotuner, "get_device_interface", lambda self: _Interface)
    _replace(triton_heuristics.CachingAutotuner, "bench", _bench)


def inductor_makes_cpp() -> None:
    """Takes it back."""
    if not _replaced:
        return
    from triton.backends import backends

    while _replaced:
        owner, name, value = _replaced.pop()
        setattr(owner, name, value)
    for name in _names:
        backends.pop(name, None)
