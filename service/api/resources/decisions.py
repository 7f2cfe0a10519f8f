"""Why a bot moved as it did, and the same move again."""

from __future__ import annotations

from typing import Annotated

import msgspec
from flask import Response
from msgspec import Meta, Struct
from msgspec.structs import replace

from events.chain import redact_commit
from events.commands import Choose
from events.commit import BotNote, Commit
from rules.rejection import Reason
from rules.view import view
from service.api.access import SPECTATORS
from service.api.calls import Call
from service.api.labels import name_options
from service.api.operation import operation
from service.api.problems import Problem
from service.api.rate_limits import THINKING
from service.api.replies import Reply
from service.api.thinking import LATER, THINKING_REFUSALS, tell_later, think
from service.api.versions import read_version
from service.play.branches import Holder
from service.play.snapshots import UnknownVersion
from service.players.players import Player
from service.tasks.decisions import DecisionOrder, ThoughtAgain, WeighedOption
from service.tasks.tasks import Task, shared_id

Viewer = Holder | Player | None
RUNNING = "A bot's reasons tell what it holds; they are shown when the game is over."
FIGURES = (
    "`expert` and `steady` went by these figures; what `random` and `greedy` did without, and any bot where "
    "a move is forced or has to be mixed, is reckoned afterwards, for whoever looks."
)
REFUSALS = ("unknown_version", "no_decision", "unknown_task", "unknown_rules", *THINKING_REFUSALS)


class DecisionReply(Struct, frozen=True):
    """A bot's commit. Its options are null while the game goes on, and where another build took them."""

    version: int
    seat: int
    bot: BotNote
    choice: Annotated[str | None, Meta(description="Null while it is hidden from the caller.")]
    options: Annotated[
        tuple[WeighedOption, ...] | None,
        Meta(description=f"First what it chose, the others by their chance to win. {FIGURES}"),
    ]
    note: Annotated[str, Meta(description="Why there are no options; else empty.")]


class RerunReply(Struct, frozen=True):
    """The bot was asked again, with what the log and the revealed seed say it had."""

    version: int
    choice: str
    again: Annotated[str, Meta(description="What it chooses now; empty where there is no such bot any more.")]
    same_choice: bool
    same_build: Annotated[bool, Meta(description="Another build may choose otherwise.")]
    same_view: Annotated[bool, Meta(description="Whether the view that it had has the hash in the log.")]
    build: Annotated[str, Meta(description="The one that answered now.")]
    options: Annotated[
        tuple[WeighedOption, ...],
        Meta(description=f"First what it chooses now, the others by their chance to win. {FIGURES}"),
    ]


@operation(
    "GET /v1/games/{game}/decisions/{version}",
    "Which bot made this commit; after the end also what each of its options is worth",
    DecisionReply,
    access=SPECTATORS,
    refusals=REFUSALS,
    also=LATER,
    kind=THINKING,
)
def show_decision(call: Call[Viewer]) -> Reply | Response:
    version = read_version(call.path["version"])
    commit, is_over = _find_commit(call, version)
    if not is_over:
        return Reply(_decision(redact_commit(commit, call.seat), None, RUNNING))
    task = _think_again(call, commit)
    if not task.is_finished:
        return tell_later(task, call.request.path)
    again = _read_again(call, commit, task)
    note = _explain_difference(_note(commit), again)
    return Reply(_decision(commit, None if note else again.options, note))


@operation(
    "POST /v1/games/{game}/decisions/{version}/rerun",
    "Ask the bot again, with what it had; after the end",
    RerunReply,
    access=SPECTATORS,
    refusals=(*REFUSALS, Reason.NOT_OVER),
    also=LATER,
    uncached=True,
    kind=THINKING,
)
def rerun_decision(call: Call[Viewer]) -> Reply | Response:
    version = read_version(call.path["version"])
    commit, is_over = _find_commit(call, version)
    if not is_over:
        raise Problem(Reason.NOT_OVER.value, "what a bot draws from is revealed when the game is over")
    task = _think_again(call, commit)
    if not task.is_finished:
        return tell_later(task, f"/v1/games/{call.game}/decisions/{version}")
    return Reply(_compare(commit, _read_again(call, commit, task)))


def _find_commit(call: Call[Viewer], version: int) -> tuple[Commit, bool]:
    """A bot's, and whether the game is over. Raises UnknownVersion, and Problem for a person's."""
    reading = call.services.games.read_after(call.game, max(version - 1, 0), 1, call.branch)
    if not version or not reading.page.commits:
        raise UnknownVersion(reading.snapshot.version)
    (commit,) = reading.page.commits
    if commit.bot is None or not isinstance(commit.command, Choose):
        raise Problem("no_decision", f"version {version} is no bot's answer")
    return commit, reading.snapshot.state.status == "over"


def _think_again(call: Call[Viewer], commit: Commit) -> Task:
    """Once for all who ask: the hash of the commit says what it is about."""
    order = msgspec.json.encode(DecisionOrder(call.game, commit.version))
    creator = call.services.creators.identify(call.network)
    return think(call, Task(shared_id("decision", call.game, commit.hash), "decision", order, creator))


def _read_again(call: Call[Viewer], commit: Commit, task: Task) -> ThoughtAgain:
    """With the names of those who sat there."""
    again, seat = msgspec.json.decode(task.result, type=ThoughtAgain), _answer(commit).seat
    before = call.services.games.snapshot(call.game, commit.version - 1, call.branch)
    named = view(call.services.names.put_into(before).state, seat)
    return replace(again, options=name_options(named, seat, again.options))


def _decision(commit: Commit, options: tuple[WeighedOption, ...] | None, note: str) -> DecisionReply:
    return DecisionReply(
        commit.version, _answer(commit).seat, _note(commit), _choice_of(commit), options, note
    )


def _answer(commit: Commit) -> Choose:
    assert isinstance(commit.command, Choose)
    return commit.command


def _note(commit: Commit) -> BotNote:
    assert commit.bot is not None
    return commit.bot


def _choice_of(commit: Commit) -> str | None:
    choice = _answer(commit).choice
    return choice if isinstance(choice, str) else choice.value


def _explain_difference(note: BotNote, again: ThoughtAgain) -> str:
    if not again.build:
        return f"There is no bot {note.name} any more."
    if again.build != note.build:
        return f"Build {note.build} of {note.name} answered; this service has build {again.build}."
    return "" if again.view == note.view else "The view that the bot had cannot be made again."


def _compare(commit: Commit, again: ThoughtAgain) -> RerunReply:
    note, choice = _note(commit), _choice_of(commit) or ""
    same_build, same_view = again.build == note.build, again.view == note.view
    return RerunReply(
        *(commit.version, choice, again.choice, choice == again.choice, same_build, same_view),
        *(again.build, again.options),
    )
