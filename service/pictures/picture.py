"""Draws a table as an SVG picture: casinos with notes, dice and tiles, the roll, and the seats.

It shows what the given table has, so a picture tells nothing that its table does not tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from msgspec import UNSET

from events.text import Text
from events.values import BLACK, GREY, OWNER, seat_of
from rules import EDITIONS
from rules.extension import HiddenValue, Standing
from rules.ruleset import Ruleset
from rules.wording import dollars
from service.games.table_text import write_member, write_table
from service.games.table_view import CasinoShown, DiceShown, SeatShown, TableShown, TileShown
from service.languages.catalogue import Language
from service.pictures.drawing import (
    CARD_COLOURS,
    CARD_HEIGHT,
    CARD_WIDTH,
    NOTE_HEIGHT,
    NOTE_WIDTH,
    box,
    draw_card,
    draw_chip,
    draw_chip_card,
    draw_die,
    draw_note,
    draw_owner,
    draw_seat,
    draw_sign,
    make_style,
    measure,
    write,
)
from service.pictures.shapes import casino_sign

WIDTH = 1200
MARGIN = 20
GAP = 12
HEAD = 62
SIGN = 50
ROW = 30
TILE = 74
COLOURED_CARDS = 30
TRAY = 62
SEAT = 44
POSSESSIONS = 34
PADDING = 10
DIE = 23
# Where a column is no wider, the letters on its sign are smaller.
NARROW = 170
BIG_DIE = 29
COUNT = 24
FEWEST_ROWS = 2
FEWEST_SEATS_ABREAST = 3
# How much wider than others bold letters are.
BOLD = 1.15
# As many dice of one owner are drawn, more are one with their number.
MOST_DICE = 4

Parts = Iterator[str]


def draw_table(table: TableShown, language: Language) -> bytes:
    """Return a picture of the table, with words in this language."""
    return "".join(_Picture(table, language).parts()).encode()


class _Picture:
    """Draws one table, from the top down."""

    def __init__(self, table: TableShown, language: Language) -> None:
        self._table = table
        self._ruleset: Ruleset = EDITIONS.find(table.edition, str(table.release), table.options)
        self._language = language
        self._say = language.put
        count = len(table.casinos) or 1
        self._column = (WIDTH - 2 * MARGIN - GAP * (count - 1)) / count
        self._inner = self._column - 2 * PADDING
        self._note_scale = min(1.0, (self._inner - 4) / 2 / NOTE_WIDTH)
        self._note_rows = max([1, *(-(-len(casino.notes) // 2) for casino in table.casinos)])
        self._rows = max([FEWEST_ROWS, *(len(_owners(casino)) for casino in table.casinos)])
        self._has_tiles = any(casino.tile for casino in table.casinos)
        self._has_coloured_cards = any(self._coloured_cards(casino) for casino in table.casinos)

    def parts(self) -> Parts:
        table = self._table
        casinos = self._casino_height if table.casinos else 0
        tray = TRAY if table.roll is not None else 0
        seats_at = HEAD + casinos + (GAP if casinos else 0) + tray
        height = seats_at + self._seat_height + MARGIN
        title = f"{self._say(self._ruleset.title)}: {self._say(self._progress())}"
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" '
            f'height="{height:g}" role="img" aria-labelledby="title text" lang="{self._language.tag}">'
        )
        described = "".join(
            letter for letter in write_table(table, self._language) if letter.isprintable() or letter == "\n"
        )
        yield f'<title id="title">{escape(title)}</title><desc id="text">{escape(described)}</desc>'
        yield f"<style>{make_style()}</style>"
        yield box(0, 0, WIDTH, height, radius=0, fill="var(--ground)")
        yield from self._head()
        for place, casino in enumerate(table.casinos):
            yield from self._casino(MARGIN + place * (self._column + GAP), HEAD, casino)
        if table.roll is not None:
            yield from self._tray(HEAD + casinos + GAP)
        yield from self._seats(seats_at)
        yield "</svg>"

    def _head(self) -> Parts:
        yield write(MARGIN, 40, "Croupier", size=26, fill="var(--accent)", sign=True)
        yield write(WIDTH / 2, 40, self._say(self._ruleset.title), size=22, anchor="middle", sign=True)
        yield write(
            WIDTH - MARGIN,
            40,
            self._say(self._progress()),
            size=20,
            fill="var(--gold)",
            anchor="end",
            sign=True,
        )

    def _progress(self) -> str:
        """Return how far the game has come."""
        table = self._table
        if table.status == "lobby":
            return Text("Waiting for players")
        if table.status == "over":
            return Text("Over")
        return Text("Round {round} of {rounds}", round=table.round, rounds=table.rounds)

    # Casinos

    @property
    def _casino_height(self) -> float:
        notes = self._note_rows * (NOTE_HEIGHT * self._note_scale + 4) + 4
        tiles = TILE if self._has_tiles else 0
        cards = COLOURED_CARDS if self._has_coloured_cards else 0
        return SIGN + notes + self._rows * ROW + cards + tiles + PADDING

    def _casino(self, x: float, y: float, casino: CasinoShown) -> Parts:
        neon = f"var(--neon-{casino.number})"
        yield box(x, y, self._column, self._casino_height, radius=16, fill="var(--felt)", stroke=neon)
        if casino.closed:
            yield '<g opacity=".5">'
        left = x + PADDING
        yield from self._sign(left, y, casino, neon)
        top = y + SIGN
        for place, value in enumerate(casino.notes):
            across, down = place % 2, place // 2
            yield draw_note(
                left + across * (NOTE_WIDTH * self._note_scale + 4),
                top + down * (NOTE_HEIGHT * self._note_scale + 4),
                value,
                self._say(dollars(value)),
                self._note_scale,
            )
        top += self._note_rows * (NOTE_HEIGHT * self._note_scale + 4) + 4
        for row, owner in enumerate(_owners(casino)):
            yield from self._standing(left, top + row * ROW, casino, owner)
        top += self._rows * ROW
        yield from _draw_cards(left, top, self._inner, self._coloured_cards(casino))
        if casino.closed:
            yield "</g>"
            yield from self._closed(x, top - ROW)
        if casino.tile is not None:
            yield from self._tile(left, y + self._casino_height - TILE - 2, casino.tile, neon)

    def _sign(self, x: float, y: float, casino: CasinoShown, neon: str) -> Parts:
        is_numbered = casino.number != "bandit"
        yield draw_sign(x, y + 11, 26, "CASINOS", casino_sign(casino.number, casino.name), neon)
        room = self._inner - 32 - (30 if is_numbered else 0)
        size = 15.0 if self._column > NARROW else 13.0
        lines = _break(self._say(casino.name), size, room)
        for place, line in enumerate(lines):
            middle = y + 29 + (place - (len(lines) - 1) / 2) * 16
            yield write(x + 32, middle, line, size=size, fill=neon, width=room, sign=True)
        if isinstance(casino.number, int):
            yield draw_die(x + self._inner - 26, y + 11, 26, "", casino.number)

    def _standing(self, x: float, y: float, casino: CasinoShown, owner: str) -> Parts:
        """Draw the dice of an owner, and what they would win."""
        found = next((row for row in casino.standing if row.owner == owner), None)
        yield box(x, y, self._inner, ROW - 4, fill="var(--row)")
        said, fill = self._gets(found)
        right = x + self._inner
        yield write(right - 5, y + 18, said, size=13, fill=fill, anchor="end", bold=True)
        room = self._inner - BOLD * measure(said, 13) - 14
        lots = [dice for dice in casino.dice if dice.owner == owner]
        face = casino.number if isinstance(casino.number, int) else None
        yield from _draw_lots(x + 3, y + 1, lots, face, room, is_tied=bool(found and found.tied))

    def _gets(self, standing: Standing | None) -> tuple[str, str]:
        if standing is None:
            return "", "var(--text)"
        if standing.tied:
            return self._say(Text("tied")), "var(--quiet)"
        won = sum(standing.notes)
        return (self._say(dollars(won)) if won else "–"), "var(--gold)"

    def _closed(self, x: float, y: float) -> Parts:
        yield box(x + PADDING, y, self._inner, ROW - 4, fill="var(--accent)")
        said = self._say(Text("closed"))
        yield write(x + self._column / 2, y + 18, said, size=15, fill="#fff", anchor="middle", bold=True)

    def _coloured_cards(self, shown: CasinoShown | SeatShown) -> tuple[str, ...]:
        """Return the cards among what mechanisms add to a casino or a seat that are told by a colour."""
        for extension in self._ruleset.extensions:
            for name in extension.briefs:
                value = getattr(shown, name, None)
                if isinstance(value, tuple) and value and CARD_COLOURS.keys() >= set(value):
                    return value
        return ()

    # Tiles

    def _tile(self, x: float, y: float, tile: TileShown, neon: str) -> Parts:
        yield (
            f'<rect x="{x:g}" y="{y:g}" width="{self._inner:g}" height="{TILE - 8}" rx="10" '
            f'style="fill:none;stroke:{neon}" stroke-dasharray="5 4" stroke-width="1.5"/>'
        )
        yield draw_sign(x + 6, y + 6, 20, "TILES", tile.code, neon)
        yield write(x + 32, y + 21, tile.name, size=14, width=self._inner - 38, bold=True)
        left = x + 7
        right = x + self._inner - 6
        said: list[str] = []
        for name, value in tile.shows.items():
            drawn, width = self._member(left, y + 32, tile, name, right - left)
            yield from drawn
            left += width
            if not width and name not in _DRAWN:
                said.append(write_member(self._table, tile, name, value, self._language))
        words = " · ".join(filter(None, said))
        lines = _break(words, 11, right - left) if words else []
        for place, line in enumerate(lines):
            middle = y + 48 + (place - (len(lines) - 1) / 2) * 14
            yield write(left, middle, line, size=11, fill="var(--quiet)", width=right - left)

    def _member(
        self, x: float, y: float, tile: TileShown, name: str, room: float
    ) -> tuple[Sequence[str], float]:
        """Return one member of a tile's state drawn as things, and how wide they are; nothing for words."""
        value = tile.shows[name]
        if name in _COUNTERS:
            return _counter(x, y, value, len(self._ruleset.tiles[tile.code].track))
        if not value and not (name in _MARKED_SEATS and value == 0):
            return (), 0
        if name in _PRIZES:
            return self._prize(x, y, value)
        if name in _FACES:
            return _row(x, y, value, lambda at, face: draw_die(at, y, 22, BLACK, face), 25)
        if name in _GREY_HEAPS:
            return _row(x, y, value, lambda at, size: _heap(at, y, size), min(33.0, room / len(value)))
        if name in _MARKED_SEATS:
            seats = [value] if isinstance(value, int) else value
            return _row(x, y, seats, lambda at, seat: draw_seat(at, y, 22, seat), 25)
        if isinstance(value, list) and isinstance(value[0], Mapping):
            return self._records(x, y, value, room)
        return (), 0

    def _prize(self, x: float, y: float, amount: int) -> tuple[Sequence[str], float]:
        """Return a sum of money in the display face, and how wide it is."""
        said = self._say(dollars(amount))
        return [write(x, y + 17, said, size=14, fill="var(--gold)", sign=True)], measure(said, 14) + 10

    def _records(
        self, x: float, y: float, records: Sequence[Mapping[str, Any]], room: float
    ) -> tuple[Sequence[str], float]:
        """Return dice by owner, spaces with the seat that has them, or pictures with what covers them."""
        step = room / len(records)
        if "owner" in records[0]:
            lots = [
                DiceShown(lot["owner"], seat_of(lot["owner"]), small=lot["small"], big=lot["big"], weight=0)
                for lot in records
            ]
            return list(_draw_lots(x, y, lots, None, room)), room
        if "room" in records[0]:
            parts = [
                part for place, record in enumerate(records) for part in _picture(x + place * step, y, record)
            ]
            return parts, room
        parts = [part for place, record in enumerate(records) for part in _space(x + place * step, y, record)]
        return parts, room

    # The roll and the seats

    def _tray(self, y: float) -> Parts:
        roll = self._table.roll
        assert roll is not None
        owner = OWNER[roll.seat]
        name = self._table.seats[roll.seat].name or ""
        said = self._say(Text("{name} rolls", name=name))
        yield box(MARGIN, y, WIDTH - 2 * MARGIN, TRAY - GAP, radius=14, fill="var(--panel)")
        yield draw_owner(MARGIN + 12, y + 12, 26, owner)
        yield write(MARGIN + 48, y + 32, said, size=18, width=300, sign=True)
        x = MARGIN + 60 + min(300.0, measure(said, 18)) + 20
        for face in roll.own:
            yield draw_die(x, y + 8, 34, owner, face)
            x += 40
        if roll.big is not None:
            yield draw_die(x, y + 3, 44, owner, roll.big, big=True)
            x += 54
        for face in roll.neutral:
            yield draw_die(x, y + 8, 34, "neutral", face)
            x += 40

    @property
    def _has_possessions(self) -> bool:
        return any(seat.dice or seat.neutral_dice or seat.chips for seat in self._table.seats)

    @property
    def _seat_height(self) -> float:
        """Return how high the seats are; dice, chips and cards make them higher."""
        has_cards = any(seat.hand or self._coloured_cards(seat) for seat in self._table.seats)
        return SEAT + (POSSESSIONS if self._has_possessions else 0) + (CARD_HEIGHT + 8 if has_cards else 0)

    def _seats(self, y: float) -> Parts:
        seats = self._table.seats
        abreast = max(FEWEST_SEATS_ABREAST, len(seats))
        width = (WIDTH - 2 * MARGIN - GAP * (abreast - 1)) / abreast
        shift = (WIDTH - 2 * MARGIN - width * len(seats) - GAP * (len(seats) - 1)) / 2
        for seat in seats:
            yield from self._seat(MARGIN + shift + seat.seat * (width + GAP), y, width, seat)

    def _seat(self, x: float, y: float, width: float, seat: SeatShown) -> Parts:
        table = self._table
        has_won = seat.seat in (table.winners or ())
        is_awaited = any(seat.seat in ask.seats for ask in table.asks)
        stroke = "var(--gold)" if has_won or is_awaited else "var(--panel-edge)"
        yield box(x, y, width, self._seat_height, radius=14, fill="var(--panel)", stroke=stroke)
        yield draw_seat(x + 10, y + 10, 26, seat.seat)
        total = "" if table.status == "lobby" else self._total(seat)
        room = width - 56 - measure(total, 17)
        name = self._say(Text("free")) if seat.name is None else seat.name
        yield write(x + 44, y + 29, name, size=17, width=room, sign=True)
        yield write(x + width - 10, y + 29, total, size=17, fill="var(--gold)", anchor="end", sign=True)
        yield from self._possessions(x + 12, y + 42, width - 24, seat)
        if has_won:
            yield write(
                x + width - 10,
                y + 62,
                self._say(Text("wins")),
                size=15,
                fill="var(--gold)",
                anchor="end",
                sign=True,
            )
        below = SEAT + (POSSESSIONS if self._has_possessions else 0)
        yield from self._hand(x + 12, y + below - 2, width - 24, seat)

    def _total(self, seat: SeatShown) -> str:
        return "$ ?" if seat.total is None else self._say(dollars(seat.total))

    def _possessions(self, x: float, y: float, room: float, seat: SeatShown) -> Parts:
        """Draw dice in hand and chips, each with its number."""
        owner = OWNER[seat.seat]
        small = seat.dice - seat.big
        counted: list[tuple[int, Callable[[float], str]]] = [
            (small, lambda at: draw_die(at, y, 24, owner)),
            (int(seat.big), lambda at: draw_die(at, y - 3, 30, owner, big=True)),
            (seat.neutral_dice, lambda at: draw_die(at, y, 24, "neutral")),
            (seat.chips, lambda at: draw_chip(at, y + 1, 22)),
        ]
        for count, draw in counted:
            if count:
                yield draw(x)
                yield write(x + 33, y + 18, f"×{count}", size=15, bold=True)
                x += 68

    def _hand(self, x: float, y: float, room: float, seat: SeatShown) -> Parts:
        """Draw the cards in hand, open or face down, or the chip cards."""
        owner = OWNER[seat.seat]
        hand = seat.hand
        if isinstance(hand, HiddenValue):
            cards: list[str | None] = [None] * 5
        else:
            cards = [] if hand is UNSET else [*hand]
        step = min(CARD_WIDTH + 5.0, (room - CARD_WIDTH) / max(1, len(cards) - 1)) if cards else 0
        for place, card in enumerate(cards):
            yield draw_card(x + place * step, y, owner, card)
        left = x + (len(cards) * step + 14 if cards else 0)
        yield from _draw_cards(left, y + 8, x + room - left, self._coloured_cards(seat))


# Members of tiles that are drawn: numbers on black dice, heaps of grey dice, and seats.
_FACES = ("thrown",)
_GREY_HEAPS = ("clusters",)
_MARKED_SEATS = ("token", "gold", "fewest")
_COUNTERS = ("space",)
_PRIZES = ("jackpot", "prize", "next_prize")
# Members that are part of another drawing, or of what was just done.
_ELSEWHERE = ("gold_die", "placed", "bar", "dice", "spaces", "pictures")
_DRAWN = _FACES + _GREY_HEAPS + _MARKED_SEATS + _COUNTERS + _PRIZES + _ELSEWHERE


def _owners(casino: CasinoShown) -> list[str]:
    """Return whose dice lie at a casino, the best place first."""
    standing = [row.owner for row in casino.standing]
    return list(dict.fromkeys([*standing, *(dice.owner for dice in casino.dice)]))


def _draw_cards(x: float, y: float, room: float, colours: Sequence[str]) -> Parts:
    """Draw cards that are told by a colour, one over the other where there are many."""
    step = min(20.0, (room - 17) / max(1, len(colours) - 1))
    for place, colour in enumerate(colours):
        yield draw_chip_card(x + place * step, y + 2, colour)


def _row(
    x: float, y: float, values: Sequence[Any], draw: Callable[[float, Any], str], step: float
) -> tuple[Sequence[str], float]:
    return [draw(x + place * step, value) for place, value in enumerate(values)], step * len(values) + 6


def _counter(x: float, y: float, reached: int, spaces: int) -> tuple[Sequence[str], float]:
    """Return a row of spaces with the one that was reached, and how wide it is."""
    colours = ["var(--quiet)"] * reached + ["var(--gold)"] + ["none"] * (spaces - reached - 1)
    rings = [
        f'<circle cx="{x + 5 + place * 11:g}" cy="{y + 12:g}" r="4" '
        f'style="fill:{colour};stroke:var(--quiet)" stroke-width="1.5"/>'
        for place, colour in enumerate(colours)
    ]
    return rings, spaces * 11.0 + 8


def _heap(x: float, y: float, size: int) -> str:
    return draw_die(x, y + 2, 19, GREY) + write(x + 20, y + 17, str(size), size=13, bold=True)


def _draw_lots(
    x: float,
    y: float,
    lots: Sequence[DiceShown],
    face: int | None,
    room: float,
    is_tied: bool = False,
) -> Parts:
    """Draw dice in a row: all of them where there is room, else one of each kind with its number."""
    kinds = [
        (lot.owner, big, lot.face if lot.face is not UNSET else face, count)
        for lot in lots
        for big, count in ((True, lot.big), (False, lot.small))
        if count
    ]
    width = sum((BIG_DIE if big else DIE) * count for _, big, _, count in kinds)
    is_counted = any(count > MOST_DICE for *_, count in kinds) or width > room
    if is_counted:
        width = sum((BIG_DIE if big else DIE) + (COUNT if count > 1 else 0) for _, big, _, count in kinds)
    scale = min(1.0, room / max(1, width))
    faint = ' opacity=".45"' if is_tied else ""
    yield f'<g{faint} transform="translate({x:g} {y + DIE * (1 - scale) / 2:g}) scale({scale:.3f})">'
    at = 0
    for owner, big, shown, count in kinds:
        size = BIG_DIE if big else DIE
        for _ in range(1 if is_counted else count):
            yield draw_die(at, (DIE - size) / 2, size - 1, owner, shown, big)
            at += size
        if is_counted and count > 1:
            yield write(at + 1, 17, f"×{count}", size=13, bold=True)
            at += COUNT
    yield "</g>"
    if is_tied:
        yield (
            f'<path d="M{x:g} {y + 12:g}H{x + at * scale:g}" stroke-width="2.5" '
            'style="stroke:var(--accent)" stroke-linecap="round"/>'
        )


def _picture(x: float, y: float, record: Mapping[str, Any]) -> Parts:
    """Draw a kind of picture and the spaces on it, covered ones with a grey die."""
    kind = record["picture"]
    if kind == "chip":
        yield draw_chip(x, y, 13)
    else:
        yield write(x + 6, y + 11, "$" if kind == "money" else "⚂", size=13, anchor="middle", bold=True)
    for space in range(record["room"]):
        at = x + space * 11.5
        if space < record["filled"]:
            yield draw_die(at, y + 14, 11, GREY)
        else:
            yield box(at + 0.5, y + 14.5, 10, 10, radius=3, fill="none", stroke="var(--quiet)")


def _space(x: float, y: float, record: Mapping[str, Any]) -> Parts:
    """Draw a numbered space, with the die of the seat that has it."""
    number = record.get("number", record.get("space", ""))
    seat = record.get("seat")
    if seat is None:
        yield box(x, y, 20, 22, radius=5, fill="none", stroke="var(--quiet)")
        yield write(x + 10, y + 16, str(number), size=13, fill="var(--quiet)", anchor="middle")
    else:
        face = number if isinstance(number, int) else None
        yield draw_die(x - 1, y, 22, OWNER[seat], face, record.get("die") == "big")


def _break(text: str, size: float, width: float) -> list[str]:
    """Return a text in one line, or in two where it is too wide and has words."""
    words = text.split()
    if measure(text, size) <= width or len(words) == 1:
        return [text]
    cut = min(
        range(1, len(words)),
        key=lambda at: max(measure(" ".join(words[:at]), size), measure(" ".join(words[at:]), size)),
    )
    return [" ".join(words[:cut]), " ".join(words[cut:])]
