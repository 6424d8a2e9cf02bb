"""How answers show themselves in notebooks."""

from __future__ import annotations

import base64
import html


class Drawn:
    """What has a picture, or else a text.

    The picture also goes out as an image in HTML: rules of style in an SVG that stands in a page itself
    would be those of the whole page, and what renders notebooks elsewhere leaves such SVGs out.
    """

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        return None

    def _repr_html_(self) -> str:
        svg = self._repr_svg_()
        if svg is None:
            return "<pre>" + html.escape(str(self)) + "</pre>"
        data = base64.b64encode(svg.encode()).decode()
        return f'<img src="data:image/svg+xml;base64,{data}" alt="{html.escape(repr(self))}">'
