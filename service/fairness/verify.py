"""Verifies a finished game from its commits alone: `verify`, far below, is the entry point.

It checks the hash chain, the seeds that were committed to, and every event, decided again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from events.chain import Broken, check_chain, link
from events.commands import Choose, Close, Command, Create, Fork, Leave, Start
from events.commit import FORMAT, BotNote, Commit, Unreadable, convert_raw, logged_form, upcast
from events.secrecy import Secret
from events.text import Text
from events.types import DiceRolled, Event, GameCreated, GameStarted, SeatLeft, SeatTaken
from events.values import SeatPlan
from rules import EDITIONS, Rejected, State
from rules.decide import run_command
from rules.options import MOST_TURN_SECONDS, ON_TIMEOUT
from rules.releases import Editions, UnknownRules, restrict
from rules.seats import AWAY, TIMEOUT, stand_in
from rules.state import EMPTY, SANDBOX
from rules.table import Table
from service.fairness.clocks import CLOCK, NO_LIMIT, STAND_IN, check_clock, spend_time
from service.fairness.dice import FairDice, dice_for
from service.fairness.segments import Segment, find_segments
from service.timestamps import is_stamp

CREATOR = "creator"


def check_author(commit: Commit, state: State) -> None:
    """Raise Broken if a commit names an author, a reason or a bot that does not fit its command.

    `state` is the state that the command was made in.
    """
    command = commit.command
    fault = _find_reason_fault(commit, state) or _find_plan_fault(command, state)
    if fault:
        raise Broken(commit.version, fault)
    if commit.by != _name_author(commit, state):
        raise Broken(
            commit.version, Text("it is not by {by} that such a command is made there", by=commit.by)
        )
    if not _fits_note(commit.bot, _find_level(command, state), state):
        raise Broken(commit.version, "its note tells of another bot than answers there, or of none")


def _name_author(commit: Commit, state: State) -> str:
    """Return the author that a commit must name."""
    match commit.command:
        case Create() | Fork():
            return CREATOR
        case Close():
            return CLOCK
        case Choose(why=why, bot=bot) if why:
            return CLOCK if why == TIMEOUT else STAND_IN + bot
        case Choose(seat=seat):
            return CLOCK if _is_unnamed_clock(commit, state) else f"seat-{seat}"
        case command:
            return f"seat-{command.seat}"


def _is_unnamed_clock(commit: Commit, state: State) -> bool:
    """Return whether the clock gave this answer in a game from before W9, unnamed in the command."""
    answer = commit.command
    person = isinstance(answer, Choose) and state.seats[answer.seat].acting_bot is None
    return person and commit.by == CLOCK and not _is_told(state)


def _is_told(state: State) -> bool:
    """Return whether the log of a game says why a bot answers and which: since there is `on_timeout`."""
    return ON_TIMEOUT.name in state.options


def _find_reason_fault(commit: Commit, state: State) -> str | None:
    """Return what is wrong with an answer that a bot gave for a person, or None (W9).

    A bot answers only in the place of a person, and the answer says why.
    """
    answer = commit.command
    if not isinstance(answer, Choose) or not (answer.bot or answer.why):
        return None
    seat = state.seats[answer.seat]
    if not answer.bot or answer.why not in (TIMEOUT, AWAY):
        return Text("a bot answers there without a right to, or without saying why")
    return Text("the clock answers there for a bot") if answer.why == TIMEOUT and seat.acting_bot else None


def _find_level(command: Command, state: State) -> str | None:
    """Return the bot whose answer a command is; None if a person gave it."""
    return (command.bot or state.seats[command.seat].bot) if isinstance(command, Choose) else None


def _fits_note(note: BotNote | None, level: str | None, state: State) -> bool:
    """Return whether a commit's note on a bot is complete and names the bot of that level."""
    if note is None:
        return level is None or not _is_told(state)
    given = note.instead_of or note.name
    excused = bool(note.instead_of) == bool(note.fault) and note.name != note.instead_of
    return given == level and excused and bool(note.name and note.build and note.view) and note.budget >= 0


def _find_plan_fault(command: Command, state: State) -> str | None:
    """Return what is wrong with the seats or bots that a command names, or None."""
    match command:
        case Create(seats=seats) | Fork(seats=seats):
            return None if _are_plans(seats) else "a seat of it has a deadline or a fallback that none has"
        case Leave(bot=bot) if bot != (stand_in(state) if state.status == "playing" else ""):
            return Text("{bot} does not answer for who leaves there", bot=bot or Text("nobody"))
        case Start(bot=""):
            return Text("it names no bot for the open seats")
        case _:
            return None


def _are_plans(seats: Sequence[SeatPlan]) -> bool:
    """Return whether each seat has a deadline and a fallback, as external programs do, or neither (W13)."""
    return all(
        0 <= plan.seconds <= MOST_TURN_SECONDS and bool(plan.seconds) == bool(plan.fallback) for plan in seats
    )


LONGEST_TEXT = 500


def find_rules(commits: Sequence[Commit], created: GameCreated, editions: Editions) -> Editions:
    """Return the rules that a game was created under, without later tiles. Raises UnknownRules."""
    started = (event for commit in commits for event in commit.events if isinstance(event, GameStarted))
    tiles = next((event.tiles for event in started), ())
    known = editions.find(created.edition, created.rules, created.options, tiles)
    return Editions((restrict(known, created.options, tiles),))


class DecidedCommit(Struct, frozen=True):
    """Holds a commit whose command was decided again, the state before, and the table after."""

    commit: Commit
    before: State
    table: Table


def replay_commits(
    commits: Sequence[Commit], seeds: Sequence[bytes], editions: Editions
) -> Iterator[DecidedCommit]:
    """Decide every command again, each on the state that the ones before led to, with its seed.

    Raises Rejected at the first command that the rules refuse.
    """
    state = EMPTY
    for commit, seed in zip(commits, seeds, strict=True):
        table = run_command(state, commit.command, dice_for(seed, state, commit.command), editions)
        yield DecidedCommit(commit, state, table)
        state = table.state


def decide_again(
    raws: Sequence[Any], commits: Sequence[Commit], seeds: Sequence[bytes], editions: Editions
) -> None:
    """Check every commit against its command, decided again. Raises Broken at the first that differs."""
    ask_opened_at = ""
    clocks = NO_LIMIT
    replayed = replay_commits(commits, seeds, editions)
    for raw, commit in zip(raws, commits, strict=True):
        _check_replayable(commit)
        try:
            decided = next(replayed)
        except Rejected as refusal:
            raise Broken(
                commit.version, Text("its command is not allowed there: {detail}", detail=refusal.detail)
            ) from refusal
        before = decided.before
        after = decided.table.state
        _compare(raw, commit, decided.table.events)
        check_author(commit, before)
        check_clock(commit, before, ask_opened_at, clocks.left)
        clocks = spend_time(clocks, ask_opened_at, before, commit, after)
        if (after.asked, after.game) != (before.asked, before.game):
            ask_opened_at = commit.at


def _check_replayable(commit: Commit) -> None:
    """Raise Broken if a commit cannot be decided again: its answer is hidden, or it creates a game twice."""
    command = commit.command
    if isinstance(command, Choose) and isinstance(command.choice, Secret) and command.choice.value is None:
        raise Broken(commit.version, "its answer is covered: the export was made before the end")
    if isinstance(command, Create) != (commit.version == 1):
        raise Broken(commit.version, "a game begins with its creation and is created once")


def _compare(raw: dict[str, Any], commit: Commit, events: Sequence[Event]) -> None:
    """Raise Broken if a commit differs from the one that its command leads to.

    Compares byte for byte what the given commit does not hide; the hash covers the rest.
    """
    given = upcast(raw)
    ours = replace(commit, command=logged_form(commit.command, events), events=tuple(events))
    _check_same(commit.version, "its command", given["command"], ours.command)
    for number, (one, other) in enumerate(zip(given["events"], events, strict=False), 1):
        _check_same(commit.version, Text("event {number}", number=number), one, other)
    if len(given["events"]) != len(events):
        raise Broken(
            commit.version,
            Text(
                "it has {count} events where {expected} follow",
                count=len(given["events"]),
                expected=len(events),
            ),
        )
    if raw.get("format", 1) == FORMAT and link(ours).hash != raw["hash"]:
        raise Broken(commit.version, "it has members that no commit has")


def _check_same(version: int, what: str, given: Any, ours: Any) -> None:
    """Raise Broken if a part of a commit is not the expected one, except for hidden secrets."""
    expected = msgspec.json.decode(msgspec.json.encode(ours))
    if _cover_like(expected, given) != given:
        raise Broken(
            version,
            Text(
                "{what} should be {expected} and is {given}",
                what=what,
                expected=_text(expected),
                given=_text(given),
            ),
        )


def _cover_like(ours: Any, given: Any) -> Any:
    """Return `ours` with the secrets hidden that `given` hides."""
    if isinstance(ours, dict) and isinstance(given, dict):
        if "hidden" in ours and given.keys() == {"hidden"}:
            return {"hidden": ours["hidden"]}
        return {name: _cover_like(item, given.get(name)) for name, item in ours.items()}
    if isinstance(ours, list) and isinstance(given, list) and len(ours) == len(given):
        return [_cover_like(one, other) for one, other in zip(ours, given, strict=True)]
    return ours


def _text(thing: Any) -> str:
    """Return a value as JSON, shortened for a message."""
    text = msgspec.json.encode(thing).decode()
    return text if len(text) < LONGEST_TEXT else text[:LONGEST_TEXT] + "…"


def check_rolls(segments: Sequence[Segment], sandbox: bool = False) -> None:
    """Raise Broken at the first commit with a roll or a salt that does not follow from the seed."""
    before: Event | None = None
    number = -1
    name = ""
    entropy: Sequence[str] = ()
    for segment in segments:
        if not segment.same_dice:
            name = SANDBOX if sandbox else segment.game
            entropy = [plan.entropy for plan in segment.seats]
        entropy = _add_entropy(entropy, segment.commits)
        dice = FairDice(segment.seed, name, entropy)
        for commit, event in _chance_events(segment.commits):
            number = _next_number(commit, event, number, before)
            _check_chance(commit, event, dice, number)
            before = event


def _check_chance(commit: Commit, event: Event, dice: FairDice, number: int) -> None:
    """Raise Broken if an event's dice or salts do not follow from the seed."""
    if isinstance(event, DiceRolled):
        _check_roll(commit, event, dice)
    _check_salts(commit, event, dice.salt(number))


def _add_entropy(planned: Sequence[str], commits: Sequence[Commit]) -> list[str]:
    """Return the entropy of each seat after these commits. Raises Broken if a seat does not exist.

    All seats count: nothing is rolled before the last one is taken (P7).
    """
    entropy = [*planned]
    for version, event in _seat_changes(commits):
        if not 0 <= event.seat < len(entropy):
            raise Broken(version, Text("there is no seat {seat}", seat=event.seat))
        # A player who leaves the lobby takes the entropy along; in play the bot that follows keeps it.
        if not (isinstance(event, SeatLeft) and event.bot):
            entropy[event.seat] = getattr(event, "entropy", "")
    return entropy


def _seat_changes(commits: Sequence[Commit]) -> Iterator[tuple[int, SeatTaken | SeatLeft]]:
    """Yield every event in which a seat is taken or left, with its version."""
    for commit in commits:
        for event in commit.events:
            if isinstance(event, (SeatTaken, SeatLeft)):
                yield commit.version, event


def _chance_events(commits: Sequence[Commit]) -> Iterator[tuple[Commit, Event]]:
    """Yield every event that has a running number of chance, with its commit."""
    for commit in commits:
        for event in commit.events:
            if getattr(event, "chance", None) is not None:
                yield commit, event


def _next_number(commit: Commit, event: Event, last: int, before: Event | None) -> int:
    """Return the running number of an event. Raises Broken if it is not the next one.

    Only events of one draw share a number. With gaps, a service could choose among rolls.
    """
    number: int = getattr(event, "chance", -1)
    shared = number == last and type(event) is type(before) and not isinstance(event, DiceRolled)
    if number != last + 1 and not shared:
        raise Broken(
            commit.version,
            Text("its running number is {number} where {last} is next", number=number, last=last + 1),
        )
    return number


def _check_roll(commit: Commit, event: DiceRolled, dice: FairDice) -> None:
    """Raise Broken if the dice of a roll do not follow from the seed.

    Small dice come first, then the big one; those of a seat before its neutral ones.
    """
    big = () if event.big is None else (event.big,)
    lots = (event.own, big, event.neutral) if event.seat is not None else (event.neutral, big, event.black)
    faces = iter(dice.dice(event.chance, sum(map(len, lots))))
    for lot in lots:
        rolled = tuple(next(faces) for _ in lot)
        # Black dice lie as they fell, all others in rising order.
        expected = rolled if lot is event.black else tuple(sorted(rolled))
        if lot != expected:
            raise Broken(
                commit.version,
                Text(
                    "its roll {chance} should be {expected} and is {lot}",
                    chance=event.chance,
                    expected=str(expected),
                    lot=str(lot),
                ),
            )


def _check_salts(commit: Commit, event: Event, salt: str) -> None:
    """Raise Broken if a secret of an event has another salt than the seed gives."""
    for thing in asdict(event).values():
        if isinstance(thing, Secret) and thing.salt not in (None, salt):
            raise Broken(commit.version, "a secret's salt is not the one that the seed gives")


Segments = Sequence[Segment]


# Whether anybody could know the dice before: none could, the creator chose them, or they are of another game.
Luck = Literal["drawn", "chosen", "known"]


class Verdict(Struct, frozen=True):
    """`ok` is null where all that can be checked holds, and `unchecked` says what could not and why.

    Of dice that were not `drawn` for the game a verdict proves that they follow from the seed, and nothing
    about luck.
    """

    ok: bool | None
    commits: int
    events: int = 0
    game: str = ""
    head: str = ""
    version: int | None = None
    fault: str | None = None
    unchecked: str | None = None
    luck: Luck = "drawn"


def verify(raws: Sequence[Any], editions: Editions = EDITIONS) -> Verdict:
    """Verify a game from its commits, as exported or as stored, from first to last, and return the verdict.

    Raises nothing for a bad game: the verdict has the fault. Decides the whole game again, which takes a
    while.
    """
    try:
        head = check_chain(raws)
        commits = [_read(version, raw) for version, raw in enumerate(raws, 1)]
        _check_times(commits)
        segments = find_segments(commits)
        created = _find_creation(commits)
        unchecked = _check_events(raws, commits, created, segments, editions)
    except Broken as broken:
        return Verdict(False, len(raws), version=broken.version or None, fault=broken.why)
    except RecursionError:
        return Verdict(False, len(raws), fault="it is nested too deeply to be a game")
    return Verdict(
        ok=None if unchecked else True,
        commits=len(raws),
        events=sum(len(commit.events) for commit in commits),
        game=segments[-1].game,
        head=head,
        unchecked=unchecked,
        luck=_judge_luck(created, segments[-1]),
    )


def _judge_luck(created: GameCreated, last: Segment) -> Luck:
    """Return whether the dice of a game were drawn for it, chosen by its creator, or known before."""
    if created.sandbox:
        return "chosen"
    return "known" if last.same_dice else "drawn"


def _check_events(
    raws: Sequence[Any],
    commits: Sequence[Commit],
    created: GameCreated,
    segments: Segments,
    editions: Editions,
) -> str | None:
    """Decide all commits again and raise Broken at the first that differs.

    By unknown rules nothing can be decided: then check the rolls, and return what was not checked.
    """
    try:
        rules = find_rules(commits, created, editions)
    except UnknownRules as unknown:
        check_rolls(segments, created.sandbox)
        return Text("this program does not know {unknown}", unknown=str(unknown))
    seeds = [segment.seed for segment in segments for _ in segment.commits]
    decide_again(raws, commits, seeds, rules)
    return None


def _read(version: int, raw: dict[str, Any]) -> Commit:
    """Return the commit that is stored like this. Raises Broken if it is none."""
    if raw.get("format", 1) not in range(FORMAT + 1):
        raise Broken(version, "it is written in a format that this program does not know")
    try:
        return convert_raw(raw)
    except Unreadable as fault:
        raise Broken(version, Text("it is no commit: {fault}", fault=str(fault))) from fault


def _check_times(commits: Sequence[Commit]) -> None:
    """Raise Broken if a commit's time is not well formed or lies before that of the commit before."""
    before = ""
    for commit in commits:
        if not is_stamp(commit.at):
            raise Broken(commit.version, "its time is none that the service writes")
        if commit.at < before:
            raise Broken(
                commit.version, Text("it was made at {at}, before the commit that it follows", at=commit.at)
            )
        before = commit.at


def _find_creation(commits: Sequence[Commit]) -> GameCreated:
    """Return the first event, which creates the game. Raises Broken if there is none.

    It must repeat what its command asked for, and all commits must name its release.
    """
    command = commits[0].command
    event = next(iter(commits[0].events), None)
    if not isinstance(command, Create) or not isinstance(event, GameCreated):
        raise Broken(1, "a game begins with its creation")
    asked = (command.game, command.edition, command.seats, command.commitment, command.sandbox)
    if asked != (event.game, event.edition, event.seats, event.commitment, event.sandbox):
        raise Broken(1, "its first event tells of another game than its command")
    if (command.rematch_of, command.visibility) != (event.rematch_of, event.visibility):
        raise Broken(1, "its first event tells otherwise than its command who sees it, or what it follows")
    for commit in commits:
        if commit.rules != event.rules:
            raise Broken(
                commit.version,
                Text(
                    "it names release {rules} in a game of {release}", rules=commit.rules, release=event.rules
                ),
            )
    return event
