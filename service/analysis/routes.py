"""HTTP operations that ask bots to think: advice, decisions, analyses and their tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any

import msgspec
from flask import Response, g
from msgspec import Meta, Struct
from msgspec.structs import replace

from events.chain import redact_commit
from events.commands import Choose
from events.commit import BotNote, Commit
from events.text import Text, as_text, restore_text
from rules import State, view
from rules.errors import Reason
from rules.legal import prompt_of
from rules.position.build import POSITION_ID, build_state
from rules.position.model import Position, PositionFaults
from service.analysis.plots import draw
from service.analysis.results import (
    FORM,
    Advice,
    AdviceOrder,
    Analysis,
    AnalysisOrder,
    AnalysisPart,
    DecisionOrder,
    Exact,
    Rivals,
    ThoughtAgain,
    WeighedOption,
    decode_result,
)
from service.analysis.schemas import AdviceWanted
from service.analysis.tasks import LONG, Task, new_id, shared_id
from service.analysis.thinking import (
    LATER,
    PATIENCE,
    THINKING_REFUSALS,
    TaskShown,
    find_task,
    show_task,
    submit_and_wait,
    tell_later,
)
from service.fairness.dice import SEED_BYTES, FairDice
from service.games.snapshots import SeatIdentity, Snapshot, UnknownVersion
from service.history.import_tasks import KIND as IMPORT
from service.history.import_tasks import ImportOutcome
from service.history.imports import ImportReply
from service.http.auth import ADVICE_SEEKER, SPECTATOR_ALLOWED, TASK_OWNER, AdviceSeeker
from service.http.headers import JSON, SVG
from service.http.limits import PLAYING, THINKING
from service.http.operation import Call, operation, read_version
from service.http.problems import Fault, Problem, ProblemBody, to_body
from service.http.requests import bad_body
from service.http.responses import Reply
from service.languages.catalogue import Language
from service.players.players import Player


def name_options(view: State, seat: int, options: Sequence[WeighedOption]) -> tuple[WeighedOption, ...]:
    """Return the options with labels that name people as the seats of this view do."""
    ask = view.ask
    if ask is None:
        return tuple(options)
    label = prompt_of(view, ask).label
    return tuple(replace(option, label=as_text(label(view, ask, seat, option.choice))) for option in options)


def show_advice(call: Call[Any], task: Task) -> Advice:
    """Return the advice of a finished task, with the current names."""
    order = msgspec.json.decode(task.order, type=AdviceOrder)
    advice = decode_result(task.result, Advice)
    named = call.services.names.name_seats(order.view)
    return replace(advice, options=name_options(named, order.seat, advice.options))


# A larger budget takes so long that the request is answered with 202 at once.
SMALL_BUDGET = 120


@operation(
    "POST /v1/advice",
    "Options ranked by a bot, with expected money, chance to win and why: for one's own seat, or any table",
    Advice,
    access=ADVICE_SEEKER,
    needs_key=True,
    body=AdviceWanted,
    errors=(
        "unknown_game",
        "unknown_rules",
        "broken_log",
        "advice_off",
        "not_yours",
        "unknown_task",
        *THINKING_REFUSALS,
        Reason.NOT_ASKED,
        Reason.NOT_STARTED,
        Reason.GAME_OVER,
    ),
    extra_responses=LATER,
    rate_limit=THINKING,
)
def advise(call: Call[AdviceSeeker]) -> Reply | Response:
    """Reply with a bot's advice, or with 202 while a worker computes it."""
    wanted = call.body
    budget = wanted.get("budget", 0)
    if call.caller.seat:
        seen, seat = _own_view(call, call.caller.seat)
        call.services.games.record_advice(wanted["game"])
    else:
        seen, seat = read_sent_table(wanted)
    order = msgspec.json.encode(AdviceOrder(seen, seat, wanted["bot"], budget))
    task = submit_and_wait(
        call, _make_task(call, order), patience=PATIENCE if budget <= SMALL_BUDGET else 0.0
    )
    if not task.is_finished:
        return tell_later(task, f"/v1/tasks/{task.id}")
    return Reply(show_advice(call, task))


def _make_task(call: Call[AdviceSeeker], order: bytes) -> Task:
    """Return the task, which only its owner can find. Without a token each order is a task of its own."""
    owner = call.caller.owner
    creator = call.services.creators.identify(call.network)
    name = shared_id("advice", owner, creator, sha256(order).hexdigest()) if owner else new_id()
    return Task(name, "advice", order, creator, is_own=True, owner=owner)


def _own_view(call: Call[AdviceSeeker], holder: SeatIdentity) -> tuple[State, int]:
    """Return what the seat sees, and its number.

    Raises Problem for a game without advice, for another seat, and when the seat is not asked.
    """
    state = call.services.games.snapshot(call.body["game"], log_epoch=holder.log_epoch).state
    if state.options.get("advice") is False:
        raise Problem("advice_off", "This game was created with `advice: false`.")
    if call.body.get("seat", holder.seat) != holder.seat:
        raise Problem(
            "not_yours",
            Text("This token belongs to seat {seat}; it gets advice for no other seat.", seat=holder.seat),
        )
    _check_asked(state, holder.seat)
    return view(state, holder.seat), holder.seat


def _check_asked(state: State, seat: int) -> None:
    """Raise Problem unless the game waits for an answer of this seat."""
    if state.status != "playing":
        reason = Reason.NOT_STARTED if state.status == "lobby" else Reason.GAME_OVER
        raise Problem(reason.value, "There is nothing to choose in this game now.")
    if state.ask is None or seat not in state.ask.awaited:
        raise Problem(Reason.NOT_ASKED.value, "The game waits for another seat.")


def read_sent_table(wanted: Mapping[str, Any]) -> tuple[State, int]:
    """Return the state that a sent table describes, as its seat sees it, and the seat.

    Raises Problem with all faults of the table.
    """
    seat = wanted["seat"]
    table = wanted["table"]
    try:
        state = build_state(
            msgspec.convert(table, Position), seat, FairDice(bytes(SEED_BYTES), POSITION_ID, ())
        )
    except PositionFaults as bad:
        raise bad_body([Fault(fault.detail, f"/table{fault.pointer}") for fault in bad.faults]) from None
    return view(state, seat), seat


Viewer = SeatIdentity | Player | None


@operation(
    "GET /v1/games/{game}/analysis",
    "Luck and choices of everybody in a game that is over, as data or as a picture; 202 while it is made",
    {JSON: Analysis, SVG: str},
    access=SPECTATOR_ALLOWED,
    errors=(Reason.NOT_OVER, "unknown_rules", "unknown_task", *THINKING_REFUSALS),
    extra_responses=LATER,
    rate_limit=THINKING,
)
def analyse_game(call: Call[Viewer]) -> Reply | Response:
    """Reply with the analysis of a finished game, or with 202 while a worker computes it."""
    snapshot, task = _order(call)
    task = submit_and_wait(call, task, LONG, patience=0.0)
    if not task.is_finished:
        part = msgspec.json.decode(task.memory, type=AnalysisPart) if task.memory else AnalysisPart()
        return tell_later(task, call.request.path, part.seen)
    named = call.services.names.put_into(snapshot).state
    found = _name_seats(decode_result(task.result, Analysis), named)
    if call.media == JSON:
        return Reply(found)
    headers = {"Content-Language": call.language.tag}
    return Reply(_draw(found, call.language), media=SVG, headers=headers)


def _draw(found: Analysis, language: Language) -> bytes:
    """Return the picture of an analysis."""
    return draw(found, {seat.seat: f"{seat.seat}: {seat.name}" for seat in found.seats}, language)


def _order(call: Call[Viewer]) -> tuple[Snapshot, Task]:
    """Return the newest snapshot, and the one task that analyses the game for all callers. Raises Problem."""
    snapshot = call.services.games.snapshot(call.game, log_epoch=call.log_epoch)
    _check_result(snapshot.state)
    order = msgspec.json.encode(AnalysisOrder(call.game, snapshot.version))
    creator = call.services.creators.identify(call.network)
    name = shared_id("analysis", FORM, call.game, snapshot.head)
    return snapshot, Task(name, "analysis", order, creator)


def _check_result(state: State) -> None:
    """Raise Problem unless the game was played to its end."""
    if state.status != "over":
        raise Problem(Reason.NOT_OVER.value, "A game can be analysed when it is over.")
    if not state.winners:
        raise Problem(Reason.NOT_OVER.value, "The game ended early and has no result to analyse.")


def _name_seats(found: Analysis, state: State) -> Analysis:
    """Return an analysis with the current names; stored ones have none, because names change."""
    seats = tuple(replace(seat, name=state.seats[seat.seat].name) for seat in found.seats)
    return replace(found, seats=seats)


RUNNING = Text("A bot's reasons tell what it holds; they are shown when the game is over.")
FIGURES = (
    "`expert` and `steady` went by these figures; what the lower levels did without, and any bot where a "
    "move is forced or has to be mixed, is computed afterwards, for the reader."
)
DECISION_REFUSALS = ("unknown_version", "no_decision", "unknown_task", "unknown_rules", *THINKING_REFUSALS)


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
    exact: Exact
    rivals: Rivals


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
    exact: Exact
    rivals: Rivals


@operation(
    "GET /v1/games/{game}/decisions/{version}",
    "Which bot made this commit; after the end also what each of its options is worth",
    DecisionReply,
    access=SPECTATOR_ALLOWED,
    errors=DECISION_REFUSALS,
    extra_responses=LATER,
    rate_limit=THINKING,
)
def show_decision(call: Call[Viewer]) -> Reply | Response:
    """Reply with which bot made a commit, and after the end with its options; 202 meanwhile."""
    version = read_version(call.path["version"])
    commit, is_over = _find_commit(call, version)
    if not is_over:
        return Reply(_decision(redact_commit(commit, call.seat), None, RUNNING))
    task = _ask_bot_again(call, commit)
    if not task.is_finished:
        return tell_later(task, call.request.path)
    again = _read_again(call, commit, task)
    note = _explain_difference(_note(commit), again)
    return Reply(_decision(commit, None if note else again, note))


@operation(
    "POST /v1/games/{game}/decisions/{version}/rerun",
    "Ask the bot again, with what it had; after the end",
    RerunReply,
    access=SPECTATOR_ALLOWED,
    errors=(*DECISION_REFUSALS, Reason.NOT_OVER),
    extra_responses=LATER,
    uncached=True,
    rate_limit=THINKING,
)
def rerun_decision(call: Call[Viewer]) -> Reply | Response:
    """Ask the bot of a commit again and reply with how the answers compare; 202 while it is asked."""
    version = read_version(call.path["version"])
    commit, is_over = _find_commit(call, version)
    if not is_over:
        raise Problem(Reason.NOT_OVER.value, "A decision can be repeated when the game is over.")
    task = _ask_bot_again(call, commit)
    if not task.is_finished:
        return tell_later(task, f"/v1/games/{call.game}/decisions/{version}")
    return Reply(_compare(commit, _read_again(call, commit, task)))


def _find_commit(call: Call[Viewer], version: int) -> tuple[Commit, bool]:
    """Return the commit of a bot, and whether the game is over.

    Raises UnknownVersion, and Problem if a person made the commit.
    """
    reading = call.services.games.read_after(call.game, max(version - 1, 0), 1, call.log_epoch)
    if not version or not reading.page.commits:
        raise UnknownVersion(reading.snapshot.version)
    (commit,) = reading.page.commits
    if commit.bot is None or not isinstance(commit.command, Choose):
        raise Problem("no_decision", Text("Version {version} is not a bot's answer.", version=version))
    return commit, reading.snapshot.state.status == "over"


def _ask_bot_again(call: Call[Viewer], commit: Commit) -> Task:
    """Submit, or find, the one task that asks the bot of this commit again, and wait up to PATIENCE.

    The id of the task is made of the commit's hash, so that all callers share it. Raises Problem if it
    failed.
    """
    order = msgspec.json.encode(DecisionOrder(call.game, commit.version))
    creator = call.services.creators.identify(call.network)
    return submit_and_wait(
        call, Task(shared_id("decision", FORM, call.game, commit.hash), "decision", order, creator)
    )


def _read_again(call: Call[Viewer], commit: Commit, task: Task) -> ThoughtAgain:
    """Return what the bot said when it was asked again, with the current names of those who sat there."""
    again = decode_result(task.result, ThoughtAgain)
    seat = _answer(commit).seat
    before = call.services.games.snapshot(call.game, commit.version - 1, call.log_epoch)
    named = view(call.services.names.put_into(before).state, seat)
    return replace(again, options=name_options(named, seat, again.options))


def _decision(commit: Commit, again: ThoughtAgain | None, note: str) -> DecisionReply:
    """Return the reply about a bot's commit; without options where the bot was not asked again."""
    return DecisionReply(
        version=commit.version,
        seat=_answer(commit).seat,
        bot=_note(commit),
        choice=_choice_of(commit),
        options=None if again is None else again.options,
        note=note,
        exact=again is not None and again.exact,
        rivals="" if again is None else again.rivals,
    )


def _answer(commit: Commit) -> Choose:
    """Return the command of a commit that is known to be a choice."""
    assert isinstance(commit.command, Choose)
    return commit.command


def _note(commit: Commit) -> BotNote:
    """Return the note on the bot of a commit that is known to have one."""
    assert commit.bot is not None
    return commit.bot


def _choice_of(commit: Commit) -> str | None:
    """Return what was chosen; None while it is hidden."""
    choice = _answer(commit).choice
    return choice if isinstance(choice, str) else choice.value


def _explain_difference(note: BotNote, again: ThoughtAgain) -> str:
    """Return why the options of today are not those of then; empty if they are."""
    if not again.build:
        return Text("There is no bot {name} any more.", name=note.name)
    if again.build != note.build:
        return Text(
            "Build {build} of {name} answered; this service has build {current}.",
            build=note.build,
            name=note.name,
            current=again.build,
        )
    return "" if again.view == note.view else Text("The view that the bot had cannot be made again.")


def _compare(commit: Commit, again: ThoughtAgain) -> RerunReply:
    """Return the reply that compares a commit with what the bot says now."""
    note = _note(commit)
    choice = _choice_of(commit) or ""
    return RerunReply(
        version=commit.version,
        choice=choice,
        again=again.choice,
        same_choice=choice == again.choice,
        same_build=again.build == note.build,
        same_view=again.view == note.view,
        build=again.build,
        options=again.options,
        exact=again.exact,
        rivals=again.rivals,
    )


ADVICE = "advice"
TASK_REFUSALS = ("unknown_task", "task_failed", "unavailable")


@operation(
    "GET /v1/tasks/{task}",
    "How far a task has come; once all is done, whoever ordered advice or an import gets the result",
    TaskShown,
    access=TASK_OWNER,
    errors=TASK_REFUSALS,
    uncached=True,
)
def show_progress(call: Call[str]) -> Reply:
    """Reply with how far a task has come, and with its result if the caller ordered it."""
    task = find_task(call.services, call.path["task"], call.caller)
    shown = show_task(task)
    if task.result and task.kind == IMPORT:
        shown = replace(shown, result=_show_import(task, call.language))
    elif task.result and task.kind == ADVICE and _is_callers(call, task):
        shown = replace(shown, result=show_advice(call, task))
    return Reply(shown)


def _is_callers(call: Call[str], task: Task) -> bool:
    """Return whether this caller ordered a task for themselves."""
    is_owner = task.owner or task.creator == call.services.creators.identify(call.network)
    return bool(task.is_own and is_owner)


def _show_import(task: Task, language: Language) -> ImportReply | ProblemBody:
    """Return the body that the import would have been answered with."""
    outcome = msgspec.json.decode(task.result, type=ImportOutcome)
    if outcome.reply is not None:
        return outcome.reply.in_words()
    return to_body(
        Problem(outcome.code, restore_text(outcome.why), commit=outcome.commit), g.request_id, language
    )


@operation(
    "DELETE /v1/tasks/{task}",
    "Call off what one has ordered for oneself",
    {},
    access=TASK_OWNER,
    status=204,
    errors=TASK_REFUSALS,
    rate_limit=PLAYING,
)
def cancel_task(call: Call[str]) -> Response:
    """Cancel a task that the caller ordered. Raises Problem if others may wait for it."""
    task = find_task(call.services, call.path["task"], call.caller)
    if not task.is_own:
        raise Problem("unknown_task", "This task cannot be cancelled: others may wait for it, too.")
    call.services.tasks.cancel(task.id)
    if task.kind == IMPORT:
        call.services.import_tasks.forget(task)
    return Response(status=204)
