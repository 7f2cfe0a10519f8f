"""Writes a table as compact text, for people in a terminal and for language models.

It is made of the table that the caller may see, and shows no more than that. Seats are written `#0`, notes in
thousands of dollars. The options come last: each line begins with the exact `choice`, then a space.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct

from events.text import Text, finish_sentence, grouped
from events.values import GREY, NEUTRAL, seat_of
from rules import EDITIONS
from rules.explain.english import COLOURS
from rules.extension import HiddenValue, Member
from rules.ruleset import Ruleset
from rules.wording import dollars
from service.games.table_view import AskShown, CasinoShown, DiceShown, SeatShown, TableShown, TileShown
from service.languages.catalogue import Language

_THOUSAND = 1_000
# Words among what mechanisms and tiles show.
_WORDS = {
    **COLOURS,
    "small": Text("small"),
    "big": Text("big"),
    "chip": Text("chip"),
    "money": Text("money"),
    "die": Text("die"),
}
_OTHER_OWNERS = {NEUTRAL: Text("neutral"), GREY: Text("grey")}


def write_table(table: TableShown, language: Language) -> str:
    """Return the table as lines of text in this language."""
    ruleset = EDITIONS.find(table.edition, str(table.release), table.options)
    return "\n".join([*_Writer(table, ruleset, language).lines(), ""])


def write_member(table: TableShown, tile: TileShown, name: str, value: Any, language: Language) -> str:
    """Return one member of what a tile shows in words; empty where that is nothing."""
    ruleset = EDITIONS.find(table.edition, str(table.release), table.options)
    return _Writer(table, ruleset, language).member(tile, name, value)


class _Writer:
    """Writes the lines of one table."""

    def __init__(self, table: TableShown, ruleset: Ruleset, language: Language) -> None:
        self._table = table
        self._ruleset = ruleset
        self._say = language.put
        self._has_dice = bool(ruleset.dice(len(table.seats), table.options))

    def lines(self) -> Iterator[str]:
        table = self._table
        yield self._headline()
        yield self._state_of_play()
        yield from map(self._seat, table.seats)
        if table.casinos:
            yield self._say(Text("Casinos (notes in $1,000; dice by seat):"))
            yield from map(self._casino, table.casinos)
        if table.roll is not None:
            yield self._roll()
        for ask in table.asks:
            yield from self._ask(ask)

    def _headline(self) -> str:
        """Return which game this is, and how far it has come."""
        table = self._table
        parts: list[str] = [self._ruleset.title]
        if table.round:
            parts.append(Text("round {round} of {rounds}", round=table.round, rounds=table.rounds))
        if table.status == "playing":
            parts += self._additions(table)
        if table.starter is not None:
            parts.append(Text("started by {seat}", seat=f"#{table.starter}"))
        parts.append(Text("version {version}", version=table.version))
        parts.append(Text("game {id}", id=table.id))
        return self._list(parts)

    def _state_of_play(self) -> str:
        """Return who the caller is, and whether the game waits for players, is played, or is over."""
        you = self._table.you
        who = Text("You are watching.") if you is None else Text("You are {seat}.", seat=f"#{you}")
        return " ".join(map(self._say, (who, *self._course())))

    def _course(self) -> Iterator[str]:
        table = self._table
        if table.status == "lobby":
            yield Text("The game has not started.")
        elif table.winners:
            yield Text("The game is over. Winner: {seats}.", seats=_name_seats(table.winners))
        elif table.status == "over":
            yield Text("The game is over without a winner.")
        elif table.turn is not None:
            is_mine = table.turn == table.you
            yield Text("It is your turn.") if is_mine else Text("It is the turn of #{seat}.", seat=table.turn)
        if table.closed is not UNSET:
            yield Text("It was closed: {reason}.", reason=table.closed.reason)
        if table.rematch is not UNSET:
            yield Text("The rematch is {game}.", game=table.rematch)

    def _seat(self, seat: SeatShown) -> str:
        name = "" if seat.name is None else " ".join(seat.name.split())
        head = f"#{seat.seat} {name}".rstrip()
        parts = self._list([*self._sitter(seat), *self._possessions(seat)])
        return f"{head}: {parts}" if parts else head

    def _sitter(self, seat: SeatShown) -> Iterator[str]:
        """Yield what sits there."""
        if seat.seat == self._table.you:
            yield Text("you")
        if seat.bot is not UNSET:
            yield Text("bot {level}", level=seat.bot)
        if seat.remote is not UNSET:
            yield Text("remote program")
        if seat.open is not UNSET:
            yield Text("open")
        if seat.stand_in is not UNSET:
            yield Text("{level} answers meanwhile", level=seat.stand_in)

    def _possessions(self, seat: SeatShown) -> Iterator[str]:
        """Yield what the seat has won and still has to play with."""
        table = self._table
        if table.status == "lobby":
            return
        yield Text("money hidden") if seat.total is None else dollars(seat.total)
        yield Text("notes {number}", number=seat.note_count)
        if seat.chips:
            yield Text("chips {number}", number=seat.chips)
        if table.status == "playing":
            if self._has_dice:
                yield Text("dice {dice}", dice=self._count_dice(seat.dice - seat.big, int(seat.big)))
            if seat.neutral_dice:
                yield Text("neutral dice {number}", number=seat.neutral_dice)
        yield from self._additions(seat)
        for clock in table.clock or ():
            if clock.seat == seat.seat:
                yield Text("clock {seconds} s", seconds=round(clock.seconds))

    def _additions(self, shown: Struct) -> Iterator[str]:
        """Yield what mechanisms add to the table, a seat or a casino, in their own words."""
        for extension in self._ruleset.extensions:
            for name, brief in extension.briefs.items():
                value = self._value(getattr(shown, name, None))
                if value:
                    yield Text(brief, value=value)

    def _casino(self, casino: CasinoShown) -> str:
        notes = " ".join(str(note // _THOUSAND) for note in casino.notes)
        parts = [notes or self._say(Text("no notes"))]
        if casino.closed:
            parts.append(self._say(Text("closed")))
        parts += map(self._say, self._additions(casino))
        if casino.dice:
            parts.append(", ".join(map(self._dice, casino.dice)))
        if casino.tile is not None:
            parts.append(self._tile(casino.tile))
        return f"{casino.number} {self._say(casino.name)}: {'; '.join(parts)}"

    def _dice(self, dice: DiceShown) -> str:
        shown = f"{self._owner(dice.owner)} {self._count_dice(dice.small, dice.big)}"
        if dice.face is UNSET:
            return shown
        return self._say(Text("{dice} showing {face}", dice=shown, face=dice.face))

    def _count_dice(self, small: int, big: int) -> str:
        """Return a number of dice: `3`, `2+big`, `big`; of cards `1+2 big`."""
        parts = [str(small)] if small or not big else []
        if big:
            word = self._say(Text("big"))
            parts.append(word if big == 1 else f"{big} {word}")
        return "+".join(parts)

    def _owner(self, owner: str) -> str:
        seat = seat_of(owner)
        return self._say(_OTHER_OWNERS.get(owner, owner)) if seat is None else f"#{seat}"

    def _tile(self, tile: TileShown) -> str:
        """Return a tile by its code and name, with what it shows; members without a value are left out."""
        parts = (self.member(tile, name, value) for name, value in tile.shows.items())
        state = ", ".join(filter(None, parts))
        return f"{tile.code} {tile.name} ({state})" if state else f"{tile.code} {tile.name}"

    def member(self, tile: TileShown, name: str, value: Any) -> str:
        """Return one member of what a tile shows; empty where that is nothing."""
        shown = self._value(value)
        member = self._ruleset.tiles[tile.code].members.get(name)
        return self._say(_format_member(name, member, shown)) if shown else ""

    def _value(self, value: Any) -> str:
        """Return what a mechanism or a tile shows under one name, as text; empty where that is nothing."""
        if value is None or value is UNSET or value is False:
            return ""
        if isinstance(value, HiddenValue):
            return self._say(Text("hidden"))
        if isinstance(value, Mapping):
            return self._record(value)
        if isinstance(value, Sequence) and not isinstance(value, str):
            separator = ", " if any(isinstance(item, Mapping) for item in value) else " "
            seen = (item for item in value if not isinstance(item, HiddenValue))
            return separator.join(filter(None, map(self._value, seen)))
        return self._say(grouped(value) if isinstance(value, int) else _WORDS.get(value, str(value)))

    def _record(self, record: Mapping[str, Any]) -> str:
        """Return dice by owner, or a place on the tile with what is there; an empty place is left out."""
        if "owner" in record:
            return f"{self._owner(record['owner'])} {self._count_dice(record['small'], record['big'])}"
        (_, place), *others = record.items()
        if others[0][1] in (None, 0):
            return ""
        rest = [f"#{value}" if name == "seat" else self._value(value) for name, value in others]
        return f"{self._value(place)}: {'/'.join(rest)}"

    def _roll(self) -> str:
        roll = self._table.roll
        assert roll is not None
        parts: list[str] = [" ".join(map(str, roll.own))] if roll.own else []
        if roll.big is not None:
            parts.append(Text("big die {face}", face=roll.big))
        if roll.neutral:
            parts.append(Text("neutral {faces}", faces=" ".join(map(str, roll.neutral))))
        return self._say(Text("Roll of {seat}: {dice}", seat=f"#{roll.seat}", dice=self._list(parts)))

    def _ask(self, ask: AskShown) -> Iterator[str]:
        """Yield the question, and the options of a caller who is asked."""
        question = self._say(self._ruleset.prompts[ask.prompt].text)
        if ask.casino is not UNSET:
            question += f" ({self._say(Text('casino {number}', number=ask.casino))})"
        if ask.yours:
            parts = [Text("Ask {ask} is yours: {question}", ask=ask.ask, question=question)]
        else:
            parts = [
                Text(
                    "Ask {ask} waits for {seats}: {question}",
                    ask=ask.ask,
                    seats=_name_seats(ask.seats),
                    question=question,
                )
            ]
        if ask.answer is not UNSET:
            parts.append(Text("You have answered {choice}", choice=ask.answer.choice))
        if ask.deadline is not None:
            parts.append(Text("Answers are due at {deadline}", deadline=ask.deadline))
        yield " ".join(finish_sentence(self._say(part)) for part in parts)
        for option in ask.options:
            yield f"{option.choice} {self._say(option.label)}"

    def _list(self, parts: Iterable[str]) -> str:
        return ", ".join(map(self._say, parts))


def _format_member(name: str, member: Member | None, value: str) -> str:
    """Return a member of a tile in the tile's own words, or by its name where it has none."""
    if member is None or not member.brief:
        return f"{name} {value}"
    return Text(member.brief, value=value)


def _name_seats(seats: Sequence[int]) -> str:
    return ", ".join(f"#{seat}" for seat in seats)
