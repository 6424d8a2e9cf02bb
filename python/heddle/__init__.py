"""Data layouts of GPU matrix cores.

>>> import heddle
>>> heddle.layout("(4,8):(8,1)").to("triton")
'#ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}, alignment = 16>'
"""

from ._core import Error
from ._layout import Layout, layout

__all__ = ["Error", "Layout", "layout"]
