"""The signs, pips, marks and colours of the page, read from the page's own files."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache

from service.page.files import FOLDER

_PIECES = FOLDER / "table" / "pieces.js"
_PICTOGRAMS = FOLDER / "table" / "pictograms.js"
_FONT = FOLDER / "vendor" / "righteous.woff2"
_COLOURS = FOLDER / "style" / "base.css"
# The colours of the page that a picture uses.
_USED = (
    *("ground", "felt", "felt-deep", "panel", "panel-edge", "text", "quiet", "accent", "gold", "row"),
    *(f"neon-{casino}" for casino in (1, 2, 3, 4, 5, 6, "bandit")),
)


@cache
def find_paths(name: str) -> Mapping[str, str]:
    """Return the drawings of a table of the page, `CASINOS` or `TILES`, by name or code."""
    source = _PICTOGRAMS.read_text("utf-8")
    table = _between(source, f"const {name} = {{", "\n};")
    return dict(re.findall(r'^  (\w+): "([^"]+)",$', table, re.MULTILINE))


def casino_sign(number: int | str, name: str) -> str:
    """Return the key in `CASINOS` of a casino's sign: the letters of its name, or what has its number."""
    paths = find_paths("CASINOS")
    letters = re.sub(r"\W", "", name)
    if letters in paths or not isinstance(number, int):
        return letters if letters in paths else str(number)
    return [*paths][number - 1]


@cache
def find_marks() -> tuple[str, ...]:
    """Return the forms that tell seats apart, by seat."""
    table = _between(_PIECES.read_text("utf-8"), "const SHAPES = [", "\n];")
    return tuple(re.findall(r'"([^"]+)"', table))


@cache
def find_pips() -> Mapping[int, tuple[tuple[float, float], ...]]:
    """Return where the pips of each number lie on a die of 32 by 32."""
    table = _between(_PIECES.read_text("utf-8"), "const PIPS = {", "\n};")
    rows = re.findall(r"^  (\d): (\[.+\]),$", table, re.MULTILINE)
    return {int(face): tuple((x, y) for x, y in json.loads(pips)) for face, pips in rows}


@cache
def find_colours() -> tuple[str, str]:
    """Return the declarations of the page's colours, by night and by day."""
    source = _COLOURS.read_text("utf-8")
    night = _between(source, ":root {", "\n}")
    day = _between(source, ':root[data-theme="light"] {\n', "\n}")
    return _select(night), _select(day)


def _select(declared: str) -> str:
    colours = dict(re.findall(r"--([\w-]+): ([^;]+);", declared))
    return "".join(f"--{name}:{colours[name]};" for name in _USED)


@cache
def find_font() -> str:
    """Return the display face as a data URL: a picture in a page can load nothing."""
    return f"data:font/woff2;base64,{b64encode(_FONT.read_bytes()).decode()}"


def _between(source: str, start: str, end: str) -> str:
    """Return what stands between two texts. Raises ValueError if the first is not there exactly once."""
    if source.count(start) != 1:
        raise ValueError(f"{start!r} stands there {source.count(start)} times")
    begin = source.index(start) + len(start)
    return source[begin : source.index(end, begin)]
