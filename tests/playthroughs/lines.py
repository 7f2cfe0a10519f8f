"""The lines of a story: rounds at the margin, turns below them, what happens in a turn below that."""

from __future__ import annotations

from events.commands import Choose
from events.secrecy import Secret
from events.types import (
    Chosen,
    DiceReturned,
    DiceRolled,
    Event,
    GameCreated,
    GameEnded,
    GameStarted,
    NotesMoved,
    RoundEnded,
    RoundStarted,
    TurnStarted,
)
from events.values import BANDIT, CASINO
from rules.editions import EDITIONS
from rules.evolve import evolve
from rules.legal import legal, prompt_of
from rules.mechanics.rounds import START, holder
from rules.state import State
from tests.playthroughs.plays import Play
from tests.playthroughs.telling import tell_event
from tests.support.game_loop import Move

SEED_LINE = "Dice from seed "
PAYOUT = "the casinos pay"


class Lines:
    def __init__(self, play: Play, seed: int) -> None:
        self._last_round, self._depth, self._paying = play.last_round, 0, False
        self._sealed: dict[str, str] = {}
        ruleset = EDITIONS.newest[play.edition]
        self.lines = [
            f"{ruleset.id}: {ruleset.title}, {play.players} players",
            f"Options: {_in_words(play)}",
            f"Seats: {', '.join(f'{seat} {bot}' for seat, bot in enumerate(play.bots))}",
            f"{SEED_LINE}{seed}",
        ]

    def add(self, move: Move) -> bool:
        """Whether the story goes on."""
        state = move.before
        self._tell_choice(move)
        for event in move.events:
            before, state = state, evolve(state, event)
            self._remember(event, before)
            self._tell(event, state)
            self._tell_starter(event, before)
            if isinstance(event, RoundEnded) and event.round == self._last_round:
                self.lines += ["", f"The telling stops here, after round {event.round}."]
                return False
        return True

    def _tell_choice(self, move: Move) -> None:
        """What was done with a roll or a hand shows by itself; answers to anything else are told."""
        ask, command = move.before.ask, move.command
        if ask is None or not isinstance(command, Choose):
            return
        if command.choice == "pass":
            self._line(f"seat {command.seat} passes and keeps all dice")
        if not (ask.tile or ask.number):
            return
        labels = {option.choice: option.label for option in legal(move.before, command.seat)}
        asker = f" ({EDITIONS.of(move.before).tiles[ask.tile].name})" if ask.tile else ""
        self._line(f"seat {command.seat} chooses{asker}: {labels[str(command.choice)]}")

    def _remember(self, event: Event, before: State) -> None:
        """What was chosen under cover, in words; it is told when it is revealed."""
        if before.ask and isinstance(event, Chosen) and isinstance(event.choice, Secret):
            label = prompt_of(before, before.ask).label
            self._sealed[event.choice.hidden] = label(before, before.ask, event.seat, event.choice.contents)

    def _tell_starter(self, event: Event, before: State) -> None:
        """Where the payout decides who starts: once, when all casinos have paid."""
        if not isinstance(event, RoundEnded) or START not in before.tokens:
            return
        if event.round < EDITIONS.of(before).rounds:
            self._line(f"seat {holder(before)} will start the next round")

    def _tell(self, event: Event, after: State) -> None:
        line = tell_event(event, after, self._sealed)
        if not line or isinstance(event, GameCreated):
            return
        if _pays(event) and not self._paying:
            self._paying = True
            self._head(1, PAYOUT)
        if isinstance(event, (GameStarted, RoundStarted, GameEnded)):
            self._paying = False
            self.lines.append("")
            self._head(0, line)
        elif _opens_turn(event) or isinstance(event, RoundEnded):
            self._head(1, line)
        else:
            self._line(line)

    def _head(self, depth: int, line: str) -> None:
        self._depth = depth
        self._line(line)
        self._depth = depth + 1

    def _line(self, line: str) -> None:
        self.lines.append("  " * self._depth + line)


def _in_words(play: Play) -> str:
    parts = [f"{name} {_value(value)}" for name, value in play.options.items()]
    return ", ".join(parts) or "none"


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(value)
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def _opens_turn(event: Event) -> bool:
    return isinstance(event, TurnStarted) or (isinstance(event, DiceRolled) and event.seat is not None)


def _pays(event: Event) -> bool:
    pays = isinstance(event, NotesMoved) and event.source in (*CASINO, BANDIT)
    return pays or isinstance(event, DiceReturned)
