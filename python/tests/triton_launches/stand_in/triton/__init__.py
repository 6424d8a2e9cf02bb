"""A stand-in for Triton where there is none: what heddle.triton uses of it, and no compiler.

tests/test_triton_interface.py compares it with the real one where that is installed.
"""

from . import backends, runtime, testing
from .runtime._allocation import set_allocator

__all__ = ["backends", "runtime", "set_allocator", "testing"]
