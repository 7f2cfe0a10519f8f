"""Laws that hold at every move and for every game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import takewhile
from typing import Any

import msgspec
from msgspec import UNSET, Struct, to_builtins

from events.agenda import Ask
from events.chain import GENESIS, check_chain, link, redact_commit
from events.commands import Choose
from events.commit import Commit, decode, decode_raw, encode, logged_form
from events.secrecy import Secret, redact
from events.types import (
    CardsPlayed,
    ChipCardsMoved,
    ChipsMoved,
    DiceMoved,
    DicePlaced,
    DiceReturned,
    Event,
    GameEnded,
    NotesMoved,
    RoundEnded,
)
from events.values import BANDIT, BANDIT_STACK, BANK, BLACK, CASINO, CASINO_NUMBERS, GREY, LENT, OWNER, PURSE
from rules import scoring
from rules.chance import Chance
from rules.decide import run_command
from rules.editions import EDITIONS
from rules.evolve import evolve, fold
from rules.legal import choices, legal
from rules.mechanics.card_turn import laid_cards, unseen_cards
from rules.paths import MOST_AT_ONCE
from rules.prompt import Casino, DiceToPlace, Option, PathStep, Target
from rules.state import EMPTY, State, view
from rules.tile import Tile
from service.games.table_view import render_table
from service.languages.catalogue import LANGUAGES
from tests.support.game_loop import Move, Plan, SeededChance


class Things(Struct, frozen=True):
    """Dice by owner and size, notes, chip cards, and the cards of every seat; chips are without number."""

    dice: Counter[tuple[str, str]]
    notes: Counter[int]
    chip_cards: Counter[str]
    cards: tuple[Counter[str], ...]


def check_move(move: Move, things: Things) -> None:
    """All of them, after one move of a game that was dealt these things."""
    check_replay(move)
    check_conservation(move.after, things)
    check_descriptions(move.after)
    check_secrecy(move)


def check_replay(move: Move) -> None:
    """Folding the events again leads to the same table."""
    assert reduce(evolve, move.events, move.before) == move.after


# Things


def things_dealt(plan: Plan) -> Things:
    """What the edition says comes out of the box."""
    rules, dice = EDITIONS.newest[plan.edition], Counter[tuple[str, str]]()
    options = {spec.name: plan.options.get(spec.name, spec.default) for spec in rules.options}
    for lot in rules.dice(plan.players, options):
        dice += Counter({(lot.owner, "small"): lot.small, (lot.owner, "big"): lot.big})
    decks = tuple(Counter(deck) for deck in rules.decks(plan.players))
    return Things(dice, Counter(rules.notes), Counter(rules.chip_cards(options)), decks)


def things_of(state: State) -> Things:
    """Wherever they lie; what lies at a casino is cards where everybody has a deck."""
    dice: Counter[tuple[str, str]] = Counter()
    for place, heap in state.dice.items():
        for owner, lot in heap.items():
            assert lot.small >= 0
            assert lot.big >= 0
            if not state.decks or place not in CASINO:
                colour = BLACK if owner in LENT else owner
                dice[colour, "small"] += lot.small
                dice[colour, "big"] += lot.big
    notes = Counter(note for notes in state.notes.values() for note in notes)
    chip_cards = Counter(card for cards in state.chip_cards.values() for card in cards)
    return Things(dice, notes, chip_cards, tuple(cards_of(state, seat) for seat in range(len(state.decks))))


def cards_of(state: State, seat: int) -> Counter[str]:
    """Hand, glass, casinos and the unseen."""
    hidden = [*state.glasses.get(seat, ()), *([state.hands[seat]] if seat in state.hands else [])]
    known = [card for secret in hidden for card in secret.contents]
    return Counter([*known, *laid_cards(state, seat), *unseen_cards(state, seat)])


def check_conservation(state: State, things: Things) -> None:
    """All are as many as came out of the box; chips come from the bank, which never runs short."""
    assert things_of(state) == things
    assert sum(state.chips.values()) == 0
    assert all(chips >= 0 for place, chips in state.chips.items() if place != BANK)
    if state.roll is not None and state.status == "playing":
        hand = state.supply_of(state.roll.seat)
        assert len(state.roll.own) <= hand.small
        assert state.roll.big is None or hand.big


# Asks


def check_descriptions(state: State) -> None:
    """Every option has a label of its own, the same in the seat's own view; every tile can be shown."""
    for seat in awaited_seats(state):
        options = legal(state, seat)
        labels = {option.label for option in options}
        assert options
        assert "" not in labels
        assert len(labels) == len(options)
        assert legal(view(state, seat), seat) == options
        check_paths(options)
    for code in state.tiles:
        check_declared_members(EDITIONS.of(state).tiles[code], state)


def check_paths(options: Sequence[Option]) -> None:
    """Where there are many options, their paths are a tree with the options as leaves.

    Every question in it has two to six answers with words of their own, in all languages.
    """
    if len(options) <= MOST_AT_ONCE:
        assert all(option.path is UNSET for option in options)
        return
    paths = [option.path for option in options if option.path is not UNSET]
    assert len(set(paths)) == len(options)
    answers: dict[tuple[PathStep, ...], dict[PathStep, None]] = {}
    for path in paths:
        assert path
        for depth, step in enumerate(path):
            answers.setdefault(path[:depth], {})[step] = None
    assert not set(paths) & set(answers)
    for steps in answers.values():
        assert 2 <= len(steps) <= MOST_AT_ONCE
        for language in LANGUAGES.values():
            assert len({language.put(step.label) for step in steps}) == len(steps)


def check_declared_members(tile: Tile, state: State) -> None:
    """All members that the tile declares, each of the type it says, and no others."""
    shown = tile.shows(state)
    assert shown.keys() == tile.members.keys()
    for name, value in msgspec.json.decode(msgspec.json.encode(shown)).items():
        msgspec.convert(value, tile.members[name].shape)


def awaited_seats(state: State) -> tuple[int, ...]:
    return () if state.ask is None else state.ask.awaited


def check_acceptance(state: State, chance: SeededChance) -> None:
    """Whatever is listed can be answered."""
    for seat in awaited_seats(state):
        for choice in choices(state, seat):
            assert run_command(state, Choose(state.asked, seat, choice), chance).events


def check_asks(move: Move) -> None:
    """One ask at most, on top of the agenda; each has the number after the one before."""
    below, asked = move.after.agenda[:-1], move.after.asked - move.before.asked
    assert not any(isinstance(item, Ask) for item in below)
    assert asked in (0, 1)
    ask = move.after.ask
    assert (ask is None) == (move.after.status != "playing")
    assert ask is None or ask.id == move.after.asked
    assert asked or ask is None or move.before.ask is not None


# Secrets


def check_secrecy(move: Move) -> None:
    """Views and events of strangers lack value and salt, and folding what they see gives what they see."""
    if b'"hidden"' not in msgspec.json.encode((move.before, move.events, move.after)):
        assert redact((move.events, move.after), None) == (move.events, move.after)
        return
    sealed = list(secrets(move.after))
    for viewer in (None, *range(len(move.after.seats))):
        check_redaction(move, viewer)
        seen = redact((move.events, move.after), viewer)
        assert all(viewer in secret.audience for secret in secrets(seen) if secret != Secret(secret.hidden))
        told = {str(secret.salt) for secret in sealed if viewer not in secret.audience}
        told |= {secret.contents for secret in pending_secrets(move.after) if viewer not in secret.audience}
        text = msgspec.json.encode((seen, view(move.after, viewer))).decode()
        assert move.after.status == "over" or not any(secret in text for secret in told)


def check_redaction(move: Move, viewer: int | None) -> None:
    """What a viewer makes of the events that reach them is what they may see, fact by fact."""
    state, seen = move.before, redact(move.before, viewer)
    for event in move.events:
        state, seen = evolve(state, event), evolve(seen, redact(event, viewer))
        assert redact(state, viewer) == seen


def pending_secrets(state: State) -> list[Secret[str]]:
    """What waits on the agenda to be revealed."""
    return [item.secret for item in state.agenda if item.secret is not None]


def secrets(thing: Any) -> Iterator[Secret[Any]]:
    """Every secret in a thing, found by looking everywhere."""
    if isinstance(thing, Secret):
        yield thing
    elif isinstance(thing, Struct):
        yield from secrets(tuple(getattr(thing, name) for name in thing.__struct_fields__))
    elif isinstance(thing, (tuple, dict)):
        for item in thing.values() if isinstance(thing, dict) else thing:
            yield from secrets(item)


def check_chance_numbers(game: Sequence[Move], chance: SeededChance) -> None:
    """No running number serves twice for the same, none is left out, and the events tell them in order."""
    told = [number for event in events_of(game) if (number := getattr(event, "chance", None)) is not None]
    assert len(chance.used) == len(set(chance.used))
    assert told == sorted(told)
    assert [*dict.fromkeys(told)] == [*range(game[-1].after.drawn)]
    assert {number for _, number in chance.used} == {*told}


def events_of(game: Sequence[Move]) -> list[Event]:
    return [event for move in game for event in move.events]


def commits_of(game: Sequence[Move]) -> list[Commit]:
    commits: list[Commit] = []
    for version, move in enumerate(game, 1):
        prev, command = commits[-1].hash if commits else GENESIS, logged_form(move.command, move.events)
        commits.append(link(Commit(version, "", "", move.after.release, command, move.events, prev)))
    return commits


def check_log_round_trip(game: Sequence[Move]) -> None:
    """Written, read back and folded, a game is the same; every viewer's copy has the same unbroken chain."""
    commits, last = commits_of(game), game[-1].after
    read = [decode(encode(commit)) for commit in commits]
    assert read == commits
    events = [event for commit in read for event in commit.events]
    assert fold(EMPTY, events) == reduce(evolve, events, EMPTY) == last
    for viewer in (None, *range(len(last.seats))):
        shown = [decode_raw(encode(redact_commit(commit, viewer))) for commit in commits]
        assert check_chain(shown) == commits[-1].hash


def check_result(game: Sequence[Move]) -> None:
    """The result is what the table shows, and what went into the purses on the way."""
    last, events = game[-1].after, events_of(game)
    (ended,) = (event for event in events if isinstance(event, GameEnded))
    assert ended in game[-1].events
    assert ended.totals == scoring.totals(last)
    assert ended.winners == scoring.winners(last) == last.winners
    standings = [standing_of(events, seat) for seat in range(len(last.seats))]
    assert ended.totals == tuple(total for total, _ in standings)
    assert ended.winners == tuple(seat for seat, won in enumerate(standings) if won == max(standings))


def standing_of(events: Sequence[Event], seat: int) -> tuple[int, int]:
    """Money, then notes and chips, added up along the way; sets of chip cards grow by $10,000 a card."""
    notes, chips, cards = list[int](), 0, Counter[str]()
    for event in events:
        match event:
            case NotesMoved(source, target, moved):
                notes += moved if target == PURSE[seat] else ()
                for note in moved if source == PURSE[seat] else ():
                    notes.remove(note)
            case ChipsMoved(source, target, count):
                chips += count * ((target == PURSE[seat]) - (source == PURSE[seat]))
            case ChipCardsMoved(_, target, taken):
                cards.update(taken if target == PURSE[seat] else ())
    sets = sum(10_000 * count * (count + 1) // 2 for count in cards.values())
    return sum(notes) + 10_000 * chips + sets, len(notes) + chips


def check_options(state: State, chance: Chance) -> None:
    """Of every seat that is asked."""
    for seat in awaited_seats(state):
        for option in legal(state, seat):
            targets = list_targets(option)
            assert all(exists(state, seat, target) for target in targets)
            events = run_command(state, Choose(state.asked, seat, option.choice), chance).events
            assert dice_told(option) == dice_moved(events, seat, targets), option


def list_targets(option: Option) -> tuple[Target, ...]:
    """One in `target`, several in `targets`, and never both."""
    if option.targets is UNSET:
        return () if option.target is None else (option.target,)
    assert option.target is None
    assert len(option.targets) > 1
    return option.targets


def exists(state: State, seat: int, target: Target) -> bool:
    ((kind, thing),) = to_builtins(target).items()
    match kind:
        case "casino":
            return thing in CASINO_NUMBERS or (thing == "bandit" and BANDIT in state.notes)
        case "tile":
            return thing in state.tiles
        case "seat":
            return thing != seat and thing in range(len(state.seats))
        case _:
            return thing in state.hands[seat].contents


def dice_told(option: Option) -> dict[str, int]:
    """What the option says, by owner and size."""
    dice = DiceToPlace(0, 0) if option.dice is UNSET else option.dice
    owner = "own" if dice.owner is UNSET else dice.owner
    counts = {f"{owner} small": dice.small, f"{owner} big": dice.big, "neutral": dice.neutral}
    return {name: count for name, count in counts.items() if count}


def dice_moved(events: Iterable[Event], seat: int, targets: tuple[Target, ...]) -> dict[str, int]:
    """What came of it there, before the round ends; dice of others that follow are not the option's."""
    counts: dict[str, int] = {}
    for event in until_round_ends(events):
        match event:
            case DicePlaced(small=small, big=big, neutral=neutral) if lies_at(event.target, targets):
                found = {"own small": small, "own big": big, "neutral": neutral}
            case DiceMoved(owner=owner, small=small, big=big) if lies_at(event.target, targets):
                whose = "own" if owner == OWNER[seat] or event.turned == LENT[seat] else owner
                found = {f"{whose} small": small, f"{whose} big": big} if whose in ("own", GREY) else {}
            case _:
                found = {}
        for name, count in found.items():
            counts[name] = counts.get(name, 0) + count
    return {name: count for name, count in counts.items() if count}


def until_round_ends(events: Iterable[Event]) -> Iterator[Event]:
    for event in events:
        if isinstance(event, RoundEnded):
            return
        yield event


def lies_at(place: str, targets: tuple[Target, ...]) -> bool:
    return any(place in places_of(target) or place.startswith(f"{target.tile}-") for target in targets)


def places_of(target: Target) -> tuple[str, ...]:
    if target.casino is UNSET:
        return ()
    return BANDIT_STACK if isinstance(target.casino, str) else (CASINO[target.casino],)


def check_standings(state: State, chance: Chance) -> int:
    """Of every seat that is asked; how many options could be held against the table after them."""
    return sum(
        _holds(state, seat, option, chance) for seat in awaited_seats(state) for option in legal(state, seat)
    )


def _holds(state: State, seat: int, option: Option, chance: Chance) -> bool:
    casino = casino_of(option)
    if option.standing is UNSET:
        assert casino is None or not dice_told(option), option
        return False
    assert casino is not None, option
    command = Choose(state.asked, seat, option.choice)
    events = list(takewhile(is_before_payout, run_command(state, command, chance).events))
    there = [event for event in events if touches(event, casino)]
    if not is_all_of_it(there):
        return False
    # Cut off before the payout, the state still has the old ask, whose options may be gone: no seat looks.
    after = render_table(fold(state, events), None, 1)
    found = {shown.number: shown.standing for shown in after.casinos}
    assert option.standing == found[casino], option
    return True


def casino_of(option: Option) -> Casino | None:
    """The one that it is about, by its number or by the cards that go there."""
    casinos = [
        int(target.card[0]) if target.card is not UNSET else target.casino for target in list_targets(option)
    ]
    (casino,) = casinos[:1] if len(set(casinos)) == 1 else (UNSET,)
    return None if casino is UNSET else casino


def is_before_payout(event: Event) -> bool:
    """Ties leave first, then notes; where nothing is won the round just ends."""
    paid = isinstance(event, NotesMoved) and event.source in (BANDIT, *CASINO)
    return not paid and not isinstance(event, DiceReturned | RoundEnded)


def is_all_of_it(there: list[Event]) -> bool:
    """Whether nothing else happened there: a choice moves dice once, or both black ones, each on its own."""
    return len(there) == 1 or all(isinstance(event, DiceMoved) and event.owner == BLACK for event in there)


def touches(event: Event, casino: Casino) -> bool:
    """Whether dice or notes come there or go."""
    match event:
        case DicePlaced(target=target):
            return _lies_at(target, casino)
        case DiceMoved(source=source, target=target) | NotesMoved(source=source, target=target):
            return _lies_at(source, casino) or _lies_at(target, casino)
        case CardsPlayed(cards=cards):
            return any(int(card[0]) == casino for card in cards)
        case _:
            return False


def _lies_at(place: str, casino: Casino) -> bool:
    return place.startswith(BANDIT) if isinstance(casino, str) else place == CASINO[casino]
