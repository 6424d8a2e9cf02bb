from dataclasses import dataclass

from .compiler import BaseBackend
from .driver import DriverBase


@dataclass(frozen=True)
class Backend:
    compiler: type
    driver: type


class CUDABackend(BaseBackend):
    """As the one of triton.backends.nvidia, which needs ptxas."""

    @staticmethod
    def supports_target(target):
        return target.backend == "cuda"

    def hash(self):
        raise RuntimeError("Cannot find ptxas")

    def parse_options(self, opts):
        return dict(opts)

    def add_stages(self, stages, options, language=None):
        stages["cubin"] = lambda src, metadata: self.make_cubin(src, metadata, options, 90)

    def load_dialects(self, ctx):
        pass

    def get_module_map(self):
        return {}

    def make_cubin(self, src, metadata, opt, capability):
        raise RuntimeError("Cannot find ptxas")


backends = {"nvidia": Backend(CUDABackend, DriverBase)}
