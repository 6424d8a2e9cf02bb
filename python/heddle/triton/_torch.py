"""Programs that name the device "cuda": their tensors are on the CPU, and torch.cuda answers for the target."""

from __future__ import annotations

# torch is imported, which need not be there when types are checked.
# mypy: disable-error-code="import,misc"

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

from ._interface import Event, Stream
from ._session import Session, active, is_active

_mode: Any = None
_replaced: dict[str, Any] = {}


def _on_cpu(device: Any) -> Any:
    is_number = isinstance(device, int)  # of the current accelerator, as Triton's driver gives it
    return "cpu" if is_number or str(device).split(":")[0] == "cuda" else device


def _mode_of(torch: Any) -> Any:
    from torch.overrides import TorchFunctionMode

    class CudaIsTheProcessor(TorchFunctionMode):
        """Every function of torch gets "cpu" for "cuda"."""

        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if function is torch.Tensor.cuda:
                return args[0]
            kwargs = dict(kwargs or {})
            if "device" in kwargs:
                kwargs["device"] = _on_cpu(kwargs["device"])
            if kwargs.get("pin_memory"):
                kwargs["pin_memory"] = False  # without a GPU there is nothing that memory is pinned for
            kinds = (str, torch.device)
            return function(*(_on_cpu(each) if isinstance(each, kinds) else each for each in args), **kwargs)

    return CudaIsTheProcessor()


def _session() -> Session:
    """The session. A program may ask torch before it asks Triton, which activates what the environment says."""
    if not is_active():
        from triton.runtime.driver import driver

        _ = driver.active
    return active()


def _properties(device: Any = None) -> Any:
    session = _session()
    return SimpleNamespace(
        name=f"heddle {session.target.name}",
        multi_processor_count=session.multiprocessors,
        shared_memory_per_block_optin=session.target.shared_bytes,
        warp_size=session.target.wave,
        gcnArchName=session.target.name,
        major=session.target.capability[0],
        minor=session.target.capability[1],
    )


def cuda_is_the_processor() -> None:
    """From now on "cuda" is the CPU, until `cuda_is_cuda`. Raises ImportError without torch."""
    global _mode
    if _mode is not None:
        return
    import torch

    answers = {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "device": lambda device=None: nullcontext(),
        "synchronize": lambda device=None: None,
        "get_device_capability": lambda device=None: _session().target.capability,
        "get_device_name": lambda device=None: _properties().name,
        "get_device_properties": _properties,
        "current_stream": lambda device=None: Stream(),
        "empty_cache": lambda: None,
        "Event": Event,
        "Stream": Stream,
    }
    for name, answer in answers.items():
        _replaced[name] = getattr(torch.cuda, name)
        setattr(torch.cuda, name, answer)
    _mode = _mode_of(torch)
    _mode.__enter__()


def cuda_is_cuda() -> None:
    """Takes it back."""
    global _mode
    if _mode is None:
        return
    import torch

    _mode.__exit__(None, None, None)
    _mode = None
    for name, answer in _replaced.items():
        setattr(torch.cuda, name, answer)
    _replaced.clear()
