"""The device interface of torch.cuda, as far as Triton's driver and its benchmarks use it."""

from __future__ import annotations

import contextlib
from typing import Any

from ._session import active


class Event:
    """A mark in a stream. No time passes between marks that would mean anything."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def record(self, *_: Any) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Event) -> float:
        """Infinity: nothing is timed, and a program that divides by it goes on."""
        return float("inf")


class Stream:
    """The one stream: launches are done when they return."""

    cuda_stream = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def wait_stream(self, other: Any) -> None:
        pass


class DeviceInterface:
    """In place of the module torch.cuda."""

    Event = Event
    Stream = Stream

    @staticmethod
    def is_available() -> bool:
        return True

    @staticmethod
    def device_count() -> int:
        return 1

    @staticmethod
    def current_device() -> int:
        return active().number

    @staticmethod
    def set_device(device: Any) -> None:
        pass

    @staticmethod
    def synchronize(device: Any = None) -> None:
        pass

    @staticmethod
    def current_stream(device: Any = None) -> Any:
        return Stream()

    @staticmethod
    def get_device_capability(device: Any = None) -> tuple[int, int]:
        return active().target.capability

    @staticmethod
    def stream(stream: Any) -> Any:
        return contextlib.nullcontext()

    @staticmethod
    def device(device: Any) -> Any:
        return contextlib.nullcontext()
