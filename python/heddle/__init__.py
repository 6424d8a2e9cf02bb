"""Data layouts of GPU matrix cores.

>>> import heddle
>>> heddle.layout("(4,8):(8,1)").to("triton")
'#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>'
"""

from ._compile import Compiled, compile
from ._core import Error
from ._core import version as __version__
from ._cuda import DeviceArray
from ._device import Device
from ._instruction import Instruction, Operand, instruction, instructions
from ._launch import Launch
from ._layout import Layout, layout
from ._questions import banks, convert, place
from ._records import (
    Banks,
    CoExecution,
    Conversion,
    Encoding,
    InstructionRow,
    Latency,
    Place,
    Placement,
    Placements,
    Throughput,
)
from ._run import Change, Finding, Result, Run
from ._tensor_map import TensorMap

__all__ = [
    "Banks",
    "Change",
    "CoExecution",
    "Compiled",
    "Conversion",
    "Encoding",
    "Device",
    "DeviceArray",
    "Error",
    "Finding",
    "Instruction",
    "InstructionRow",
    "Latency",
    "Launch",
    "Layout",
    "Operand",
    "Place",
    "Placement",
    "Placements",
    "Result",
    "Run",
    "TensorMap",
    "Throughput",
    "__version__",
    "banks",
    "compile",
    "convert",
    "instruction",
    "instructions",
    "layout",
    "place",
]
