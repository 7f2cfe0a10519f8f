"""The arena measures fairly, and its file speaks of every edition and of every bot that was measured."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rules.editions import EDITIONS
from rules.options import COMMON
from rules.releases import Editions
from service.play.bot_levels import BOT_NAMES
from service.play.bot_strength import FILE, Findings, Strength, read_findings, to_json
from workers.arena import (
    FIRST_SEED,
    SETTINGS,
    YARDSTICK,
    Match,
    Setting,
    interval,
    list_matches,
    main,
    parts_won,
    play,
    play_first_game,
    run_match,
)

README = Path(__file__).parents[2] / "README.md"
SMALL = (Setting("classic", {}, 2, 2), Setting("modern", {"bandit": True}, 5, 5))
MEASURED = tuple(read_findings().levels)
ROWS = [(level, row) for level, rows in read_findings().levels.items() for row in rows]
# These change nothing about how well a bot plays, or pick among what is measured together.
SAME_PLAY = {spec.name for spec in COMMON} | {"tile_codes"}


def test_equal_seeds_give_equal_findings_and_progress_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("first", "second"):
        main(tmp_path / name, SMALL)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    shown = capsys.readouterr().err.splitlines()
    planned = len(list(list_matches(SMALL)))
    assert [line.partition(",")[0] for line in shown[-planned:]] == [
        f"[{count}/{planned}" for count in range(1, planned + 1)
    ]


def test_another_seed_is_another_game() -> None:
    first, second = (play(SMALL[0], ("random", "greedy"), seed) for seed in (1, 2))
    assert first.notes != second.notes


@pytest.mark.parametrize("setting", SMALL, ids=lambda setting: setting.edition)
def test_what_a_level_and_its_rivals_win_sums_to_one(setting: Setting) -> None:
    match, rivals = Match(setting, "greedy", "random"), 0.0
    for game in range(setting.games):
        state = play(setting, match.seating(game), FIRST_SEED + game)
        parts = parts_won(state)
        assert {seat for seat, part in enumerate(parts) if part} == set(state.winners or ())
        rivals += sum(part for seat, part in enumerate(parts) if seat != game % setting.players)
    assert run_match(match).share + rivals / setting.games == pytest.approx(1, abs=0.001)


def test_a_level_comes_to_every_seat_equally_often() -> None:
    for setting in SETTINGS:
        match = Match(setting, "greedy", "random")
        seats = [match.seating(game).index("greedy") for game in range(setting.games)]
        assert {seats.count(seat) for seat in range(setting.players)} == {setting.games // setting.players}


@pytest.mark.parametrize("match", list(list_matches(SETTINGS, MEASURED)))
def test_the_file_is_of_the_bots_and_rules_as_they_are(match: Match) -> None:
    """Every table is measured, so a change that moves dice or bots moves a first game.

    It is played by the release that the row was measured under.
    """
    setting = match.setting
    (row,) = (
        row
        for level, row in ROWS
        if (level, row.against, row.edition, row.options, row.players)
        == (match.level, match.against, setting.edition, setting.options, setting.players)
    )
    release = Editions((EDITIONS.find(row.edition, str(row.release), {}),))
    assert play_first_game(match, release) == row.first_game, "run `python -m workers.arena`"


@pytest.mark.parametrize(
    ("share", "games", "low", "high"),
    [(0.5, 100, 0.4038, 0.5962), (0.9, 50, 0.7864, 0.9565), (0.0, 20, 0.0, 0.1611), (1.0, 20, 0.8389, 1.0)],
)
def test_the_interval_is_the_one_in_the_textbook(share: float, games: int, low: float, high: float) -> None:
    assert interval(share, games) == pytest.approx((low, high), abs=0.0001)


def test_the_file_has_every_level_against_every_other_at_every_table() -> None:
    """After a new edition: `python -m workers.arena`. A new level may wait for it."""
    found = {(level, row.against, _table(row)) for level, row in ROWS}
    planned = list_matches(SETTINGS, MEASURED)
    assert found == {(match.level, match.against, _table(match.setting)) for match in planned}
    assert len(found) == len(ROWS)


def test_every_edition_and_option_is_played_by_at_least_two_numbers_of_players() -> None:
    assert {setting.edition for setting in SETTINGS} == set(EDITIONS.newest)
    for ruleset in EDITIONS.newest.values():
        own = [setting for setting in SETTINGS if setting.edition == ruleset.id]
        options = {name for setting in own for name in setting.options}
        assert options == {spec.name for spec in ruleset.options} - SAME_PLAY
        assert len({setting.players for setting in own}) > 1


def test_every_level_has_met_the_yardstick() -> None:
    assert {level for level, row in ROWS if row.against == YARDSTICK} == set(MEASURED)
    assert {YARDSTICK} < set(MEASURED) <= set(BOT_NAMES)


def test_every_share_lies_within_its_interval() -> None:
    for _, row in ROWS:
        assert 0 <= row.low <= row.share <= row.high <= 1, row
        assert (row.low, row.high) == pytest.approx(interval(row.share, row.games), abs=0.002)
        assert row.even == pytest.approx(1 / row.players, abs=0.0005)


def test_every_row_was_measured_under_a_release_that_there_is() -> None:
    known = {(ruleset.id, ruleset.release) for ruleset in EDITIONS.releases}
    assert {(row.edition, row.release) for _, row in ROWS} <= known


def test_the_file_reads_as_it_was_written() -> None:
    assert to_json(read_findings()) == FILE.read_text("utf-8")
    assert msgspec.json.decode(to_json(read_findings()), type=Findings) == read_findings()


def test_the_readme_quotes_the_file() -> None:
    told = " ".join(README.read_text("utf-8").partition("## Bots")[2].partition("\n## ")[0].split())
    greedy = [row for level, row in ROWS if (level, row.against, row.options) == ("greedy", YARDSTICK, {})]
    plain = {(row.edition, row.players): row for row in greedy}
    for edition in EDITIONS.newest:
        assert f"{plain[edition, 2].share * 100:.0f} % of `{edition}`" in told
    share, low, high = (round(figure * 100) for figure in _bounded(plain["modern", 4]))
    assert f"{share} % of `modern` (95 % interval {low}–{high} %)" in told


def _bounded(row: Strength) -> tuple[float, float, float]:
    return row.share, row.low, row.high


def _table(at: Setting | Strength) -> tuple[object, ...]:
    return at.edition, tuple(at.options.items()), at.players, at.games
