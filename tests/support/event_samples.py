"""Samples and Hypothesis strategies for every event and command."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import astuple, replace

from events.agenda import Answer, Ask, Step
from events.chain import GENESIS, link
from events.commands import (
    Cancel,
    Choose,
    Close,
    Command,
    Create,
    Fork,
    Leave,
    Rematch,
    Return,
    Sit,
    Start,
    Void,
)
from events.commit import Commit, encode
from events.secrecy import Secret, seal
from events.types import (
    AgendaChanged,
    CardsDealt,
    CardsPlayed,
    CasinoClosed,
    CasinoOpened,
    ChipCardsMoved,
    ChipsMoved,
    Chosen,
    CounterMoved,
    DiceMoved,
    DicePlaced,
    DiceReturned,
    DiceRolled,
    Event,
    GameClosed,
    GameCreated,
    GameEnded,
    GameForked,
    GameStarted,
    NotesMoved,
    RematchMade,
    Revealed,
    RoundEnded,
    RoundStarted,
    SeatLeft,
    SeatReturned,
    SeatTaken,
    TilesLaid,
    TokenMoved,
    TurnStarted,
    VoidVoted,
)
from events.values import Lot, Origin, SeatPlan

SALT = "000102030405060708090a0b0c0d0e0f"
SEED = "5eed" * 16
ANNA = SeatPlan(name="Anna", entropy="four leaf clover")
PLAN = (ANNA, SeatPlan(bot="greedy"), SeatPlan())
CHOICE = seal("bet-high", SALT, (1,))
HAND: Secret[tuple[str, ...]] = seal(("2", "5d"), SALT[::-1], (2,))

FORMAT_1: tuple[Event, ...] = (
    GameCreated(
        "g_sample", "royale", {"tiles": 2, "hide_money": True, "tile_codes": ("A1", "B2")}, PLAN, "c0", "1"
    ),
    SeatTaken(2, "Zoë", "a long walk"),
    GameStarted((60000, 30000), (Lot("supply-0", "seat-0", 7, 1),), (("1", "2d"), ("3",)), ("chips-2",)),
    RoundStarted(1, 2, 0),
    TurnStarted(1),
    DiceRolled(3, 0, (1, 3, 3), 6, (2,), (4, 4)),
    DicePlaced(0, 3, "casino-3", 2, 1, 1),
    DiceMoved("seat-0", "supply-0", "casino-3", 2, 1, 3, "neutral"),
    DiceReturned("casino-3", ("seat-0", "seat-1")),
    NotesMoved("pile", "casino-1", (90000, 10000), 4),
    ChipsMoved("bank", "purse-1", 2),
    ChipCardsMoved("pile", "purse-0", ("chips-2",), 5),
    CardsDealt(2, HAND, 6),
    CardsPlayed(2, ("2",), HAND, 7),
    TilesLaid(("A1", "B2"), 8),
    TokenMoved("limousine", "casino-5"),
    CounterMoved("jackpot", 40000),
    CasinoClosed(3),
    CasinoOpened(3),
    Chosen(9, 0, "place-3", 10),
    Chosen(10, 1, CHOICE, 11),
    Revealed(CHOICE.hidden, 1, "bet-high", SALT),
    AgendaChanged(
        (
            Step("payout", 1, 2, "C1", (3, "low"), CHOICE),
            Ask(
                id=11,
                prompt="turn.place",
                seats=(0, 1),
                options=("pass", "place-3"),
                answers=(Answer(0, "pass"), Answer(1, CHOICE)),
                number=4,
                tile="D2",
                data=(5, "high"),
                secret=CHOICE,
            ),
        )
    ),
    RoundEnded(4),
    GameEnded((0, 2), (120000, 90000, 120000), SEED),
)
# Fields that came later; the log of all samples goes on where the stored one ends.
ADDED: tuple[Event, ...] = (
    NotesMoved("casino-3", "under", (70000,), winner="neutral"),
    GameStarted((60000,), tiles=("A1", "A2")),
    GameClosed("abandoned", SEED),
)

# The stored logs go round these in turn, so none may join them.
FORMAT_1_COMMANDS: tuple[Command, ...] = (
    Create("g_sample", "royale", PLAN, "c0", {"tiles": 2}),
    Sit(2, "Zoë", "a long walk"),
    Choose(9, 0, "place-3"),
    Choose(10, 1, CHOICE),
)
PLAYER = ("p_sample", "d0" * 32)
SEATED = SeatPlan(None, None, "a black cat", *PLAYER)
REMOTE = SeatPlan("My program", seconds=5, fallback="steady")
# Commands that came later, each with what it caused.
LATER: tuple[tuple[Command, Event], ...] = (
    (
        Create("g_players", "classic", (SEATED, SeatPlan()), "c0"),
        GameCreated("g_players", "classic", {}, (SEATED, SeatPlan()), "c0", "2"),
    ),
    (Sit(1, "", "a new moon", *PLAYER), SeatTaken(1, "", "a new moon", *PLAYER)),
    (Leave(0, "greedy", for_good=True), SeatLeft(0, "greedy", for_good=True)),
    (Return(0), SeatReturned(0)),
    (Start(0, "greedy"), SeatTaken(1, "greedy", "luck", bot="greedy")),
    (Cancel(0), GameClosed("cancelled", SEED)),
    (Void(1, agrees=False), VoidVoted(1, agrees=False)),
    (Choose(11, 0, "place-3", "greedy", "timeout"), SeatLeft(0, "greedy")),
    (Rematch(0, "g_next"), RematchMade("g_next")),
    (
        Create("g_next", "royale", PLAN, "c0", {"on_timeout": "takeover:greedy"}, "g_sample"),
        GameCreated("g_next", "royale", {"on_timeout": "takeover:greedy"}, PLAN, "c0", "1", "g_sample"),
    ),
    (
        Create("g_own", "classic", PLAN, "c0", visibility="private"),
        GameCreated("g_own", "classic", {}, PLAN, "c0", "2", visibility="private"),
    ),
    (
        Fork("g_fork", Origin("g_sample", 17, "aa"), PLAN, "c1", "unlisted"),
        GameForked("g_fork", Origin("g_sample", 17, "aa"), PLAN, "c1", SEED, "unlisted"),
    ),
    (
        Create("g_remote", "classic", (REMOTE, ANNA), "c0"),
        GameCreated("g_remote", "classic", {}, (REMOTE, ANNA), "c0", "2"),
    ),
    (
        Create("g_box", "classic", PLAN, "c0", sandbox=True),
        GameCreated("g_box", "classic", {}, PLAN, "c0", "2", sandbox=True),
    ),
    (
        Fork("g_again", Origin("g_sample", 17, "aa"), PLAN, "c1", same_dice=True),
        GameForked("g_again", Origin("g_sample", 17, "aa"), PLAN, "c1", SEED, same_dice=True),
    ),
)
EVENTS = (*FORMAT_1, *ADDED, *(event for _, event in LATER))
COMMANDS: tuple[Command, ...] = (
    *FORMAT_1_COMMANDS,
    Close("abandoned"),
    *(command for command, _ in LATER),
)


def members(union: Any) -> set[type]:
    return set(get_args(union))


def structs_in(thing: Any) -> Iterator[Struct]:
    """Every struct in it, itself included."""
    if isinstance(thing, Struct):
        yield thing
        thing = astuple(thing)
    if isinstance(thing, tuple):
        for item in thing:
            yield from structs_in(item)


def next_commit(
    head: tuple[int, str], events: Sequence[Event] = EVENTS[:1], command: Command = COMMANDS[0]
) -> Commit:
    """The commit that follows a head."""
    version, prev = head
    at = f"2026-11-15T12:00:00.{version % 1000:03d}Z"
    return link(Commit(version + 1, at, "seat-0", "1", command, tuple(events), prev))


def with_key(commit: Commit, key: str, request: str = "the request") -> Commit:
    return replace(commit, key=key, request=request)


def chain_commits(batches: Iterable[Sequence[Event]]) -> Iterator[Commit]:
    """One chained commit for each batch of events."""
    head = (0, GENESIS)
    for events, command in zip(batches, cycle(FORMAT_1_COMMANDS)):
        commit = next_commit(head, events, command)
        yield commit
        head = commit.version, commit.hash


def sample_log() -> list[Commit]:
    """Every sample event in a commit of its own; what came with a command of its own stands at the end."""
    *events, closed = (*FORMAT_1, *ADDED)
    commits = list(chain_commits([event] for event in events))
    for command, event in ((Close("abandoned"), closed), *LATER):
        commits.append(next_commit((commits[-1].version, commits[-1].hash), [event], command))
    return commits


if __name__ == "__main__":
    # Makes a file for tests/stored after a change of form.
    sys.stdout.buffer.write(b"".join(encode(commit) + b"\n" for commit in sample_log()))


SEATS = st.integers(0, 5)
SALTS = st.binary(min_size=16, max_size=16).map(bytes.hex)
AUDIENCES = st.lists(SEATS, max_size=3, unique=True).map(tuple)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(-(2**53), 2**53),
    str: st.text(max_size=12),
    NoneType: st.none(),
}


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of this type; secrets come with a true commitment."""
    if kind in PLAIN:
        return PLAIN[kind]
    if isinstance(kind, type) and issubclass(kind, Struct):
        return _values_of_struct(kind)
    return _values_of_generic(get_origin(kind), get_args(kind))


def _values_of_struct(kind: type[Struct]) -> st.SearchStrategy[Any]:
    return st.builds(kind, **{name: values_of(hint) for name, hint in get_type_hints(kind).items()})


def _values_of_generic(origin: Any, args: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    if origin in (Union, UnionType):
        return st.one_of(*map(values_of, args))
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        return st.lists(values_of(args[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(values_of(args[0]), values_of(args[1]), max_size=3)
    if origin is Secret:
        return st.builds(seal, values_of(args[0]), SALTS, AUDIENCES)
    raise TypeError(f"no strategy for {origin}")


events: st.SearchStrategy[Event] = values_of(Event)
commands: st.SearchStrategy[Command] = values_of(Command)
secrets: st.SearchStrategy[Secret[Any]] = values_of(Secret[str]) | values_of(Secret[tuple[str, ...]])
