"""An analysis as a picture: everybody's chance to win, from choice to choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from service.tasks.analysis import Analysis, ChoiceSeen, SeatSeen

WIDTH, HEIGHT, LEFT, TOP, LINE = 800, 360, 56, 28, 20
# Told apart also by those who see few colours, and by their dashes.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000")
DASHES = ("", "8 3", "2 3", "10 3 2 3", "5 5", "1 4")
Names = Mapping[int, str]


def draw(analysis: Analysis, names: Names) -> bytes:
    legend = HEIGHT + TOP + 44
    height = legend + LINE * len(analysis.seats) + 8
    last = max((one.version for one in analysis.choices), default=1)
    parts = [*_frame(last), *_marks(analysis.turning_points, last)]
    for seat in analysis.seats:
        own = [one for one in analysis.choices if one.seat == seat.seat]
        parts += [_curve(seat.seat, own, seat.even, seat.won, last)]
        parts += _legend(seat, names[seat.seat], legend + LINE * seat.seat)
    return f"{_head(height)}{''.join(parts)}</svg>\n".encode()


def _head(height: int) -> str:
    style = 'role="img" font-family="sans-serif" font-size="13"'
    title = "<title>Everybody's chance to win, from choice to choice</title>"
    ground = f'<rect width="100%" height="{height}" fill="#ffffff"/>'
    size = f'viewBox="0 0 {WIDTH + LEFT + 24} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{title}{ground}'


def _x(version: int, last: int) -> float:
    return round(LEFT + WIDTH * version / max(1, last + 1), 1)


def _y(chance: float) -> float:
    return round(TOP + HEIGHT * (1 - min(1.0, max(0.0, chance))), 1)


def _frame(last: int) -> Iterator[str]:
    for percent in range(0, 101, 25):
        height = _y(percent / 100)
        yield f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{height}" y2="{height}" stroke="#dddddd"/>'
        yield f'<text x="{LEFT - 8}" y="{height + 4}" text-anchor="end">{percent} %</text>'
    step = max(1, last // 8)
    for version in range(0, last + 1, step):
        yield f'<text x="{_x(version, last)}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{version}</text>'
    yield f'<text x="{LEFT}" y="{TOP - 10}">chance to win, by version of the game</text>'


def _marks(points: Sequence[ChoiceSeen], last: int) -> Iterator[str]:
    for one in points:
        parts = f"luck {one.luck:+.2f}, others {one.others:+.2f}, choice {-one.loss:+.2f}"
        told = escape(f"version {one.version}: {parts}")
        centre = f'cx="{_x(one.version, last)}" cy="{_y(one.after)}"'
        yield f'<circle {centre} r="6" fill="none" stroke="#888888"><title>{told}</title></circle>'


def _curve(seat: int, own: Sequence[ChoiceSeen], even: float, won: float, last: int) -> str:
    """Up or down to what luck and the others brought, then down by what the choice cost."""
    points = [(_x(0, last), _y(even))]
    for one in own:
        points += [(_x(one.version, last), _y(one.before)), (_x(one.version, last), _y(one.after))]
    points.append((_x(last + 1, last), _y(won)))
    line = " ".join(f"{x},{y}" for x, y in points)
    dashes = f' stroke-dasharray="{DASHES[seat]}"' if DASHES[seat] else ""
    return f'<polyline points="{line}" fill="none" stroke="{COLOURS[seat]}" stroke-width="2"{dashes}/>'


def _legend(seen: SeatSeen, name: str, height: int) -> Iterator[str]:
    seat, points = seen.seat, [round(part * 100) for part in (seen.luck, seen.others, -seen.lost)]
    dashes = f' stroke-dasharray="{DASHES[seat]}"' if DASHES[seat] else ""
    yield f'<line x1="{LEFT}" x2="{LEFT + 40}" y1="{height - 4}" y2="{height - 4}" ' + (
        f'stroke="{COLOURS[seat]}" stroke-width="2"{dashes}/>'
    )
    luck, others, own = points
    told = escape(f"{name}: luck {luck:+d} points, others' choices {others:+d}, own choices {own:+d}")
    yield f'<text x="{LEFT + 50}" y="{height}">{told}</text>'
