"""Renders facts as sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from string import Formatter

from msgspec import UNSET

from events.text import Joined, Sentence, Text, Value, Words, listed
from events.values import OWNER, Owner, seat_of
from rules.editions import EDITIONS
from rules.explain.english import (
    COLOURS,
    DICE,
    ENDS,
    ERASED,
    EXTRA_CASINO,
    IMAGINARY,
    NOTHING,
    RANKS,
    SENTENCES,
    STARTS,
    TIE_BREAKERS,
)
from rules.explain.scene import Fact
from rules.prompt import Casino, DiceToPlace
from rules.scoring import CHIP_CARD_SETS
from rules.state import State
from rules.wording import dollars, quantity


def format_facts(facts: Sequence[Fact], state: State) -> tuple[str, ...]:
    """Return one sentence for each fact; the ties of one place are told once."""
    formatter = FactFormatter(state)
    told_ties = set[tuple[object, ...]]()
    sentences = list[str]()
    for fact in facts:
        tie = (fact.casino, fact.tile, frozenset((fact.owner, *fact.others)))
        if fact.what != "tied" or tie not in told_ties:
            sentences.append(formatter.format(fact))
            told_ties.add(tie)
    return tuple(sentences)


class FactFormatter:
    """Formats facts with the names at one table."""

    def __init__(self, state: State) -> None:
        self._state = state
        # What the templates name, worked out for those alone that a template has.
        self._words: Mapping[str, Callable[[Fact], Value]] = {
            "who": lambda fact: self._player(fact.owner),
            "tied": lambda fact: listed([self._player(owner) for owner in (fact.owner, *fact.others)]),
            "casino": lambda fact: self._casino(fact.casino),
            "tile": lambda fact: EDITIONS.of(state).tiles[fact.tile].name if fact.tile else "",
            "money": lambda fact: _money(fact.notes),
            "paid": self._payment,
            "dice": lambda fact: _dice(fact.dice) if fact.dice else "",
            "faces": _faces,
            "laid": lambda fact: Joined([COLOURS.get(card, card) for card in fact.cards], " "),
            "rank": lambda fact: RANKS[fact.rank - 1] if fact.rank else "",
            "weight": lambda fact: fact.weight or 0,
            "pips": lambda fact: fact.pips or 0,
            "worth": lambda fact: "" if fact.worth is None else dollars(fact.worth),
            "number": lambda fact: str(fact.number),
            "text": _quote,
            "start": lambda fact: Text(STARTS[fact.text]) if fact.text in STARTS else "",
            "end": lambda fact: Text(ENDS[fact.text]) if fact.text in ENDS else fact.text,
            "totals": lambda fact: self._totals(fact.totals),
            "winners": lambda fact: listed([self._player(OWNER[seat]) for seat in fact.winners]),
            "sets": lambda fact: _card_sets(fact.cards),
            "level": lambda fact: listed([self._player(OWNER[seat]) for seat in fact.level]),
            "counts": self._counts,
            "breaker": lambda fact: TIE_BREAKERS.get(fact.text, ""),
        }

    def format(self, fact: Fact) -> Sentence:
        template = SENTENCES[_kind(fact)]
        text = Text(template, **{name: self._words[name](fact) for name in _names_in(template)})
        return Sentence(text, self._written_name(fact.owner))

    def _written_name(self, owner: Owner) -> str:
        """The name if a person wrote it: it keeps its first letter as it is. Else empty."""
        seat = seat_of(owner)
        taken = None if seat is None else self._state.seats[seat]
        is_written = taken is not None and taken.is_person and not taken.is_erased
        return taken.name or "" if taken is not None and is_written else ""

    def _player(self, owner: Owner) -> str:
        seat = seat_of(owner)
        if seat is None:
            return IMAGINARY.get(owner, "")
        names = [self._name(number) for number in range(len(self._state.seats))]
        if names.count(names[seat]) == 1:
            return names[seat]
        return Text("{name} ({seat})", name=names[seat], seat=_seat(seat))

    def _name(self, seat: int) -> str:
        """The name on a seat; bots of one level share theirs."""
        taken = self._state.seats[seat]
        if taken.is_erased:
            return Text(ERASED)
        return taken.name or _seat(seat)

    def _casino(self, casino: Casino | None) -> str:
        if not isinstance(casino, int):
            return EXTRA_CASINO
        name = EDITIONS.of(self._state).casinos[casino - 1]
        return Text("casino {number}", number=casino) if name == str(casino) else f"{name} ({casino})"

    def _payment(self, fact: Fact) -> str:
        """The balance of a payment, in money and chips."""
        money = abs(fact.gain)
        chips = abs(fact.chips)
        parts = []
        if money:
            parts.append(dollars(money))
        if chips:
            parts.append(quantity(chips, "chip"))
        paid = listed(parts) or NOTHING
        return Joined((paid, self._change(fact)), " ") if fact.notes and fact.handed else paid

    def _change(self, fact: Fact) -> str:
        """The notes that the player hands to the bank and those that the player gets for them."""
        return Text(
            "({who} hands over {handed} and gets {notes})",
            who=self._player(fact.owner),
            handed=_money(fact.handed),
            notes=_money(fact.notes),
        )

    def _counts(self, fact: Fact) -> str:
        counted = zip(fact.level, fact.counts, strict=True)
        return Joined(Joined((self._player(OWNER[seat]), str(count)), " ") for seat, count in counted)

    def _totals(self, totals: Sequence[int]) -> str:
        return Joined(
            Joined((self._player(OWNER[seat]), dollars(total)), " ") for seat, total in enumerate(totals)
        )


@cache
def _names_in(template: str) -> tuple[str, ...]:
    """The parameters of a template."""
    return tuple({name: None for _, name, _, _ in Formatter().parse(template) if name})


def _seat(seat: int) -> str:
    return Text("seat {number}", number=seat)


def _quote(fact: Fact) -> str:
    """What a fact quotes: a label, which has no full stop, or a name."""
    return fact.text if isinstance(fact.text, Words) else fact.text.rstrip(".")


def _money(notes: Sequence[int]) -> str:
    if len(notes) > 12:
        return dollars(sum(notes))
    return listed([dollars(note) for note in sorted(notes, reverse=True)])


def _dice(dice: DiceToPlace) -> str:
    parts = []
    if dice.small:
        parts.append(quantity(dice.small, *DICE["" if dice.owner is UNSET else dice.owner]))
    if dice.big:
        parts.append(Text("the big die"))
    if dice.neutral:
        parts.append(quantity(dice.neutral, *DICE["neutral"]))
    return listed(parts)


def _faces(fact: Fact) -> str:
    """What dice show; of a roll, which of them the big die and the neutral ones do."""
    if fact.dice is None:
        return _spaced(fact.faces)
    own = fact.faces[: fact.dice.small]
    big = fact.faces[len(own) : len(own) + fact.dice.big]
    neutral = fact.faces[len(own) + len(big) :]
    if not fact.owner:
        # All dice that no seat rolls are neutral.
        own, neutral = neutral, ()
    parts = [_spaced(own)] if own else []
    parts += [Text("{face} with the big die", face=face) for face in big]
    if len(neutral) == 1:
        parts.append(Text("{face} with a neutral die", face=neutral[0]))
    elif neutral:
        parts.append(Text("{faces} with neutral dice", faces=_spaced(neutral)))
    return listed(parts)


def _card_sets(cards: Sequence[str]) -> str:
    return listed(
        [
            Text(
                "{money} for {cards}",
                money=dollars(CHIP_CARD_SETS[number]),
                cards=quantity(number, "{colour} one", colour=COLOURS.get(colour, colour)),
            )
            for colour, number in Counter(cards).most_common()
        ]
    )


def _spaced(faces: Sequence[int]) -> str:
    return " ".join(map(str, faces))


def _kind(fact: Fact) -> str:
    """The key of the most specific sentence there is for a fact."""
    what = "owed" if fact.what == "paid" and _is_owed(fact) else fact.what
    special = (f"{what}+{mark}" for mark in _marks(fact))
    return next((kind for kind in special if kind in SENTENCES), what)


def _marks(fact: Fact) -> list[str]:
    """What a fact tells beside its kind, the most specific first."""
    several = fact.winners[1:]
    text: Mapping[str, object] = {
        "level_several": fact.level and several,
        "level": fact.level,
        "several": several,
        "imaginary": fact.owner and seat_of(fact.owner) is None,
        "highest": fact.number if fact.pips else None,
        "pips": fact.pips,
        "worth": fact.worth is not None,
        "rank": fact.rank if fact.tile else None,
        "tile": fact.tile,
        "casino": fact.casino,
        "who": fact.owner,
        "laid": fact.cards,
        "text": fact.text,
    }
    return [name for name, value in text.items() if value]


def _is_owed(fact: Fact) -> bool:
    return fact.gain < 0 or (fact.gain == 0 and fact.chips < 0)
