"""The things of the game as SVG: dice, notes, chips, cards, signs and marks, each at a place.

Every text goes through `write`, which escapes it: names are made by players.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from unicodedata import east_asian_width

from events.values import BLACK, GREY, NEUTRAL, seat_of
from service.pictures.shapes import find_colours, find_font, find_marks, find_paths, find_pips

SEATS = ("#f5a524", "#56b4e9", "#29c48d", "#ee8fc6", "#ff6f59", "#a893ff")
_OTHERS = {NEUTRAL: "#ffffff", GREY: "#9aa3ad", BLACK: "#20242b"}
_INK = "#10141c"
# Paper and ink of a note, by its tens of thousands.
_NOTES = {
    1: ("#e4e7ea", "#39434d"),
    2: ("#f0dcc6", "#6b3d12"),
    3: ("#d5ecd0", "#1d5427"),
    4: ("#cdeaf0", "#0e4c5c"),
    5: ("#d6dcf8", "#2b3a94"),
    6: ("#ffedb8", "#6a4700"),
    7: ("#ffd9a8", "#813a00"),
    8: ("#ffcfc4", "#8c1f10"),
    9: ("#ffc9de", "#8a0f4a"),
    10: ("#e3ccff", "#55159a"),
}
CARD_COLOURS = {"gold": "#d9a514", "pink": "#f48fb1", "blue": "#2f7fd6", "green": "#2e9e57", "red": "#d32f2f"}
# How wide a letter is, as a share of its size: a middling one, and one that fills a square.
_LETTER = 0.56
_WIDE_LETTER = 1.05
_WIDE = ("W", "F")

NOTE_WIDTH = 78
NOTE_HEIGHT = 32
CARD_WIDTH = 30
CARD_HEIGHT = 42


def make_style() -> str:
    """Return the style sheet: the page's colours by night, and by day where the reader prefers that."""
    night, day = find_colours()
    return (
        f"@font-face{{font-family:Righteous;src:url({find_font()}) format('woff2')}}"
        f":root{{{night}--glow:1}}"
        f"@media (prefers-color-scheme:light){{:root{{{day}--glow:0}}}}"
        "text{font-family:system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;fill:var(--text)}"
        ".sign{font-family:Righteous,'Arial Rounded MT Bold','Trebuchet MS',sans-serif}"
        ".line{fill:none;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}"
    )


def measure(text: str, size: float) -> float:
    """Return about how wide a text is."""
    letters = sum(_WIDE_LETTER if east_asian_width(letter) in _WIDE else _LETTER for letter in text)
    return letters * size


def shorten(text: str, size: float, width: float) -> str:
    """Return a text that is about so wide at most."""
    if measure(text, size) <= width:
        return text
    while text and measure(f"{text}…", size) > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def write(
    x: float,
    y: float,
    text: str,
    *,
    size: float = 14,
    fill: str = "var(--text)",
    anchor: str = "start",
    width: float = 0,
    sign: bool = False,
    bold: bool = False,
) -> str:
    """Return a line of text, cut where it would be wider than `width`; `sign` is the display face."""
    shown = shorten(text, size, width) if width else text
    # What XML cannot hold is no letter either.
    clean = "".join(letter for letter in shown if letter.isprintable())
    family = ' class="sign"' if sign else ""
    weight = ' font-weight="700"' if bold else ""
    place = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return (
        f'<text{family} x="{x:g}" y="{y:g}" font-size="{size:g}" style="fill:{fill}"{weight}{place}>'
        f"{escape(clean)}</text>"
    )


def box(
    x: float, y: float, width: float, height: float, *, radius: float = 8, fill: str, stroke: str = "none"
) -> str:
    """Return a rectangle with round corners."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" '
        f'style="fill:{fill};stroke:{stroke}"/>'
    )


def owner_colour(owner: str) -> str:
    """Return the colour of a seat, or of an imaginary player."""
    seat = seat_of(owner)
    return _OTHERS.get(owner, "#ffffff") if seat is None else SEATS[seat]


def draw_die(x: float, y: float, size: float, owner: str, face: int | None = None, big: bool = False) -> str:
    """Return a die of an owner: pips, the mark of the seat over a corner, and ×2 on the big one."""
    seat = seat_of(owner)
    pips = "#ffffff" if owner == BLACK else _INK
    edge = "#ffffff" if owner == BLACK else "#20242b"
    dashes = ' stroke-dasharray="4 2.5"' if owner == GREY else ""
    parts = [
        f'<g transform="translate({x:g} {y:g}) scale({size / 32:.3f})">',
        f'<rect x="1.5" y="1.5" width="29" height="29" rx="7" fill="{owner_colour(owner)}" '
        f'stroke="{edge}" stroke-width="1.4"{dashes}/>',
    ]
    parts += [
        f'<circle cx="{cx:g}" cy="{cy:g}" r="2.7" fill="{pips}"/>'
        for cx, cy in find_pips().get(face or 0, ())
    ]
    if seat is not None:
        parts.append(
            f'<path transform="translate(4.5 4.5) scale(.9)" d="{find_marks()[seat]}" fill="#fff" '
            f'stroke="{_INK}" stroke-width="1.6" stroke-linejoin="round"/>'
        )
    if big:
        parts.append(
            f'<rect x="18" y="20.5" width="13.5" height="11" rx="3.5" fill="{_INK}"/>'
            '<text x="24.7" y="29" font-size="9" font-weight="700" text-anchor="middle" '
            'style="fill:#fff">×2</text>'
        )
    return "".join((*parts, "</g>"))


def draw_seat(x: float, y: float, size: float, seat: int) -> str:
    """Return the mark of a seat: its form, colour and letter."""
    drop = 4.2 if seat == 2 else 2.9
    return (
        f'<g transform="translate({x + size / 2:g} {y + size / 2:g}) scale({size / 16:.3f})">'
        f'<path transform="scale(1.3)" d="{find_marks()[seat]}" fill="{SEATS[seat]}" '
        'stroke="#20242b" stroke-width=".6"/>'
        f'<text y="{drop}" font-size="7.5" font-weight="700" text-anchor="middle" style="fill:{_INK}">'
        f"{'ABCDEF'[seat]}</text></g>"
    )


def draw_owner(x: float, y: float, size: float, owner: str) -> str:
    """Return the mark of a seat or of an imaginary player."""
    seat = seat_of(owner)
    if seat is not None:
        return draw_seat(x, y, size, seat)
    return draw_die(x + 1, y + 1, size - 2, owner)


def draw_note(x: float, y: float, value: int, label: str, scale: float = 1) -> str:
    """Return a note in the colours of its value."""
    paper, ink = _NOTES.get(value // 10_000, ("#d8ead0", "#1d4a2a"))
    return (
        f'<g transform="translate({x:g} {y:g}) scale({scale:g})">'
        f'<rect width="{NOTE_WIDTH}" height="{NOTE_HEIGHT}" rx="4" fill="{paper}" stroke="{ink}"/>'
        f'<rect x="3.5" y="3.5" width="{NOTE_WIDTH - 7}" height="{NOTE_HEIGHT - 7}" rx="2" fill="none" '
        f'stroke="{ink}" stroke-opacity=".45"/>'
        f'<circle cx="{NOTE_WIDTH / 2}" cy="{NOTE_HEIGHT / 2}" r="11" fill="{ink}" fill-opacity=".13"/>'
        f'<text class="sign" x="{NOTE_WIDTH / 2}" y="{NOTE_HEIGHT / 2 + 5}" font-size="14.500" '
        f'text-anchor="middle" style="fill:{ink}">{escape(label)}</text></g>'
    )


def draw_chip(x: float, y: float, size: float) -> str:
    return (
        f'<g transform="translate({x:g} {y:g}) scale({size / 20:.3f})">'
        '<circle cx="10" cy="10" r="9" fill="#d81b60"/><circle cx="10" cy="10" r="9" fill="none" '
        'stroke="#fff" stroke-width="2.2" stroke-dasharray="4 5.4"/>'
        '<circle cx="10" cy="10" r="5.4" fill="#fff" stroke="#d81b60" stroke-width="1.4"/></g>'
    )


def draw_chip_card(x: float, y: float, colour: str) -> str:
    """Return a chip card of a colour."""
    return (
        f'<g transform="translate({x:g} {y:g})"><rect width="17" height="23" rx="4" fill="#fffdf5" '
        'stroke="#20160e" stroke-opacity=".5"/><circle cx="8.500" cy="11.500" r="5.500" '
        f'fill="{CARD_COLOURS.get(colour, "#999999")}" stroke="#20160e" stroke-opacity=".5"/></g>'
    )


def draw_card(x: float, y: float, owner: str, card: str | None) -> str:
    """Return a card of the card game, face down where its value is not given."""
    colour = owner_colour(owner)
    paper = "#fffdf5" if card else colour
    parts = [
        f'<g transform="translate({x:g} {y:g})"><rect width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="5" '
        f'fill="{paper}" stroke="{colour if card else "#ffffff"}" stroke-width="2"/>'
    ]
    if card:
        parts += _dice_on_card(owner, int(card[0]), card.endswith("d"))
    else:
        parts.append(
            '<path d="M6 10L24 32M24 10L6 32" stroke="#20242b" stroke-opacity=".5" stroke-width="3"/>'
        )
    return "".join((*parts, "</g>"))


def _dice_on_card(owner: str, face: int, is_double: bool) -> Iterator[str]:
    if is_double:
        yield draw_die(7, 4, 16, owner, face)
        yield draw_die(7, 22, 16, owner, face)
    else:
        yield draw_die(5, 11, 20, owner, face)


def draw_sign(x: float, y: float, size: float, kind: str, name: str, colour: str) -> str:
    """Return the drawing of a casino (`CASINOS`) or of a tile (`TILES`); one that has none is a star."""
    paths = find_paths(kind)
    # The page's star is the last of its tiles.
    path = paths.get(name) or [*find_paths("TILES").values()][-1]
    return (
        f'<path class="line" transform="translate({x:g} {y:g}) scale({size / 24:.3f})" d="{path}" '
        f'style="stroke:{colour}"/>'
    )
