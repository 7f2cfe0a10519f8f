"""A game by rules that this program does not know is not checked against them, but all else is."""

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events.types import OptionValue
from rules.editions import EDITIONS
from rules.releases import Editions
from rules.ruleset import OptionSpec, Ruleset
from rules.tiles import TILES
from service.cli import main as croupier
from service.fairness.verify import Verdict, verify
from tests.support.forgeries import reseal
from tests.support.release_games import GAME, Raws, export, play_game


def renumbered(edition: str, release: int) -> Editions:
    return Editions((replace(EDITIONS.newest[edition], release=release),))


def renamed(edition: str, name: str) -> Editions:
    return Editions((replace(EDITIONS.newest[edition], id=name),))


def with_option(edition: str) -> Editions:
    spec = OptionSpec("speed", "flag", "Play fast.", False)
    known = EDITIONS.newest[edition]
    return Editions((replace(known, options=(*known.options, spec)),))


def with_tile(code: str) -> Editions:
    """One of the tiles under a code that nobody has heard of."""
    known, tile = EDITIONS.newest["royale"], replace(TILES[0], code=code, other="")
    options = tuple(
        replace(spec, codes=(*spec.codes, code)) if spec.codes else spec for spec in known.options
    )
    return Editions((replace(known, tiles={**known.tiles, code: tile}, options=options),))


# Their black dice fall in most games.
THROWING: dict[str, OptionValue] = {"tile_codes": ("A2", "B2", "H2", "C2", "D1")}
GAMES: dict[str, tuple[Editions, str, int, dict[str, OptionValue], str]] = {
    "a release": (renumbered("classic", 7), "classic", 3, {"neutral_dice": True}, "release 7 of classic"),
    "a release of secrets": (renumbered("cards", 9), "cards", 3, {}, "release 9 of cards"),
    "a release of tiles": (renumbered("royale", 9), "royale", 2, THROWING, "release 9 of royale"),
    "an edition": (renamed("modern", "boat"), "boat", 5, {"bandit": True}, "release 1 of boat"),
    "an option": (with_option("classic"), "classic", 2, {}, "the option speed of classic"),
    "a tile": (with_tile("Z1"), "royale", 2, {"tile_codes": ("C2", "B1")}, "the tile Z1 of royale"),
}
by_cause = pytest.mark.parametrize("cause", GAMES)


@cache
def _game(cause: str) -> Raws:
    editions, edition, players, options, _ = GAMES[cause]
    return export(play_game(editions, edition, players, options, last_sits_down=True))


def game(cause: str = "a release") -> Raws:
    return deepcopy(_game(cause))


@by_cause
def test_what_is_not_known_is_named_and_everything_else_checked(cause: str) -> None:
    raws = game(cause)
    assert verify(raws) == Verdict(
        ok=None,
        commits=len(raws),
        events=sum(len(commit["events"]) for commit in raws),
        game=GAME,
        head=raws[-1]["hash"],
        unchecked=f"this program does not know {GAMES[cause][-1]}",
    )


@by_cause
def test_whoever_knows_the_rules_verifies_the_game(cause: str) -> None:
    assert verify(game(cause), GAMES[cause][0]).ok is True


def rolls(raws: Raws) -> list[dict[str, Any]]:
    return [event for commit in raws for event in commit["events"] if event["type"] == "dice_rolled"]


def turn_a_die(roll: dict[str, Any], turn: int) -> None:
    """The first of its small, big, neutral or black dice, whichever is due."""
    kinds = [kind for kind in ("own", "big", "neutral", "black") if kind in roll]
    kind = kinds[turn % len(kinds)]
    if kind == "big":
        roll[kind] = roll[kind] % 6 + 1
    else:
        faces = [roll[kind][0] % 6 + 1, *roll[kind][1:]]
        roll[kind] = faces if kind == "black" else sorted(faces)


@pytest.mark.parametrize("cause", ["a release", "a release of tiles"])
def test_no_roll_can_be_another(cause: str) -> None:
    for number in range(len(rolls(game(cause)))):
        raws = game(cause)
        turn_a_die(rolls(raws)[number], number)
        assert verify(reseal(raws)).ok is False, number


def swap_black_dice(raws: Raws) -> None:
    """Only which die showed what is another."""
    roll = next(roll for roll in rolls(raws) if len(set(roll.get("black", []))) > 1)
    roll["black"].reverse()


def test_black_dice_lie_as_they_fell() -> None:
    raws = game("a release of tiles")
    swap_black_dice(raws)
    assert verify(reseal(raws)).ok is False


def leave_a_number_out(raws: Raws) -> None:
    """A roll that nobody liked is passed over: all that follows is made from the next numbers."""
    for roll in rolls(raws)[5:]:
        roll["chance"] += 1


def use_a_number_twice(raws: Raws) -> None:
    first, second = rolls(raws)[4:6]
    second |= {name: first[name] for name in ("chance", "own", "neutral") if name in first}


def forget_the_seed(raws: Raws) -> None:
    (end,) = (event for event in raws[-1]["events"] if event["type"] == "game_ended")
    end["seed"] = "77" * 32


def go_back_in_time(raws: Raws) -> None:
    raws[5]["at"] = "2026-11-15T11:00:00.000Z"


def change_release_on_the_way(raws: Raws) -> None:
    raws[5]["rules"] = "8"


def create_another_edition_than_asked_for(raws: Raws) -> None:
    raws[0]["command"]["edition"] = "modern"


def change_entropy(raws: Raws) -> None:
    raws[0]["command"]["seats"][0]["entropy"] = raws[0]["events"][0]["seats"][0]["entropy"] = "other luck"


def change_late_entropy(raws: Raws) -> None:
    raws[1]["command"]["entropy"] = raws[1]["events"][0]["entropy"] = "other luck"


def sit_nowhere(raws: Raws) -> None:
    raws[1]["events"][0]["seat"] = 9


@pytest.mark.parametrize(
    "forge",
    [
        leave_a_number_out,
        use_a_number_twice,
        forget_the_seed,
        go_back_in_time,
        change_release_on_the_way,
        create_another_edition_than_asked_for,
        change_entropy,
        change_late_entropy,
        sit_nowhere,
    ],
)
def test_unknown_rules_are_no_cover_for_a_forgery(forge: Callable[[Raws], None]) -> None:
    raws = game()
    forge(raws)
    verdict = verify(reseal(raws))
    assert (verdict.ok, verdict.unchecked) == (False, None)
    assert verdict.fault


def test_a_broken_chain_is_found_without_rules() -> None:
    raws = game()
    raws[5]["by"] = "nobody"
    assert verify(raws).ok is False


def test_salts_come_from_the_seed() -> None:
    """A hand that was sealed again, under a salt of somebody's own, matches its commitment and no seed."""
    raws = game("a release of secrets")
    dealt = [event for commit in raws for event in commit["events"] if event["type"] == "cards_dealt"]
    one, other = dealt[0]["cards"], dealt[1]["cards"]
    dealt[0]["cards"], dealt[1]["cards"] = other, one
    verdict = verify(reseal(raws))
    assert verdict.ok is False
    assert "salt" in (verdict.fault or "")


def test_covered_secrets_are_left_covered() -> None:
    raws = game("a release of secrets")
    for commit in raws:
        for event in commit["events"]:
            if event["type"] == "cards_dealt":
                event["cards"] = {"hidden": event["cards"]["hidden"]}
    assert verify(raws).ok is None


def test_the_command_says_so_and_exits_with_three(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.ndjson"
    path.write_bytes(b"\n".join(msgspec.json.encode(commit) for commit in game()))
    assert croupier(["verify", str(path)]) == 3
    told = capsys.readouterr().out
    assert "NOT CHECKED against the rules: this program does not know release 7 of classic" in told
    assert "every roll" in told


def test_every_shipped_release_can_be_found_by_its_number() -> None:
    """Numbers go up by one, from the oldest that stored games may name."""
    numbers: dict[str, list[int]] = {}
    for ruleset in EDITIONS.releases:
        numbers.setdefault(ruleset.id, []).append(ruleset.release)
        assert EDITIONS.find(ruleset.id, str(ruleset.release), {}) is ruleset
    assert list(numbers) == list(EDITIONS.newest)
    for edition, listed in numbers.items():
        assert listed == list(range(listed[0], listed[0] + len(listed)))
        newest: Ruleset = EDITIONS.newest[edition]
        assert newest.release == listed[-1]
