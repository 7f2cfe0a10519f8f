"""The page checks games by itself, in a real browser: true ones hold, of others it names the place."""

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser

from events.chain import redact_commit
from events.commit import decode_raw, encode
from events.secrecy import commitment
from service.fairness.export_file import HOW_TO_VERIFY
from service.fairness.verify import verify
from service.history.export import GameFiles
from tests.stored.stored_games import FINISHED, UNFINISHED, read_finished, read_unfinished
from tests.support.browser import FOLDER, PageModules, Parts, lines, open_modules
from tests.support.event_samples import sample_log
from tests.support.finished_games import KINDS, evening_file, evening_game
from tests.support.forgeries import FORGERIES, Raws, events_of, reseal
from tests.support.games import (
    TABLES,
    export_game,
    exported_game,
    make_games,
    people,
    play_answers,
    play_game,
    start_game,
)
from tests.support.tampering import LIES

Verdict = dict[str, Any]


@pytest.fixture(scope="module")
def modules(browser: Browser) -> Iterator[PageModules]:
    with open_modules(browser) as modules:
        yield modules


def counts(verdict: Verdict) -> dict[str, int]:
    return {check["what"]: check["count"] for check in verdict["checks"]}


# What is true


@pytest.mark.long
def test_games_that_earlier_code_stored_hold(modules: PageModules) -> None:
    stored = {path.name: read_finished(path) for path in FINISHED}
    verdicts = modules.verify(*map(lines, stored.values()))
    wrong = [name for name, told in zip(stored, verdicts, strict=True) if told["ok"] is not True]
    assert wrong == []
    assert [told["head"] for told in verdicts] == [raws[-1]["hash"] for raws in stored.values()]


@pytest.mark.long
def test_fresh_games_of_every_edition_hold_with_every_roll_and_draw(
    modules: PageModules,
) -> None:
    played = [exported_game(edition, players, **options) for edition, options, players in TABLES]
    for raws, told in zip(played, modules.verify(*map(lines, played)), strict=True):
        assert (told["ok"], told["unchecked"]) == (True, ["rules"]), told
        found = counts(told)
        assert found["chain"] == len(raws)
        assert found["things"] == sum(len(raw["events"]) for raw in raws)
        assert found.get("rolls", 0) == len(events_of(raws, "dice_rolled"))
        sealed = {"chosen", "cards_played", "dice_rolled"}
        drawn = {
            event["chance"]
            for raw in raws
            for event in raw["events"]
            if "chance" in event and event["type"] not in sealed
        }
        assert found["draws"] == len(drawn)


def fork(edition: str, players: int, **options: Any) -> Raws:
    """A fork of a fork, played to its end."""
    games = make_games()
    last = play_game(games, edition, options, players)
    for at in (12, 16):
        last = GameFiles(games).forks.fork(last, at, people(players)).game
        for _ in play_answers(games, last, seed=at):
            pass
    return export_game(games, last)


def test_a_fork_holds_by_every_seed_that_decided_a_part_of_it(modules: PageModules) -> None:
    games = [fork(edition, players, **options) for edition, options, players in TABLES[4:8]]
    for raws, told in zip(games, modules.verify(*map(lines, games)), strict=True):
        assert (told["ok"], told["unchecked"], told["head"]) == (True, ["rules"], raws[-1]["hash"]), told
        assert counts(told)["seed"] == 3
        assert counts(told).get("rolls", 0) == len(events_of(raws, "dice_rolled"))
    lies = [deepcopy(games[0]) for _ in range(3)]
    for raws, member in zip(lies, ("origin", "seed", "commitment"), strict=True):
        forked = events_of(raws, "game_forked")[0]
        command = next(raw["command"] for raw in raws if raw["command"]["type"] == "fork")
        forked[member] = {**forked["origin"], "at": 3} if member == "origin" else "00" * 32
        if member in command:
            command[member] = forked[member]
    verdicts = modules.verify(*(lines(reseal(raws, keep_origin=True)) for raws in lies))
    assert [verdict["fault"]["what"] for verdict in verdicts] == ["origin", "seed", "origin"]


def test_a_sandbox_game_and_a_fork_with_the_same_dice_hold_and_prove_nothing_about_luck(
    modules: PageModules,
) -> None:
    """Also where one is forked off the other."""
    games = make_games()
    sandbox = games.create("royale", {"tiles": 3}, people(3), sandbox_seed="of a test").game
    played = [sandbox]
    for origin, same_dice in ((sandbox, False), (play_game(games, "cards", {}, 3), True)):
        for _ in play_answers(games, origin):
            pass
        played.append(GameFiles(games).forks.fork(origin, 12, people(3), same_dice=same_dice).game)
        for _ in play_answers(games, played[-1], seed=2):
            pass
    raws = [export_game(games, game) for game in played]
    verdicts = modules.verify(*map(lines, raws))
    assert [told["ok"] for told in verdicts] == [True, True, True], verdicts
    assert [told["unchecked"][0] for told in verdicts] == ["chosen", "chosen", "known"]
    lies = [deepcopy(log) for log in raws]
    for name, log in zip(("sandbox", "sandbox", "same_dice"), lies, strict=True):
        place = 12 if name == "same_dice" else 0
        for part in (log[place]["command"], log[place]["events"][0]):
            del part[name]
    assert [told["ok"] for told in modules.verify(*(lines(reseal(log)) for log in lies))] == [False] * 3


@pytest.mark.long
def test_a_game_that_goes_on_holds_as_far_as_it_can_be_checked(modules: PageModules) -> None:
    """Also as somebody sees it who may see some of its secrets."""
    games = make_games()
    running = start_game(games, "cards", {}, 3)
    for _ in play_answers(games, running, 20):
        pass
    seen = [
        [decode_raw(encode(redact_commit(commit, viewer))) for commit in games.commits(running)]
        for viewer in (None, 1)
    ]
    stored = [
        [{name: raw[name] for name in raw if name not in ("key", "request")} for raw in unfinished.commits]
        for unfinished in map(read_unfinished, UNFINISHED[::8])
    ]
    for told in modules.verify(*map(lines, [*seen, *stored])):
        assert (told["ok"], told["unchecked"]) == (None, ["seed", "rules"]), told


def test_names_of_any_characters_are_hashed_as_the_service_does(modules: PageModules) -> None:
    """Escapes, marks, signs beyond the first plane, and members in the order of their code points."""
    raws = exported_game()
    odd = 'Zoë \u2028\u007f\u0001\t"\\/\U0001f3b2\ufffd'
    odd_options = {odd: odd, "\U0001f3b2": 1, "\uffee": 2, "10": 3, "9": 4}
    raws[0]["events"][0]["options"] |= odd_options
    (told,) = modules.verify(lines(reseal(raws)))
    assert (told["ok"], told["unchecked"]) == (None, ["sums", "rules"]), told


def test_every_kind_of_event_is_known_with_all_its_members(modules: PageModules) -> None:
    """What is added to the log is to be added to the page: it refuses what it does not know."""
    raws = [decode_raw(encode(commit)) for commit in sample_log()]
    assert modules.page.evaluate(SHAPES, raws) == []


SHAPES = """async (commits) => {
    const {checkShape} = await import("/proof/shapes.js");
    return commits.flatMap((commit, index) => {
        try {
            checkShape(commit, index + 1);
            return [];
        } catch ({what, values}) {
            return [[what, values, commit.events.map(({type}) => type)]];
        }
    });
}"""

FORMS: dict[str, Callable[[Raws], str]] = {
    "ndjson": lines,
    "blank lines": lambda raws: "\n" + lines(raws) + "\n\n",
    "list": lambda raws: msgspec.json.encode(raws).decode(),
    "page": lambda raws: msgspec.json.encode({"commits": raws, "next": ""}).decode(),
    "pages": lambda raws: lines([{"commits": raws[:9], "next": ""}, {"commits": raws[9:]}]),
    "indented": lambda raws: msgspec.json.format(msgspec.json.encode(raws), indent=2).decode(),
}


def test_every_form_of_an_export_is_read(modules: PageModules) -> None:
    told = modules.verify(*(form(exported_game()) for form in FORMS.values()))
    assert [verdict["ok"] for verdict in told] == [True] * len(FORMS)


def header(raws: Raws, **changed: Any) -> dict[str, Any]:
    """The first line that an exported file may begin with."""
    created, end = raws[0]["events"][0], events_of(raws, "game_ended")[0]
    return {
        "format": "croupier/1",
        "game": created["game"],
        "edition": created["edition"],
        "release": created["rules"],
        "options": created["options"],
        "seats": len(created["seats"]),
        "created": raws[0]["at"],
        "commits": len(raws),
        "head": raws[-1]["hash"],
        "verify": HOW_TO_VERIFY,
        "ended": raws[-1]["at"],
        "result": {"winners": end["winners"], "totals": end["totals"]},
        **changed,
    }


def test_a_first_line_is_held_to_the_commits(modules: PageModules) -> None:
    raws = exported_game()
    lies: list[dict[str, Any]] = [{"commits": 3}, {"head": "0" * 64}, {"edition": "royale"}, {"luck": 1}]
    lies += [{"result": {"winners": [1, 0]}}, {"game": "g_other"}, {"remark": None}, {"verify": "trust me"}]
    lies += [{"fork": None}]
    told = modules.verify(
        lines([header(raws), *raws]), *(lines([header(raws, **lie), *raws]) for lie in lies)
    )
    assert told[0]["ok"] is True, told[0]
    assert [verdict["fault"]["what"] for verdict in told[1:]] == ["header"] * len(lies)
    assert [verdict["fault"]["values"]["name"] for verdict in told[1:]] == [
        f'"{next(iter(lie))}"' for lie in lies
    ]


def test_a_file_of_many_games_is_no_game(modules: PageModules) -> None:
    (told,) = modules.verify(
        lines([*exported_game(), {"format": "croupier-cursor/1", "cursor": "x", "more": False}])
    )
    assert (told["fault"]["what"], told["fault"]["version"]) == ("several", len(exported_game()) + 1)


# What is not


def test_a_changed_file_is_rejected_with_the_place(modules: PageModules) -> None:
    """The same as `croupier verify` names; a game whose end was cut off might still go on."""
    games = [(lie.__name__, exported_game()) for lie in FORGERIES]
    for (_, raws), lie in zip(games, FORGERIES, strict=True):
        lie(raws)
    verdicts = modules.verify(*(lines(raws) for _, raws in games))
    for (name, raws), told in zip(games, verdicts, strict=True):
        found = (told["ok"], (told.get("fault") or {}).get("version"))
        expected = (None, None) if name == "truncate" else (False, verify(raws).version)
        assert (name, found) == (name, expected)


# What each fault is called: the lie, and a game of the corpus that gives it something to change.
SAID: dict[str, tuple[str, str]] = {
    "let another win": ("winners", "classic"),
    "tell another total": ("totals", "modern"),
    "end after an early round": ("ended_early", "cards"),
    "empty a black roll": ("rolled", "royale"),
    "pay a casino to another purse": ("payout", "classic"),
    "send one of the tied home": ("tied", "modern"),
    "start a later round elsewhere": ("starter", "classic"),
    "rename a question": ("unasked", "royale"),
    "rename a tile": ("unasked", "royale"),
    "rename a counter": ("payment", "royale"),
}


TILES = {"tile_codes": ("A2", "B1", "E1")}


def test_what_does_not_add_up_is_named(modules: PageModules) -> None:
    lies = {told.name: told.lie for told in LIES}
    for name, (what, edition) in SAID.items():
        raws = exported_game(edition, 3, **(TILES if edition == "royale" else {}))
        lies[name](raws, Random(1))
        (told,) = modules.verify(lines(reseal(raws)))
        assert (name, told["fault"]["what"]) == (name, what)
        assert told["fault"]["version"] is not None


def test_what_adds_a_game_up_is_used_for_nothing_else() -> None:
    """The page plays by no rule: only what checks a game has some."""
    modules = [path for path in FOLDER.rglob("*.js") if path.parent.name != "proof"]
    assert [path.name for path in modules if re.search(r"/(books|ledger)\.js", path.read_text())] == []


def change_hand(raws: Raws) -> None:
    events_of(raws, "cards_dealt")[0]["cards"]["value"] = ["6d"] * 5


def add_to_secret(raws: Raws) -> None:
    events_of(raws, "cards_dealt")[0]["cards"]["luck"] = 1


def reveal_other(raws: Raws) -> None:
    events_of(raws, "revealed")[0]["value"] = "play-1"


def deal_other_hand(raws: Raws) -> None:
    """Another card under the same salt, in every place where the hand is told."""
    dealt = events_of(raws, "cards_dealt")[0]
    other = sorted({"1", "2", "3", "4", "5", "6"} - set(dealt["cards"]["value"]))[0]
    value = sorted([other, *dealt["cards"]["value"][1:]])
    hidden = commitment(dealt["cards"]["salt"], value)
    for raw in raws:
        for event in raw["events"]:
            if event.get("cards", {}) == dealt["cards"]:
                event["cards"] = {**dealt["cards"], "hidden": hidden, "value": value}


@pytest.mark.parametrize(
    ("lie", "what"),
    [
        (change_hand, "secret"),
        (add_to_secret, "secret_members"),
        (reveal_other, "secret"),
        (deal_other_hand, "draw"),
    ],
)
def test_secrets_are_held_to_what_was_sealed_and_dealt(
    lie: Callable[[Raws], None], what: str, modules: PageModules
) -> None:
    raws = exported_game("cards", 3)
    lie(raws)
    (told,) = modules.verify(lines(reseal(raws)))
    assert (told["ok"], told["fault"]["what"]) == (False, what)


# Games of every kind


def test_games_of_every_kind_hold(modules: PageModules) -> None:
    verdicts = modules.verify(*(evening_file(kind).decode() for kind in KINDS))
    assert {kind: told["ok"] for kind, told in zip(KINDS, verdicts, strict=True)} == dict.fromkeys(
        KINDS, True
    )


def drop_number(raws: Raws) -> None:
    """Other notes, without the number that the seed would give them by."""
    drawn = next(event for event in events_of(raws, "notes_moved") if event["target"] == "bank")
    del drawn["chance"]


def void_alone(raws: Raws) -> None:
    (seed,) = (event["seed"] for event in raws[-1]["events"] if "seed" in event)
    closed = {"type": "game_closed", "reason": "voided", "seed": seed}
    last = {**raws[8], "by": "clock", "command": {"type": "close", "reason": "voided"}, "events": [closed]}
    raws[8:] = [last]


def by_another(raws: Raws) -> None:
    raws[5]["by"] = "seat-1" if raws[5]["by"] == "seat-0" else "seat-0"


def drop_note(raws: Raws) -> None:
    del next(raw for raw in raws if "bot" in raw)["bot"]


def rename_bot(raws: Raws) -> None:
    next(raw for raw in raws if "bot" in raw)["bot"]["name"] = "expert"


def forget_why(raws: Raws) -> None:
    del next(raw for raw in raws if raw["by"] == "clock")["command"]["why"]


def move_to_the_end_of_time(raws: Raws) -> None:
    raws[-1]["at"] = "9999-12-31T23:59:59.999Z"


@pytest.mark.parametrize(
    ("kind", "lie", "what"),
    [
        ("hidden tiles", drop_number, "undrawn"),
        ("people", void_alone, "closed_as"),
        ("people", by_another, "author"),
        ("bots", drop_note, "bot_note"),
        ("remote", rename_bot, "bot_note"),
        ("timeouts", forget_why, "author"),
        ("people", move_to_the_end_of_time, "time"),
    ],
)
def test_who_answered_and_what_was_drawn_is_held_to_command_and_seed(
    kind: str, lie: Callable[[Raws], None], what: str, modules: PageModules
) -> None:
    raws = evening_game(kind)
    lie(raws)
    (told,) = modules.verify(lines(reseal(raws)))
    assert (told["ok"], told["fault"]["what"]) == (False, what), told
    assert told["fault"]["version"] is not None


def test_what_is_covered_in_a_game_that_is_over_is_said_to_be_unchecked(modules: PageModules) -> None:
    raws = evening_game("cards")
    for event in events_of(raws, "cards_played"):
        event["rest"] = {"hidden": "ab" * 32}
    (told,) = modules.verify(lines(reseal(raws)))
    assert "draws" in told["unchecked"]


# What is no game


NONSENSE: dict[str, tuple[str | Parts, str, int | None]] = {
    "empty": ("", "empty", None),
    "words": ("hello", "no_json", 1),
    "a number": ("7", "no_commit", None),
    "nothing in it": ('{"commits": []}', "empty", None),
    "cut off": ('{"version": 1}\n{"version": ', "no_json", 2),
    "a member twice": ('{"version": 1, "version": 2}', "twins", 1),
    "a prototype": ('{"__proto__": {"version": 1}}', "odd_member", 1),
    "half a character": ('["\\ud800"]', "half_character", 1),
    "no number": ("[NaN]", "no_json", 1),
    "too long a number": ("[9007199254740993]", "odd_number", 1),
    "a fraction": ('{"version": 1.0}', "odd_number", 1),
    "a bare sign": ("[-]", "no_json", 1),
    "deep": ([("[", 100_000)], "too_deep", 1),
    "deep and whole": ('{"a":' * 900 + "1" + "}" * 900, "too_deep", 1),
    "too many": ([("{}\n", 10_001)], "too_many", None),
    "too many pages": ([("[]\n", 700_000)], "too_many", None),
    "too many in one page": ([("[0", 1), (",0", 1_000_000), ("]\n", 1)], "too_many", None),
    "too long a line": ([('{"a": "', 1), ("x", 2**21), ('"}\n{}', 1)], "line_too_long", 1),
    "too large": ([("x", 8 * 2**20 + 1)], "too_large", None),
    "stored form": ('{"version": 1, "key": ""}', "unhashed", None),
}


def test_what_is_no_game_is_refused_in_bounded_time_with_the_line(modules: PageModules) -> None:
    verdicts = modules.verify(*(file for file, _, _ in NONSENSE.values()))
    for (name, (_, what, line)), told in zip(NONSENSE.items(), verdicts, strict=True):
        assert told["ok"] is False
        assert (name, told["fault"]["what"]) == (name, what)
        assert told["fault"]["values"].get("line") == line


def set_up_too_much(raws: Raws) -> None:
    events_of(raws, "game_started")[0]["dice"][0]["small"] = 10**9


def name_too_long(raws: Raws) -> None:
    raws[0]["command"]["seats"][0]["name"] = raws[0]["events"][0]["seats"][0]["name"] = "x" * 10_000


def seat_nobody(raws: Raws) -> None:
    events_of(raws, "round_started")[1]["starter"] = 5


def own_by_nobody(raws: Raws) -> None:
    events_of(raws, "game_started")[0]["dice"][0]["owner"] = "seat-5"


def pass_markup(raws: Raws) -> None:
    raws[0]["command"]["seats"][0]["name"] = raws[0]["events"][0]["seats"][0]["name"] = {"type": "script"}


@pytest.mark.parametrize("trick", [set_up_too_much, name_too_long, seat_nobody, own_by_nobody, pass_markup])
def test_nothing_that_could_not_be_drawn_is_taken_for_a_game(
    trick: Callable[[Raws], None], modules: PageModules
) -> None:
    raws = exported_game()
    trick(raws)
    (told,) = modules.verify(lines(reseal(raws)))
    assert told["ok"] is False
    assert told["fault"]["version"] is not None


def test_the_worked_example_of_the_documentation(modules: PageModules) -> None:
    text = (FOLDER.parents[1] / "docs" / "fairness.md").read_text()
    example = msgspec.json.decode(text.partition("```json")[2].partition("```")[0])
    found = modules.page.evaluate(EXAMPLE, example)
    assert found == {
        "mixed": example["mixed"],
        "faces": example["dice"]["faces"],
        "picked": example["picks"]["picked"],
        "salt": example["salt"]["salt"],
        "proven": True,
    }


EXAMPLE = """async ({seed, game, entropy, dice, picks, salt, sealed}) => {
    const {fairChance, mixEntropy} = await import("/proof/chance.js");
    const {fromHex} = await import("/proof/hashing.js");
    const {proves} = await import("/proof/chain.js");
    const chance = await fairChance(fromHex(seed, 32), game, entropy);
    const below = chance.draw(picks.number), picked = [];
    for (const bound of picks.below) picked.push(await below(bound));
    const opened = {hidden: sealed.hidden, salt: salt.salt, value: JSON.parse(sealed.json)};
    return {
        mixed: await mixEntropy(entropy), faces: await chance.dice(dice.number, dice.count), picked,
        salt: await chance.salt(salt.number), proven: await proves(opened),
    };
}"""
