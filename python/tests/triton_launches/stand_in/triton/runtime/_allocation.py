from contextvars import ContextVar


class NullAllocator:
    def __call__(self, size, alignment, stream):
        raise RuntimeError("Kernel requires a runtime memory allocation, but no allocator was set.")


class _AllocatorWrapper:
    def __init__(self, allocator):
        self._allocator = allocator

    def get(self):
        return self._allocator

    def set(self, allocator):
        self._allocator = allocator


_allocator = ContextVar("_allocator", default=NullAllocator())
_profile_allocator = _AllocatorWrapper(NullAllocator())


def set_allocator(allocator):
    _allocator.set(allocator)


def set_profile_allocator(allocator):
    _profile_allocator.set(allocator)
