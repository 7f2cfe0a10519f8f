"""The table as text: every option with its exact choice, short, and nothing a viewer may not know."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from rules import EDITIONS
from service.games.table_text import write_table
from service.games.table_view import TableShown, render_snapshot
from service.languages.catalogue import ENGLISH, LANGUAGES
from tests.support.api_client import ApiClient
from tests.support.games import TABLES, make_games, play_answers, start_game
from tests.support.text_tables import OpenQuestion, read_question

LONGEST_HEAD = 1_500
TEXT = "text/plain"


def read_text(api: ApiClient, address: str, token: str | None = None, **headers: str) -> str:
    reply = api.get(address, token, **{"accept": TEXT, **headers})
    assert reply.status_code == 200, reply.data
    assert reply.headers["Content-Type"] == "text/plain; charset=utf-8"
    return reply.get_data(as_text=True)


def find_question(table: TableShown) -> OpenQuestion | None:
    """What the rules let the viewer answer."""
    mine = [ask for ask in table.asks if ask.yours]
    return OpenQuestion(mine[0].ask, tuple(option.choice for option in mine[0].options)) if mine else None


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_every_option_is_a_line_that_begins_with_its_choice(
    edition: str, options: dict[str, Any], players: int
) -> None:
    games = make_games()
    game = start_game(games, edition, options, players)
    for _ in play_answers(games, game, 40):
        snapshot = games.snapshot(game)
        for viewer in (None, *range(players)):
            table = render_snapshot(snapshot, viewer)
            wanted = [f"{option.choice} {option.label}" for ask in table.asks for option in ask.options]
            lines = write_table(table, ENGLISH).splitlines()
            assert lines[len(lines) - len(wanted) :] == wanted
            head = lines[: len(lines) - len(wanted)]
            assert len("\n".join(head)) < LONGEST_HEAD
            assert f"version {snapshot.version}" in head[0]
            assert read_question("\n".join(lines)) == find_question(table)


def test_four_seats_with_the_longest_names_and_six_tiles_are_short_in_every_language(api: ApiClient) -> None:
    random = Random(4)
    for codes in (["A2", "B2", "C2", "D2", "E1", "F2"], ["E2", "F1", "G2", "H1", "B1", "C1"]):
        seats = [{"name": letter * 40} for letter in "WXYZ"]
        options = {"tile_codes": codes, "tiles": 6, "total_seconds": 3_600}
        game = api.create(*seats, edition="royale", options=options)
        for _ in range(60):
            table = game.table()
            if not table["asks"]:
                break
            seat, ask = game.asked(table)
            first = ask["options"][0]["choice"]
            for language in LANGUAGES:
                text = read_text(api, game.address, game.tokens[seat], accept_language=language)
                head, found, _ = text.partition(f"\n{first} ")
                assert found
                assert len(head) < LONGEST_HEAD, head
            assert game.choose(seat, ask["ask"], random.choice(ask["options"])["choice"]).status_code == 200


def test_tiles_say_what_they_show_in_the_language_of_the_caller(api: ApiClient) -> None:
    options = {"tile_codes": ["A2", "E1", "F1"], "tiles": 3}
    game = api.create_for(2, edition="royale", options=options)
    assert "; A2 Jackpot (jackpot $30,000)" in read_text(api, game.address)
    german = read_text(api, game.address, accept_language="de")
    assert "; A2 Jackpot (Jackpot 30.000 $)" in german
    assert "Runde 1 von 3" in german


def test_the_members_of_all_tiles_have_brief_words() -> None:
    tiles = [tile for ruleset in EDITIONS.newest.values() for tile in ruleset.tiles.values()]
    assert all("{value}" in member.brief for tile in tiles for member in tile.members.values())


def test_hands_of_others_and_hidden_money_are_not_told(api: ApiClient) -> None:
    game = api.create_for(2, edition="cards", options={"hide_money": True})
    mine = read_text(api, game.address, game.tokens[0]).splitlines()
    cards = " ".join(game.table(0)["seats"][0]["hand"])
    assert mine[2] == f"#0 Anna: you, $0, notes 0, hand {cards}, cards placed 0"
    assert mine[3] == "#1 Ben: money hidden, notes 0, hand hidden, cards placed 0"
    watching = read_text(api, game.address)
    assert "You are watching." in watching
    assert watching.count("hand hidden") == 2
    assert "play-" not in watching


def test_lobby_play_and_end_are_told(api: ApiClient) -> None:
    lobby = api.create({"name": "Anna"}, {"open": True}, {"bot": "greedy"})
    text = read_text(api, lobby.address, lobby.tokens[0]).splitlines()
    assert text[1:] == [
        "You are #0. The game has not started.",
        "#0 Anna: you",
        "#1: open",
        text[4],
    ]
    assert text[4].endswith(": bot greedy")
    game = api.create_for(2)
    seat, ask = game.ask()
    other = read_text(api, game.address, game.tokens[1 - seat])
    assert f"It is the turn of #{seat}." in other
    assert f"Ask {ask['ask']} waits for #{seat}: " in other
    game.play()
    winners = ", ".join(f"#{winner}" for winner in game.table()["winners"])
    assert f"The game is over. Winner: {winners}." in read_text(api, game.address)
    earlier = read_text(api, f"{game.address}?at=1", game.tokens[seat])
    assert "version 1," in earlier
    assert f"\n{ask['options'][0]['choice']} " in earlier


def test_the_form_has_an_entity_tag_and_if_match_reads_the_version_alone(api: ApiClient) -> None:
    game = api.create_for(2)
    seat, ask = game.ask()
    token = game.tokens[seat]
    tags = {
        accept: api.get(game.address, token, accept=accept).headers["ETag"]
        for accept in ("application/json", TEXT, "text/markdown")
    }
    assert tags == {"application/json": '"1"', TEXT: '"1-txt"', "text/markdown": '"1-md"'}
    assert api.get(game.address, token, accept=TEXT, accept_language="de").headers["ETag"] == '"1-txt-de"'
    assert "Accept," in api.get(game.address, token, accept=TEXT).headers["Vary"]
    for accept, tag in tags.items():
        for other in tags:
            reply = api.get(game.address, token, accept=other, if_none_match=tag)
            assert reply.status_code == (304 if other == accept else 200)
    choice = ask["options"][0]["choice"]
    assert game.choose(seat, ask["ask"], choice, if_match='"2-txt"').status_code == 412
    assert game.choose(seat, ask["ask"], choice, if_match='"1-txt-de"').status_code == 200


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("", "application/json"),
        ("*/*", "application/json"),
        ("application/json, text/plain, */*", "application/json"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json"),
        ("text/html;q=0.9,text/plain;q=0.8,image/png,*/*;q=0.5", "application/json"),
        ("image/png", "application/json"),
        ("text/plain" + " " * 2_000, "application/json"),
        ("text/plain;q=0, */*", "application/json"),
        ("text/*", "text/plain; charset=utf-8"),
        ("text/plain, application/json;q=0.5", "text/plain; charset=utf-8"),
        ("text/markdown, text/plain;q=0.5", "text/markdown; charset=utf-8"),
    ],
)
def test_json_is_the_form_unless_text_is_preferred(api: ApiClient, accept: str, media: str) -> None:
    game = api.create_for(2)
    assert api.get(game.address, accept=accept).headers["Content-Type"] == media


def test_a_private_table_is_not_told_to_strangers(api: ApiClient) -> None:
    plan = {"edition": "classic", "seats": [{"name": "Anna"}, {"bot": "random"}], "visibility": "private"}
    made = api.post("/v1/games", plan).get_json()
    address = f"/v1/games/{made['id']}"
    assert api.get(address, accept=TEXT).status_code == 404
    assert "You are #0." in read_text(api, address, made["seats"][0]["token"])
    assert api.get(address, "wrong", accept=TEXT).status_code == 404
