"""From an answer to the facts it causes."""

from __future__ import annotations

from collections.abc import Iterator

from events.agenda import Ask
from events.commands import Choose, Command, Create
from events.secrecy import Secret
from events.types import Chosen, Event, GameCreated
from rules.chance import Chance
from rules.editions import EDITIONS
from rules.errors import Reason, Rejected
from rules.options import complete_options, find_option_faults
from rules.prompt import Prompt
from rules.releases import Editions
from rules.ruleset import Options
from rules.seats import change_seats, check_players, note_attendance, start_if_full
from rules.state import State
from rules.table import Table
from rules.wording import did_you_mean


def decide(
    state: State, command: Command, chance: Chance, editions: Editions = EDITIONS
) -> tuple[Event, ...]:
    """Raises Rejected, and UnknownRules for a game that none of the editions can carry on."""
    return tuple(run_command(state, command, chance, editions).events)


def run_command(state: State, command: Command, chance: Chance, editions: Editions = EDITIONS) -> Table:
    """The table after the command: its events and the state they lead to."""
    match command:
        case Choose():
            return _choose(state, command, chance, editions)
        case Create():
            return _create(state, command, chance, editions)
        case _:
            return change_seats(Table(state, editions.of(state), chance), command)


def _create(state: State, command: Create, chance: Chance, editions: Editions) -> Table:
    """A game begins under the newest release and stays under it."""
    for fault in find_plan_faults(command.edition, len(command.seats), command.options, editions):
        raise fault
    check_players(command.seats)
    ruleset = editions.newest[command.edition]
    options = complete_options(ruleset, len(command.seats), command.options)
    table = Table(state, ruleset, chance)
    release = str(ruleset.release)
    table.record(
        GameCreated(
            *(command.game, command.edition, options, command.seats, command.commitment, release),
            *(command.rematch_of, command.visibility),
        )
    )
    return start_if_full(table)


def find_plan_faults(
    edition: str, players: int, options: Options, editions: Editions = EDITIONS
) -> Iterator[Rejected]:
    """All that speaks against such a game: whoever fills in a form wants to see every fault."""
    ruleset = editions.newest.get(edition)
    if ruleset is None:
        detail = f"no edition {edition}; {did_you_mean(edition, editions.newest)}"
        yield Rejected(Reason.UNKNOWN_EDITION, detail, "/edition")
        return
    least, most = ruleset.seats
    if not least <= players <= most:
        yield Rejected(
            Reason.BAD_SEATS, f"{edition} is for {least} to {most} players, not {players}", "/seats", "P1"
        )
    yield from find_option_faults(ruleset, players, options)


def _choose(state: State, command: Choose, chance: Chance, editions: Editions) -> Table:
    seat, choice, ask = command.seat, command.choice, state.ask
    if ask is None or ask.id != command.ask or seat not in ask.awaited:
        raise _refusal(state, command.ask, seat)
    table = Table(state, editions.of(state), chance)
    prompt = table.ruleset.prompts[ask.prompt]
    if isinstance(choice, Secret):
        choice = choice.contents
    if choice not in (ask.options or prompt.choices(state, ask, seat)):
        detail = f"{choice} is not among the options of ask {ask.id}"
        raise Rejected(Reason.ILLEGAL_CHOICE, detail, rule=prompt.rule_of(choice))
    if command.bot or state.seats[seat].stand_in:
        note_attendance(table, command)
    if prompt.secret or len(ask.seats) > 1:
        return _choose_among_others(table, ask, seat, choice, prompt)
    table.agenda.pop()
    prompt.answered(table, ask, {seat: choice})
    table.run()
    return table


def _choose_among_others(table: Table, ask: Ask, seat: int, choice: str, prompt: Prompt) -> Table:
    """The answer waits until the last one is in; the last one is recorded only if it is sealed."""
    waits = len(ask.awaited) > 1
    if waits or prompt.secret:
        _record_choice(table, ask, seat, choice, prompt)
    if not waits:
        table.agenda.pop()
        prompt.answered(table, ask, {**_answers(ask), seat: choice})
        table.run()
    return table


def _refusal(state: State, number: int, seat: int) -> Rejected:
    ask = state.ask
    if state.status == "lobby":
        return Rejected(Reason.NOT_STARTED, "the game waits for players")
    if state.status == "over":
        return Rejected(Reason.GAME_OVER, "the game is over")
    if ask is None or number > ask.id:
        return Rejected(Reason.UNKNOWN_ASK, f"nothing was asked under number {number} yet")
    if number < ask.id:
        return Rejected(Reason.STALE_ASK, f"ask {number} is settled; the game waits for ask {ask.id}")
    if seat not in ask.seats:
        return Rejected(Reason.NOT_ASKED, f"ask {number} is not for seat {seat}")
    return Rejected(Reason.ALREADY_ANSWERED, f"seat {seat} has answered ask {number}")


def _record_choice(table: Table, ask: Ask, seat: int, choice: str, prompt: Prompt) -> None:
    if prompt.secret:
        chance, sealed = table.seal(choice, seat)
        table.record(Chosen(ask.id, seat, sealed, chance))
    else:
        table.record(Chosen(ask.id, seat, choice))


def _answers(ask: Ask) -> dict[int, str]:
    return {
        answer.seat: answer.choice.contents if isinstance(answer.choice, Secret) else answer.choice
        for answer in ask.answers
    }
