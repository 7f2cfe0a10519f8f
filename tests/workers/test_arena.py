"""The arena measures fairly, and its file speaks of every edition and of every bot that was measured."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest

from rules.editions import EDITIONS
from rules.options import COMMON
from rules.releases import Editions
from service.catalog.bots import BOT_NAMES, FILE, Findings, Strength, read_findings, to_json
from workers.arena.__main__ import find_weak
from workers.arena.matches import (
    Match,
    interval,
    list_matches,
    list_rungs,
    parts_won,
    place_of,
    play,
    play_first_game,
    run_match,
)
from workers.arena.report import (
    BEGIN,
    EARLIER,
    PAGE,
    meeting_key,
    merge_findings,
    put_into_page,
    rate,
    render_matches,
    sum_up_findings,
)
from workers.arena.settings import KINDS, LADDER_PLAYERS, Setting, list_settings
from workers.bots import BOTS

SMALL = (Setting("classic", {}, 2, 4), Setting("modern", {"bandit": True}, 5, 5))
TABLES = list_settings(100, LADDER_PLAYERS)
MEASURED = [name for name in BOT_NAMES if name in read_findings().levels]
ROWS = [(level, row) for level, rows in read_findings().levels.items() for row in rows]
# These change nothing about how well a bot plays, or pick among what is measured together.
SAME_PLAY = {spec.name for spec in COMMON} | {"tile_codes"}
# What thinks little is played again at once.
QUICK = [
    (level, row)
    for level, row in ROWS
    if ({level, row.against} <= {"random", "greedy"} and row.players < 4)
    or ({level, row.against} <= {"random", "novice", "casual"} and row.players == 2)
]


def test_another_seed_is_another_game() -> None:
    first, second = (play(SMALL[0], ("random", "greedy"), seed) for seed in (1, 2))
    assert first.notes != second.notes


@pytest.mark.parametrize("setting", SMALL, ids=lambda setting: setting.edition)
def test_what_a_level_and_its_rivals_win_sums_to_one(setting: Setting) -> None:
    match, rivals, first = Match(setting, "greedy", "random"), 0.0, 0
    for game in range(setting.games):
        state, seat = play(setting, match.seating(game), match.seed(game)), game % setting.players
        parts = parts_won(state)
        assert {winner for winner, part in enumerate(parts) if part} == set(state.winners or ())
        assert (place_of(state, seat, humble=False) == 1) == (seat in (state.winners or ()))
        rivals += sum(part for other, part in enumerate(parts) if other != seat)
        first += seat in (state.winners or ())
    row = run_match(match)
    assert row.share + rivals / setting.games == pytest.approx(1, abs=0.001)
    assert sum(row.places) == setting.games
    assert row.places[0] <= first


def test_a_level_comes_to_every_seat_equally_often_with_the_same_seeds() -> None:
    for setting in TABLES:
        match = Match(setting, "greedy", "random")
        sat = [(match.seating(game).index("greedy"), match.seed(game)) for game in range(setting.games)]
        seeds = {seat: [seed for at, seed in sat if at == seat] for seat in range(setting.players)}
        assert all(own == seeds[0] for own in seeds.values())
        assert len(set(seeds[0])) == len(seeds[0]) == setting.games // setting.players


def test_everybody_meets_everybody_or_the_next_below() -> None:
    pairs = [(match.level, match.against) for match in list_matches(SMALL[:1], "abc", "abc")]
    assert pairs == [("a", "b"), ("a", "c"), ("b", "c")]
    assert len(list(list_matches(SMALL[1:], "abc", "abc"))) == 6
    assert [(match.level, match.against) for match in list_rungs(SMALL[:1], "abc")] == [
        ("b", "a"),
        ("c", "b"),
    ]


@pytest.mark.parametrize(("level", "row"), QUICK, ids=lambda part: getattr(part, "edition", part))
def test_the_file_is_of_the_bots_and_rules_as_they_are(level: str, row: Strength) -> None:
    """A change that moves dice or bots moves a first game; it is played by the release of the row."""
    match = Match(Setting(row.edition, row.options, row.players, row.games), level, row.against)
    release = Editions((EDITIONS.find(row.edition, str(row.release), {}),))
    assert play_first_game(match, release) == row.first_game, "run `croupier arena --ladder --resume --write`"


def test_what_an_earlier_build_won_is_marked_until_it_is_played_again() -> None:
    """Who makes a new build of a bot measures it: `croupier arena --ladder --missing --resume --write`."""
    earlier = [
        row
        for level, row in ROWS
        if not all(
            BOTS[name].build == build for name, build in zip((level, row.against), row.builds, strict=True)
        )
    ]
    assert render_matches(read_findings().levels).count(EARLIER) == len(earlier)


@pytest.mark.parametrize(
    ("share", "games", "low", "high"),
    [(0.5, 100, 0.4038, 0.5962), (0.9, 50, 0.7864, 0.9565), (0.0, 20, 0.0, 0.1611), (1.0, 20, 0.8389, 1.0)],
)
def test_the_interval_is_the_one_in_the_textbook(share: float, games: int, low: float, high: float) -> None:
    assert interval(share, games) == pytest.approx((low, high), abs=0.0001)


def test_the_file_has_every_level_at_every_table_against_the_next_lower_one() -> None:
    """After a new edition, option or level: `croupier arena --ladder --missing --resume --write`."""
    met = {(level, row.against, row.edition, str(row.options), row.players) for level, row in ROWS}
    rungs = list(pairwise(BOT_NAMES))
    wanted = {
        (level, lower, at.edition, str(at.options), at.players) for lower, level in rungs for at in TABLES
    }
    assert met == wanted
    assert len(met) == len(ROWS)


def test_every_edition_and_option_is_played() -> None:
    assert {edition for edition, _ in KINDS} == set(EDITIONS.newest)
    for ruleset in EDITIONS.newest.values():
        options = {name for edition, options in KINDS for name in options if edition == ruleset.id}
        assert options == {spec.name for spec in ruleset.options} - SAME_PLAY
        least, most = ruleset.seats
        assert {at.players for at in TABLES if at.edition == ruleset.id} == set(range(least, most + 1))


def test_every_share_lies_within_its_interval() -> None:
    for _, row in ROWS:
        assert 0 <= row.low <= row.share <= row.high <= 1, row
        assert (row.low, row.high) == pytest.approx(interval(row.share, row.games), abs=0.002)
        assert row.even == pytest.approx(1 / row.players, abs=0.0005)
        assert sum(row.places) == row.games


def test_every_row_was_measured_under_a_release_that_there_is() -> None:
    known = {(ruleset.id, ruleset.release) for ruleset in EDITIONS.releases}
    assert {(row.edition, row.release) for _, row in ROWS} <= known


def test_the_file_reads_as_it_was_written() -> None:
    assert to_json(read_findings()) == FILE.read_text("utf-8")
    assert msgspec.json.decode(to_json(read_findings()), type=Findings) == read_findings()


def test_the_page_shows_the_file() -> None:
    page = PAGE.read_text("utf-8")
    assert put_into_page(page, read_findings()) == page
    assert render_matches(read_findings().levels) in page.partition(BEGIN)[2]


def test_what_is_measured_again_replaces_what_was_known() -> None:
    old = [row(against="random"), row(against="random", players=4), row(against="greedy", builds=("1", "2"))]
    before = sum_up_findings({"greedy": old[:2], "random": old[2:]})
    again = row(against="random", share=0.5, builds=("2", ""))
    merged = merge_findings(before, {"greedy": [again]})
    assert merged.levels["greedy"] == (again, old[1])
    assert meeting_key(merged.levels["random"][0]) == meeting_key(old[2])


def test_what_was_won_against_a_much_lower_level_goes_with_the_next_lower_one() -> None:
    old = [row(against="random"), row(against="random", players=4)]
    rung = row(against="casual")
    merged = merge_findings(sum_up_findings({"greedy": old}), {"greedy": [rung]})
    assert merged.levels["greedy"] == (rung, old[1])


def test_ratings_follow_who_wins_and_do_not_depend_on_the_order_of_what_was_found() -> None:
    rows = {"greedy": [row(places=(18, 2)), row(players=4, places=(12, 5, 2, 1))]}
    ratings = rate(rows)
    for strong, weak in zip(ratings["greedy"], ratings["random"], strict=True):
        assert strong.mu - 3 * strong.sigma > weak.mu
        assert (strong.games, strong.players) == (20, weak.players)
    assert rate({"greedy": rows["greedy"][::-1]}) == ratings


def test_the_gate_finds_who_is_not_clearly_stronger() -> None:
    match = Match(SMALL[0], "greedy", "random")
    assert find_weak([(match, row(low=0.501))]) == []
    (line,) = find_weak([(match, row(low=0.5))])
    assert line.startswith("not clearly stronger: classic, 2 players, 20 games: greedy against random")


def row(
    *,
    against: str = "random",
    players: int = 2,
    share: float = 0.9,
    low: float = 0.7,
    places: tuple[int, ...] = (18, 2),
    builds: tuple[str, str] = ("1", ""),
) -> Strength:
    figures = (20, share, low, 0.97, 1 / players, 100, 90, (1, 2))
    return Strength("classic", 1, {}, players, against, *figures, places, builds)
