"""The environment variable HEDDLE_TRITON: a target, and words behind it.

    HEDDLE_TRITON=gfx942,check,warn,report=run.html python3 program.py
"""

from __future__ import annotations

import atexit
import os
from typing import Any

from .._core import Error
from ._session import policies

#: Its name.
variable = "HEDDLE_TRITON"


def arguments_of(text: str) -> tuple[dict[str, Any], str]:
    """The arguments of `activate` that the text says, and the file of the report. Raises Error for other words.

    >>> arguments_of("gfx942,check,threads=2,report=a.html")
    ({'target': 'gfx942', 'check': True, 'threads': 2}, 'a.html')
    """
    target, *words = (each.strip() for each in text.split(","))
    found: dict[str, Any] = {"target": target}
    report = ""
    for word in words:
        name, _, value = word.partition("=")
        if word in ("check", "cuda", "inductor"):
            found[word] = True
        elif word in policies:
            found["findings"] = word
        elif name in ("threads", "multiprocessors") and value.isdecimal():
            found[name] = int(value)
        elif name == "report" and value:
            report = value
        elif word:
            raise Error(
                f"{variable} has the word '{word}'; behind the target may stand check, cuda, inductor, {', '.join(policies)}, "
                "threads=N, multiprocessors=N and report=FILE"
            )
    return found, report


def prepare() -> None:
    """What has to happen before Triton asks for a device: a program makes its tensors first."""
    if arguments_of(os.environ.get(variable, ""))[0].get("cuda"):
        from ._torch import cuda_is_the_processor

        cuda_is_the_processor()


def activate_by_environment() -> None:
    """Does what the variable says. Raises as `activate`."""
    import heddle.triton

    found, path = arguments_of(os.environ.get(variable, ""))
    heddle.triton.activate(**found)
    if path:
        atexit.register(lambda: heddle.triton.report().write(path))
