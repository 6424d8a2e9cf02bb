"""The driver that Triton launches kernels with: heddle.Device in place of a GPU.

Triton's launchers, which this one stands for, are in triton/backends/amd/driver.py and
triton/backends/nvidia/driver.py. This module needs Triton; `heddle.triton.activate` imports it.
"""

# Triton is imported, which need not be there when types are checked.
# mypy: disable-error-code="import,misc"
from __future__ import annotations

import math
import sys
from typing import Any, Callable, Optional

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from ._arguments import Descriptors, Flat, flatten, placed
from ._binary import resources_of
from ._findings import Sources, finding_of, is_finding
from ._interface import DeviceInterface
from ._session import Session, active
from ._statistics import cost_of
from ._timing import measure
from ._types import c_type

__tracebackhide__ = is_finding


class Function:
    """A loaded kernel: what Triton keeps as `kernel.function`."""

    def __init__(self, module: Any, kernel: Any, text: str) -> None:
        self.module, self.kernel = module, kernel
        self.text = text  #: of PTX; else empty


class Utils:
    """What Triton asks of a device."""

    def get_device_properties(self, device: int) -> dict[str, Any]:
        session = active()
        target = session.target
        return {
            "max_shared_mem": target.shared_bytes,
            "max_num_regs": 65536,
            "multiprocessor_count": session.multiprocessors,
            "warpSize": target.wave,
            "warp_size": target.wave,
            "max_threads_per_sm": 2048,
            "sm_clock_rate": 1_000_000,
            "mem_clock_rate": 1_000_000,
            "mem_bus_width": 256,
            "arch": str(target.arch),
        }

    def load_binary(self, name: str, kernel: bytes, shared: int, device: int) -> tuple[Any, ...]:
        """The module, the function, registers and spilled registers of a thread, and threads of a workgroup.

        The last is not for releases of Triton whose compiled kernels do not keep it.
        """
        session = active()
        is_amd = session.target.is_amd
        text = "" if is_amd else bytes(kernel).decode()
        module = session.device.load(bytes(kernel) if is_amd else text)
        registers, spills = resources_of(bytes(kernel), is_amd)
        function = Function(module, module[name], "" if is_amd else text)
        return (module, function, registers, spills, *([1024] if _keeps_threads() else []))

    def unload_module(self, module: Any) -> None:
        pass

    def set_printf_fifo_size(self, size: int) -> None:
        pass


def _keeps_threads() -> bool:
    """Whether Triton's compiled kernels take five values from `load_binary`, and not four."""
    try:
        from triton.compiler.compiler import CompiledKernel
    except ImportError:
        return True
    code = getattr(CompiledKernel._init_handles, "__code__", None)
    return code is None or "n_max_threads" in code.co_names


class Launcher:
    """What Triton makes for a compiled kernel, and calls to launch it."""

    def __init__(self, src: Any, metadata: Any) -> None:
        self.signature = dict(src.signature)
        self.metadata = metadata
        self.function = getattr(src, "fn", None)
        self.sources = Sources(self.function)
        self.name = getattr(src, "name", None) or metadata.name
        # Launchers of Triton up to 3.5 take it from the clusters.
        clusters = math.prod(getattr(metadata, "cluster_dims", None) or (1,))
        self.num_ctas = int(getattr(metadata, "num_ctas", None) or clusters)
        self.key = f"{getattr(metadata, 'hash', '')}-{id(self)}"

    def __call__(
        self,
        grid_x: int,
        grid_y: int,
        grid_z: int,
        stream: Any,
        function: Function,
        packed_metadata: Any,
        launch_metadata: Any,
        enter_hook: Optional[Callable[[Any], Any]],
        exit_hook: Optional[Callable[[Any], Any]],
        *arguments: Any,
    ) -> None:
        if enter_hook is not None:
            enter_hook(launch_metadata)
        grid = (int(grid_x), int(grid_y), int(grid_z))
        if grid[0] * grid[1] * grid[2] > 0:
            self._launch(active(), grid, stream, function, arguments)
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def _launch(
        self,
        session: Session,
        grid: tuple[int, int, int],
        stream: Any,
        function: Function,
        arguments: tuple[Any, ...],
    ) -> None:
        metadata, target = self.metadata, session.target
        metas = getattr(metadata, "tensordesc_meta", None) or []
        descriptors = Descriptors(metas, target.is_amd, metadata.num_warps)
        flat = flatten(self.signature, arguments, descriptors)
        scratch = self._scratch(flat, grid, stream, target.is_amd)
        image = placed(flat, scratch, function.kernel.parameters)
        clustered = self.num_ctas > 1
        run = function.kernel.launch(
            grid=(grid[0] * self.num_ctas, grid[1], grid[2]),
            block=(metadata.num_warps * target.wave, 1, 1),
            arguments=image,
            memory=flat.memory.ranges(),
            shared=metadata.shared,
            cluster=(self.num_ctas, 1, 1) if clustered else (0, 0, 0),
            cooperative=bool(getattr(metadata, "launch_cooperative_grid", False)),
        )
        if function.text:
            self.sources.add_ptx(function.text)
        self._take(session, run)

    def _scratch(self, flat: Flat, grid: tuple[int, int, int], stream: Any, is_amd: bool) -> list[int]:
        """The addresses of global and profile scratch memory. Triton's allocators give the memory.

        Raises RuntimeError where the program has set none (triton.set_allocator).
        """
        from triton.runtime import _allocation

        addresses = []
        for kind, allocator in (("global", "_allocator"), ("profile", "_profile_allocator")):
            size = getattr(self.metadata, f"{kind}_scratch_size", 0) or 0
            if size == 0 or (is_amd and kind == "global"):  # which Triton's launcher for AMD gives no memory
                addresses.append(0)
                continue
            align = getattr(self.metadata, f"{kind}_scratch_align", 1) or 1
            bytes_ = grid[0] * grid[1] * grid[2] * self.num_ctas * size
            given = getattr(_allocation, allocator)
            buffer = (given.get() if hasattr(given, "get") else given)(bytes_, align, stream)
            addresses.append(flat.memory.add(buffer, f"{kind} scratch memory"))
        return addresses

    def _take(self, session: Session, run: Any) -> None:
        """Prints, counts and judges what a run gave."""
        if run.printed:
            sys.stdout.write(run.printed)
            sys.stdout.flush()
        kernel = session.statistics.kernel(self.key, self.name, session.target.name)
        session.statistics.add(self.key, run, self.sources)
        if session.costs is not None:
            session.costs += cost_of(run.report)
        if run.finished and not run.findings:
            return
        records = run.report["findings"]
        found = [finding_of(each, self.name, self.sources, self.num_ctas) for each in records]
        kernel.findings += len(found)
        session.take(found, run.finished)


class HeddleDriver(DriverBase):
    """Triton's driver: the active target, without a GPU."""

    def __init__(self) -> None:
        super().__init__()
        self.utils = Utils()
        self.launcher_cls = Launcher

    @classmethod
    def is_active(cls) -> bool:
        return True

    def map_python_to_cpp_type(self, ty: str) -> str:
        return c_type(ty)

    def get_current_target(self) -> GPUTarget:
        target = active().target
        return GPUTarget(target.backend, target.arch, target.wave)

    def get_current_device(self) -> int:
        return active().number

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: Optional[int] = None) -> int:
        return 0

    def get_device_capability(self, device: Optional[int] = None) -> tuple[int, int]:
        return active().target.capability

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        return DeviceInterface

    def get_benchmarker(self) -> Callable[..., Any]:
        return measure

    def get_empty_cache_for_benchmark(self) -> None:
        return None

    def clear_cache(self, cache: Any) -> None:
        pass

    def assemble_tensormap_to_arg(self, tensormaps_info: Any, args: Any) -> Any:
        return args
