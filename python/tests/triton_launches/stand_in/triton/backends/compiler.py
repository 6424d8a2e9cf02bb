from abc import ABCMeta, abstractmethod
from dataclasses import dataclass


@dataclass(frozen=True)
class GPUTarget:
    backend: str
    arch: object
    warp_size: int


class BaseBackend(metaclass=ABCMeta):
    def __init__(self, target):
        self.target = target

    @staticmethod
    @abstractmethod
    def supports_target(target):
        pass

    @abstractmethod
    def hash(self):
        pass

    @abstractmethod
    def parse_options(self, options):
        pass

    @abstractmethod
    def add_stages(self, stages, options):
        pass

    @abstractmethod
    def load_dialects(self, context):
        pass

    @abstractmethod
    def get_module_map(self):
        pass
