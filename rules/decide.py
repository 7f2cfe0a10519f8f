"""Decides a command: the events that it causes, or why it is refused."""

from __future__ import annotations

from collections.abc import Iterator

from events.agenda import Ask
from events.commands import Choose, Command, Create
from events.secrecy import Secret
from events.text import Text, listed
from events.types import Chosen, Event, GameCreated
from rules.chance import Chance
from rules.editions import EDITIONS
from rules.errors import Reason, Rejected
from rules.options import complete_options, find_option_faults
from rules.prompt import Prompt
from rules.releases import Editions
from rules.ruleset import Options
from rules.seats import change_seats, check_players, record_attendance, start_if_full
from rules.state import State
from rules.table import Table
from rules.wording import did_you_mean


def decide(
    state: State, command: Command, chance: Chance, editions: Editions = EDITIONS
) -> tuple[Event, ...]:
    """Return the events that the command causes.

    Raises Rejected where the rules forbid it, and UnknownRules for a game of an unknown release.
    """
    return tuple(run_command(state, command, chance, editions).events)


def run_command(state: State, command: Command, chance: Chance, editions: Editions = EDITIONS) -> Table:
    """Return the table after the command: its events and the state they lead to. Raises as `decide` does."""
    match command:
        case Choose():
            return _choose(state, command, chance, editions)
        case Create():
            return _create(state, command, chance, editions)
        case _:
            return change_seats(Table(state, editions.of(state), chance), command)


def _create(state: State, command: Create, chance: Chance, editions: Editions) -> Table:
    """Create a game under the newest release of its edition, under which it stays."""
    for fault in find_plan_faults(command.edition, len(command.seats), command.options, editions):
        raise fault
    check_players(command.seats)
    ruleset = editions.newest[command.edition]
    options = complete_options(ruleset, len(command.seats), command.options)
    table = Table(state, ruleset, chance)
    table.record(
        GameCreated(
            game=command.game,
            edition=command.edition,
            options=options,
            seats=command.seats,
            commitment=command.commitment,
            rules=str(ruleset.release),
            rematch_of=command.rematch_of,
            visibility=command.visibility,
            sandbox=command.sandbox,
        )
    )
    return start_if_full(table)


def find_plan_faults(
    edition: str, players: int, options: Options, editions: Editions = EDITIONS
) -> Iterator[Rejected]:
    """Yield every reason against such a game, so that a form can show all faults at once."""
    ruleset = editions.newest.get(edition)
    if ruleset is None:
        detail = Text(
            "`edition` must be a known edition, not {edition}; {instead}",
            edition=edition,
            instead=did_you_mean(edition, editions.newest),
        )
        yield Rejected(Reason.UNKNOWN_EDITION, detail, "/edition")
        return
    least, most = ruleset.seats
    if not least <= players <= most:
        yield Rejected(
            Reason.BAD_SEATS,
            Text(
                "{edition} is for {least} to {most} players, not {players}",
                edition=edition,
                least=least,
                most=most,
                players=players,
            ),
            "/seats",
            rule="P1",
        )
    yield from find_option_faults(ruleset, players, options)


def _choose(state: State, command: Choose, chance: Chance, editions: Editions) -> Table:
    seat = command.seat
    choice = command.choice
    ask = state.ask
    if ask is None or ask.id != command.ask or seat not in ask.awaited:
        raise _refusal(state, command.ask, seat)
    table = Table(state, editions.of(state), chance)
    prompt = table.ruleset.prompts[ask.prompt]
    if isinstance(choice, Secret):
        choice = choice.contents
    if choice not in (ask.options or prompt.choices(state, ask, seat)):
        detail = Text("{choice} is not among the options of ask {ask}", choice=choice, ask=ask.id)
        raise Rejected(Reason.ILLEGAL_CHOICE, detail, rule=prompt.rule_of(choice))
    if command.bot or state.seats[seat].stand_in:
        record_attendance(table, command)
    if prompt.secret or len(ask.seats) > 1:
        return _choose_among_others(table, ask, seat, choice, prompt)
    table.agenda.pop()
    prompt.answered(table, ask, {seat: choice})
    table.run()
    return table


def _choose_among_others(table: Table, ask: Ask, seat: int, choice: str, prompt: Prompt) -> Table:
    """Keep the answer until all seats have answered, then carry all of them out.

    The last answer needs no event of its own unless it is sealed.
    """
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
        return Rejected(Reason.NOT_STARTED, "the game is waiting for players")
    if state.status == "over":
        return Rejected(Reason.GAME_OVER, "the game is over")
    if ask is None or number > ask.id:
        return Rejected(Reason.UNKNOWN_ASK, Text("there is no ask {number} yet", number=number))
    if number < ask.id:
        return Rejected(
            Reason.STALE_ASK,
            Text(
                "ask {number} is already settled; the game now waits for ask {open}",
                number=number,
                open=ask.id,
            ),
        )
    if seat not in ask.seats:
        return Rejected(
            Reason.NOT_ASKED,
            Text(
                "you are seat {seat}, and ask {number} is for {asked}",
                seat=seat,
                number=number,
                asked=listed([Text("seat {number}", number=other) for other in ask.seats]),
            ),
        )
    return Rejected(Reason.ALREADY_ANSWERED, Text("you already answered ask {number}", number=number))


def _record_choice(table: Table, ask: Ask, seat: int, choice: str, prompt: Prompt) -> None:
    if prompt.secret:
        chance, sealed = table.seal(choice, seat)
        table.record(Chosen(ask.id, seat, sealed, chance=chance))
    else:
        table.record(Chosen(ask.id, seat, choice))


def _answers(ask: Ask) -> dict[int, str]:
    return {
        answer.seat: answer.choice.contents if isinstance(answer.choice, Secret) else answer.choice
        for answer in ask.answers
    }
