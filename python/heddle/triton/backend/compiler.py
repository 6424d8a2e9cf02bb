"""No compiler of its own: Triton's compile for the targets. Triton wants a class here."""

# Triton is imported, which need not be there when types are checked.
# mypy: disable-error-code="import,misc"
from __future__ import annotations

from typing import Any

from triton.backends.compiler import BaseBackend


class NoCompiler(BaseBackend):
    """Takes no target."""

    @staticmethod
    def supports_target(target: Any) -> bool:
        return False

    def hash(self) -> str:
        raise NotImplementedError

    def parse_options(self, options: dict[str, Any]) -> Any:
        raise NotImplementedError

    def add_stages(self, stages: dict[str, Any], options: Any, language: Any = None) -> None:
        raise NotImplementedError

    def load_dialects(self, context: Any) -> None:
        raise NotImplementedError

    def get_module_map(self) -> dict[str, Any]:
        raise NotImplementedError
