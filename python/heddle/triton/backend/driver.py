"""The driver that Triton finds where HEDDLE_TRITON is set."""

from __future__ import annotations

import importlib
import inspect
import os

from .. import _driver, _environment


class EnvironmentDriver(_driver.HeddleDriver):
    """Activates what the environment variable says as soon as Triton asks for a device."""

    @classmethod
    def is_active(cls) -> bool:
        return bool(os.environ.get(_environment.variable))

    def __init__(self) -> None:
        super().__init__()
        _environment.activate_by_environment()


def _leave_gpus_alone() -> None:
    """Triton wants one active driver: where this one is, a GPU of the machine is none."""
    for name in ("amd", "nvidia"):
        try:
            module = importlib.import_module(f"triton.backends.{name}.driver")
        except ImportError:
            continue
        for each in vars(module).values():
            if inspect.isclass(each) and "is_active" in vars(each) and each.__module__ == module.__name__:
                each.is_active = staticmethod(lambda: False)


if EnvironmentDriver.is_active():
    _leave_gpus_alone()
    _environment.prepare()
