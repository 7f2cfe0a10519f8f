"""Draws an analysis as a picture: everyone's chance to win, from choice to choice. `draw` returns it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape

from events.text import Text
from service.analysis.results import Analysis, ChoiceSeen, SeatSeen
from service.languages.catalogue import ENGLISH, Language

WIDTH = 800
HEIGHT = 360
LEFT = 56
TOP = 28
LINE = 20
# Chosen so that colour-blind people can tell them apart; the dashes help, too.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000")
DASHES = ("", "8 3", "2 3", "10 3 2 3", "5 5", "1 4")
Names = Mapping[int, str]
Put = Callable[[str], str]
_POINT = "version {version}: luck {luck}, others {others}, choice {choice}"
_POINT_AT_END = "version {version}: luck {luck}, others {others}, the end"
_SUM = "{name}: luck {luck} points, others' choices {others}, own choices {own}"


def draw(analysis: Analysis, names: Names, language: Language = ENGLISH) -> bytes:
    """Return the picture as SVG; `names` has what each seat is called there."""
    put = language.put
    legend = HEIGHT + TOP + 44
    height = legend + LINE * (len(analysis.seats) + 1) + 8
    last = analysis.endings[0].version
    parts = list(_frame(last, put))
    for seat in analysis.seats:
        looks = [one for one in (*analysis.choices, *analysis.endings) if one.seat == seat.seat]
        parts += [_curve(seat.seat, looks, seat.even, last)]
        parts += _legend(seat, names[seat.seat], legend + LINE * seat.seat, put)
    parts += [*_marks(analysis.turning_points, last, put)]
    parts += _mark_legend(height - LINE - 8, put)
    return f"{_head(height, put)}{''.join(parts)}</svg>\n".encode()


def _head(height: int, put: Put) -> str:
    """Return the opening tag, the title and the background."""
    style = 'role="img" font-family="sans-serif" font-size="13"'
    told = put(Text("Everybody's chance to win, from choice to choice"))
    title = f"<title>{escape(told, quote=False)}</title>"
    ground = f'<rect width="100%" height="{height}" fill="#ffffff"/>'
    size = f'viewBox="0 0 {WIDTH + LEFT + 24} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{title}{ground}'


def _x(version: int, last: int) -> float:
    """Return the horizontal position of a version."""
    return round(LEFT + WIDTH * version / last, 1)


def _y(chance: float) -> float:
    """Return the vertical position of a chance."""
    return round(TOP + HEIGHT * (1 - min(1.0, max(0.0, chance))), 1)


def _frame(last: int, put: Put) -> Iterator[str]:
    """Yield the grid lines and the labels of both axes."""
    for percent in range(0, 101, 25):
        height = _y(percent / 100)
        yield f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{height}" y2="{height}" stroke="#dddddd"/>'
        yield f'<text x="{LEFT - 8}" y="{height + 4}" text-anchor="end">{percent} %</text>'
    for version in _ticks(last):
        yield f'<text x="{_x(version, last)}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{version}</text>'
    told = put(Text("chance to win, by version of the game"))
    yield f'<text x="{LEFT}" y="{TOP - 10}">{told}</text>'


def _ticks(last: int) -> list[int]:
    """Return the versions to label: the last one, and others that do not touch its number."""
    step = max(1, last // 8)
    return [*(version for version in range(0, last, step) if last - version >= step / 2), last]


def _marks(points: Sequence[ChoiceSeen], last: int, put: Put) -> Iterator[str]:
    """Yield a ring for each turning point, with its figures as a tooltip."""
    for one in points:
        told = put(
            Text(
                _POINT_AT_END if one.ending else _POINT,
                version=one.version,
                luck=f"{one.luck:+.2f}",
                others=f"{one.others:+.2f}",
                choice=f"{-one.loss:+.2f}",
            )
        )
        yield _ring(_x(one.version, last), _y(one.after), COLOURS[one.seat], f"<title>{told}</title>")


def _ring(x: float, y: float, colour: str, told: str = "") -> str:
    """Return a ring; `told` is an element to put into it."""
    return f'<circle cx="{x}" cy="{y}" r="6" fill="none" stroke="{colour}" stroke-width="1.5">{told}</circle>'


def _mark_legend(height: int, put: Put) -> Iterator[str]:
    """Yield the part of the legend that explains the rings."""
    yield _ring(LEFT + 20, height - 4, "#444444")
    told = put(Text("turning point: after one of the largest swings, in the colour of the seat"))
    yield f'<text x="{LEFT + 50}" y="{height}">{told}</text>'


def _curve(seat: int, looks: Sequence[ChoiceSeen], even: float, last: int) -> str:
    """Return the curve of a seat: to what luck and the others brought, then down by what the choice cost."""
    points = [(_x(0, last), _y(even))]
    for one in looks:
        points += [(_x(one.version, last), _y(one.before)), (_x(one.version, last), _y(one.after))]
    line = " ".join(f"{x},{y}" for x, y in points)
    dashes = f' stroke-dasharray="{DASHES[seat]}"' if DASHES[seat] else ""
    return f'<polyline points="{line}" fill="none" stroke="{COLOURS[seat]}" stroke-width="2"{dashes}/>'


def _legend(seen: SeatSeen, name: str, height: int, put: Put) -> Iterator[str]:
    """Yield the part of the legend that belongs to a seat."""
    seat = seen.seat
    points = [round(part * 100) for part in (seen.luck, seen.others, -seen.lost)]
    dashes = f' stroke-dasharray="{DASHES[seat]}"' if DASHES[seat] else ""
    yield f'<line x1="{LEFT}" x2="{LEFT + 40}" y1="{height - 4}" y2="{height - 4}" ' + (
        f'stroke="{COLOURS[seat]}" stroke-width="2"{dashes}/>'
    )
    luck, others, own = points
    figures = {"luck": f"{luck:+d}", "others": f"{others:+d}", "own": f"{own:+d}"}
    told = escape(put(Text(_SUM, name=name, **figures)))
    yield f'<text x="{LEFT + 50}" y="{height}">{told}</text>'
