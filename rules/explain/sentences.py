"""Renders facts as sentences in a given language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from events.values import OWNER, Owner, seat_of
from rules.editions import EDITIONS
from rules.explain.english import ENGLISH
from rules.explain.facts import COUNTED
from rules.explain.german import GERMAN
from rules.explain.language import Language
from rules.explain.scene import Fact
from rules.prompt import Casino
from rules.scoring import CHIP_CARD_SETS
from rules.state import State

LANGUAGES: Mapping[str, Language] = {"en": ENGLISH, "de": GERMAN}


def format_facts(facts: Sequence[Fact], state: State, language: str) -> tuple[str, ...]:
    """Return one sentence for each fact; the ties of one place are told once."""
    formatter = FactFormatter(state, LANGUAGES[language])
    told_ties = set[tuple[object, ...]]()
    sentences = list[str]()
    for fact in facts:
        tie = (fact.casino, fact.tile, frozenset((fact.owner, *fact.others)))
        if fact.what != "tied" or tie not in told_ties:
            sentences.append(formatter.format(fact))
            told_ties.add(tie)
    return tuple(sentences)


class FactFormatter(Struct, frozen=True):
    """Formats facts with the names at one table, in one language."""

    state: State
    language: Language

    def format(self, fact: Fact) -> str:
        language = self.language
        words = {
            "who": self._player(fact.owner),
            "tied": language.join([self._player(owner) for owner in (fact.owner, *fact.others)]),
            "casino": self._casino(fact.casino),
            "tile": EDITIONS.of(self.state).tiles[fact.tile].name if fact.tile else "",
            "money": self._money(fact.notes),
            "paid": self._payment(fact),
            "dice": language.dice(fact.dice) if fact.dice else "",
            "faces": self._faces(fact),
            "laid": " ".join(language.colours.get(card, card) for card in fact.cards),
            "rank": language.ranks[fact.rank - 1] if fact.rank else "",
            "weight": fact.weight,
            "pips": fact.pips,
            "worth": "" if fact.worth is None else language.dollars(fact.worth),
            "number": fact.number,
            "text": fact.text.rstrip("."),
            "start": language.starts.get(fact.text, ""),
            "end": language.ends.get(fact.text, fact.text),
            "totals": self._totals(fact.totals),
            "winners": language.join([self._player(OWNER[seat]) for seat in fact.winners]),
            "sets": self._card_sets(fact.cards) if fact.what == COUNTED else "",
            "level": language.join([self._player(OWNER[seat]) for seat in fact.level]),
            "counts": self._counts(fact),
            "breaker": language.tie_breakers.get(fact.text, ""),
        }
        sentence = language.sentences[_kind(fact, language)]
        text = sentence.format(**words)
        if not (re.match("{who}", sentence) and self._wrote_name(fact.owner)):
            text = text[0].upper() + text[1:]
        # Some tiles end with a mark of their own.
        return text.replace("!.", "!").replace("?.", "?")

    def _wrote_name(self, owner: Owner) -> bool:
        """Whether the name was written by a person: it keeps its first letter as it is."""
        seat = seat_of(owner)
        taken = None if seat is None else self.state.seats[seat]
        return taken is not None and taken.is_person and not taken.is_erased

    def _player(self, owner: Owner) -> str:
        seat = seat_of(owner)
        if seat is None:
            return self.language.imaginary.get(owner, "")
        names = [self._name(number) for number in range(len(self.state.seats))]
        number = self.language.seat.format(seat)
        return names[seat] if names.count(names[seat]) == 1 else f"{names[seat]} ({number})"

    def _name(self, seat: int) -> str:
        """The name on a seat; bots of one level share theirs."""
        taken = self.state.seats[seat]
        if taken.is_erased:
            return self.language.erased
        return taken.name or self.language.seat.format(seat)

    def _casino(self, casino: Casino | None) -> str:
        if not isinstance(casino, int):
            return self.language.extra_casino
        name = EDITIONS.of(self.state).casinos[casino - 1]
        number = self.language.casino.format(casino)
        return number if name == str(casino) else f"{name} ({casino})"

    def _money(self, notes: Sequence[int]) -> str:
        if len(notes) > 12:
            return self.language.dollars(sum(notes))
        return self.language.join([self.language.dollars(note) for note in sorted(notes, reverse=True)])

    def _faces(self, fact: Fact) -> str:
        """What dice show; of a roll, which of them the big die and the neutral ones do."""
        if fact.dice is None:
            return _spaced(fact.faces)
        own = fact.faces[: fact.dice.small]
        big = fact.faces[len(own) : len(own) + fact.dice.big]
        neutral = fact.faces[len(own) + len(big) :]
        if not fact.owner:
            # All dice that no seat rolls are neutral.
            own, neutral = neutral, ()
        few = self.language.neutral_die if len(neutral) == 1 else self.language.neutral_dice
        parts = [_spaced(own)] if own else []
        parts += [self.language.big_die.format(face) for face in big]
        parts += [few.format(_spaced(neutral))] if neutral else []
        return self.language.join(parts)

    def _payment(self, fact: Fact) -> str:
        """The balance of a payment, in money and chips."""
        money = abs(fact.gain)
        chips = abs(fact.chips)
        parts = []
        if money:
            parts.append(self.language.dollars(money))
        if chips:
            parts.append(self.language.chips(chips))
        paid = self.language.join(parts) or self.language.nothing
        return f"{paid} {self._change(fact)}" if fact.notes and fact.handed else paid

    def _change(self, fact: Fact) -> str:
        """The notes that the player hands to the bank and those that the player gets for them."""
        who = self._player(fact.owner)
        return self.language.change.format(who, self._money(fact.handed), self._money(fact.notes))

    def _card_sets(self, cards: Sequence[str]) -> str:
        colours = Counter(cards)
        language = self.language
        return language.join(
            [
                language.card_set(language.colours.get(colour, colour), number, CHIP_CARD_SETS[number])
                for colour, number in colours.most_common()
            ]
        )

    def _counts(self, fact: Fact) -> str:
        counted = zip(fact.level, fact.counts, strict=True)
        return ", ".join(f"{self._player(OWNER[seat])} {count}" for seat, count in counted)

    def _totals(self, totals: Sequence[int]) -> str:
        return ", ".join(
            f"{self._player(OWNER[seat])} {self.language.dollars(total)}" for seat, total in enumerate(totals)
        )


def _spaced(faces: Sequence[int]) -> str:
    return " ".join(map(str, faces))


def _kind(fact: Fact, language: Language) -> str:
    """The key of the most specific sentence that the language has for a fact."""
    what = "owed" if fact.what == "paid" and _is_owed(fact) else fact.what
    special = (f"{what}+{mark}" for mark in _marks(fact))
    return next((kind for kind in special if kind in language.sentences), what)


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
