"""libheddle_run.so, the library of include/heddle/run.h, by ctypes."""

from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Any, Optional

from ._core import Error, version

__all__ = ["Launch", "Memory", "Parameter", "TensorMap", "library", "refusal"]

WRITABLE, NOT_INITIALISED = 1, 2
CHECK, COOPERATIVE, PROFILE_ALL = 1, 2, 4


class Parameter(ctypes.Structure):
    """heddle_parameter."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_char_p),
        ("offset", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
    ]


class Memory(ctypes.Structure):
    """heddle_memory."""

    _fields_ = [
        ("address", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("flags", ctypes.c_uint32),
    ]


class Launch(ctypes.Structure):
    """heddle_launch."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("cluster", ctypes.c_uint32 * 3),
        ("shared_bytes", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("threads", ctypes.c_uint32),
        ("arguments", ctypes.c_char_p),
        ("argument_bytes", ctypes.c_size_t),
        ("memory", ctypes.POINTER(Memory)),
        ("memory_count", ctypes.c_size_t),
        ("most_instructions_of_workgroup", ctypes.c_uint64),
        ("most_instructions", ctypes.c_uint64),
        ("most_memory_bytes", ctypes.c_uint64),
        ("most_bulk_bytes", ctypes.c_uint64),
        ("most_pending", ctypes.c_uint64),
    ]


class TensorMap(ctypes.Structure):
    """heddle_tensor_map."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("address", ctypes.c_void_p),
        ("type", ctypes.c_uint32),
        ("dimensions", ctypes.c_uint32),
        ("sizes", ctypes.c_uint64 * 5),
        ("strides", ctypes.c_uint64 * 4),
        ("box", ctypes.c_uint32 * 5),
        ("element_strides", ctypes.c_uint32 * 5),
        ("interleave", ctypes.c_uint32),
        ("swizzle", ctypes.c_uint32),
        ("fill", ctypes.c_uint32),
    ]


_handle, _text, _size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
# Of each function what it returns and takes.
_functions: dict[str, tuple[Any, list[Any]]] = {
    "heddle_version": (_text, []),
    "heddle_error": (_text, []),
    "heddle_open": (_handle, [_text]),
    "heddle_wave": (ctypes.c_uint32, [_handle]),
    "heddle_close": (None, [_handle]),
    "heddle_load": (_handle, [_handle, _text, _size, _text]),
    "heddle_unload": (None, [_handle]),
    "heddle_kernel_count": (_size, [_handle]),
    "heddle_kernel_at": (_handle, [_handle, _size]),
    "heddle_kernel_name": (_text, [_handle]),
    "heddle_parameter_count": (_size, [_handle]),
    "heddle_parameter_at": (ctypes.c_int, [_handle, _size, ctypes.POINTER(Parameter)]),
    "heddle_encode_tensor_map": (ctypes.c_int, [ctypes.POINTER(TensorMap), ctypes.c_char_p]),
    "heddle_run_kernel": (_handle, [_handle, ctypes.POINTER(Launch)]),
    "heddle_run_finished": (ctypes.c_int, [_handle]),
    "heddle_finding_count": (_size, [_handle]),
    "heddle_run_printed": (_text, [_handle]),
    "heddle_run_json": (_text, [_handle]),
    "heddle_free_run": (None, [_handle]),
}
_name = "libheddle_run.so"
_loaded: Optional[ctypes.CDLL] = None


def _places() -> list[pathlib.Path]:
    """Where the library may be: where the user says, in the wheel, and with the program."""
    here = pathlib.Path(__file__).resolve().parent
    places = [here / _name, here.parent.parent / "lib" / _name]
    if program := os.environ.get("HEDDLE_PROGRAM"):
        places.append(pathlib.Path(program).resolve().parent.parent / "lib" / _name)
    if given := os.environ.get("HEDDLE_LIBRARY"):
        return [pathlib.Path(given)]
    return places


def library() -> Any:
    """The library, loaded once. Raises Error where it is not there."""
    global _loaded
    if _loaded is None:
        place = next((each for each in _places() if each.is_file()), None)
        if place is None:
            raise Error(
                f"{_name} is not there, which runs kernels: a wheel that was built without LLVM has none; "
                "build it by ./dev python, or put its path into HEDDLE_LIBRARY"
            )
        try:
            loaded = ctypes.CDLL(str(place))
        except OSError as reason:
            raise Error(f"{place} cannot be loaded: {reason}") from None
        for name, (result, arguments) in _functions.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
        found = loaded.heddle_version().decode()
        if found != version:
            raise Error(f"{place} is of version {found}, and this package of {version}")
        _loaded = loaded
    return _loaded


def refusal() -> Error:
    """The library's last error as an exception."""
    return Error(library().heddle_error().decode(errors="replace"))
