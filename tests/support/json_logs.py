"""Games of random players as logs of plain JSON."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from events.commit import Commit, encode, logged_form
from events.secrecy import redact
from rules.editions import EDITIONS
from rules.legal import choices
from rules.releases import Editions
from rules.ruleset import Options
from rules.state import State
from tests.playthroughs.plays import Play
from tests.playthroughs.story import play_story

Log = list[dict[str, Any]]


def random_log(
    edition: str,
    options: Options,
    players: int,
    seed: int,
    covered: bool = False,
    editions: Editions = EDITIONS,
) -> Log:
    """A game of random players as it is stored, or as a spectator reads it while it is covered."""
    rng = Random(seed)

    def at_random(state: State) -> tuple[int, str]:
        seat = rng.choice(state.ask.awaited if state.ask else ())
        return seat, rng.choice(choices(state, seat, editions))

    play = Play(f"g_{edition}", edition, players, dict(options))
    release = str(editions.newest[edition].release)
    commits = (
        Commit(0, "", "", release, logged_form(move.command, move.events), move.events, "")
        for move in play_story(play, seed, at_random, editions)
    )
    told = (redact(commit, None) if covered else commit for commit in commits)
    return [{**json.loads(encode(commit)), "version": version} for version, commit in enumerate(told, 1)]
