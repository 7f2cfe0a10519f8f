"""What happened in a game and why, in data and in sentences."""

from __future__ import annotations

from typing import Annotated

from marshmallow import fields
from msgspec import Meta, Struct

from rules.explaining.facts import Fact
from rules.explaining.telling import LANGUAGES, tell
from service.api.access import SPECTATORS
from service.api.calls import Call
from service.api.fields import NumberText
from service.api.inputs import bad_query
from service.api.naming import name_for
from service.api.operation import operation
from service.api.plain_words import OneOf
from service.api.problems import Fault
from service.api.rate_limits import REVIEWING
from service.api.replies import Reply
from service.api.strict import Strict
from service.api.versions import read_version
from service.play.branches import Holder
from service.play.long_work import ONE_AT_A_TIME
from service.play.looking_back import Passage, Seen, look_at, read_passages
from service.play.snapshots import Snapshot
from service.play.table_changes import Change, find_changes
from service.play.tables import render_snapshot
from service.players.names import Names
from service.players.players import Player

Viewer = Holder | Player | None

# More than any game of the service has that people do not draw out (W14).
MOST_COMMITS = 1_000


class LanguageQuery(Strict):
    language = fields.String(
        load_default="en",
        validate=OneOf([*LANGUAGES]),
        metadata={"description": "Of the sentences; labels of options are in English always."},
    )


class DiffQuery(LanguageQuery):
    first = NumberText(1, data_key="from", metadata={"description": "The one before `to` unless said."})
    last = NumberText(
        1, data_key="to", metadata={"description": "The newest unless said; at most 1,000 after `from`."}
    )


class ExplainReply(Struct, frozen=True):
    """The amounts that `won` and `paid` facts give to a seat add up to what it received.

    With what its chip cards come to, told by `chip_cards_count` when the game is over, that is its total.
    """

    version: int
    sentences: tuple[str, ...]
    facts: tuple[Fact, ...]


class DiffReply(Struct, frozen=True, rename={"first": "from", "last": "to"}):
    """`changes` lead from the first table to the second, each at its JSON pointer."""

    first: Annotated[int, Meta(description="The earlier version.")]
    last: Annotated[int, Meta(description="The later version.")]
    sentences: tuple[str, ...]
    changes: tuple[Change, ...]


@operation(
    "GET /v1/games/{game}/explain/{version}",
    "What a commit did and by which rule: who ranked where, who was tied, which note went to whom",
    ExplainReply,
    access=SPECTATORS,
    query=LanguageQuery,
    refusals=("unknown_version", "unknown_rules"),
    kind=REVIEWING,
)
def explain_version(call: Call[Viewer]) -> Reply:
    version = read_version(call.path["version"])
    newest, seen = look_at(call.services.games, call.game, call.seat, call.branch)
    names = call.services.names.for_one_reply()
    naming = name_for(call.services, call.game, names)
    (passage,) = read_passages(call.services.games, call.game, version, version, seen, naming)
    reply = ExplainReply(version, _tell(call, [passage]), passage.facts)
    return Reply(reply, _mark(call, names, seen, passage.after, newest))


@operation(
    "GET /v1/games/{game}/diff",
    "What changed between two versions of a table, in data and in sentences",
    DiffReply,
    access=SPECTATORS,
    query=DiffQuery,
    refusals=("unknown_version", "unknown_rules"),
    kind=REVIEWING,
)
def show_diff(call: Call[Viewer]) -> Reply:
    games = call.services.games
    newest, seen = look_at(games, call.game, call.seat, call.branch)
    first, last = _read_span(call, newest.version)
    names = call.services.names.for_one_reply()
    naming = name_for(call.services, call.game, names)
    tables = [games.snapshot(call.game, version, seen.branch) for version in (first, last)]
    shown = [render_snapshot(naming(table), seen.viewer, seen.opened) for table in tables]
    with ONE_AT_A_TIME:
        passages = [*read_passages(games, call.game, first + 1, last, seen, naming)] if first < last else []
    reply = DiffReply(first, last, _tell(call, passages), find_changes(*shown))
    return Reply(reply, _mark(call, names, seen, tables[1], tables[0], newest))


def _read_span(call: Call[Viewer], newest: int) -> tuple[int, int]:
    last = call.query.get("last", newest)
    first = call.query.get("first", max(1, last - 1))
    if last < first:
        raise bad_query([Fault(f"it is earlier than `from`, which is {first}", parameter="to")])
    if last - first > MOST_COMMITS:
        raise bad_query(
            [Fault(f"it is more than {MOST_COMMITS} after `from`, which is {first}", parameter="to")]
        )
    return first, last


def _tell(call: Call[Viewer], passages: list[Passage]) -> tuple[str, ...]:
    """Of those who sat there then, with the names that they have now."""
    return tuple(
        sentence
        for passage in passages
        for sentence in tell(passage.facts, passage.told_of, call.query["language"])
    )


def _mark(call: Call[Viewer], names: Names, seen: Seen, shown: Snapshot, *others: Snapshot) -> int | str:
    """What was sealed then may be open now, and somebody may be called otherwise."""
    marks = dict.fromkeys(names.mark(table) for table in (shown, *others))
    mark = f"{'-opened' if seen.opened else ''}{''.join(marks)}"
    return call.tag(f"{shown.version}{mark}" if mark else shown.version, shown.head)
