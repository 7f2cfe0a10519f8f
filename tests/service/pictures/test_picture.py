"""Pictures of tables: all editions and tiles, both languages, hostile names, and nothing that is hidden."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from events.types import OptionValue
from rules.editions import EDITIONS
from rules.state import State
from service.games.table_view import render_table
from service.languages.catalogue import LANGUAGES
from service.pictures.picture import draw_table
from service.pictures.shapes import casino_sign, find_colours, find_marks, find_paths, find_pips
from tests.support.api_client import ApiClient
from tests.support.game_loop import Plan, play_moves

SVG = "{http://www.w3.org/2000/svg}"
PLANS = {
    "classic": Plan("classic", {"chip_cards": True, "neutral_dice": True}, 3),
    "modern": Plan("modern", {"bandit": True}, 6),
    "cards": Plan("cards", {"sequential": True, "chip_cards": True}, 3),
    "royale 1": Plan("royale", {"tile_codes": ("A1", "B1", "C1", "D1", "E1", "F1")}, 5),
    "royale 2": Plan("royale", {"tile_codes": ("A2", "B2", "C2", "D2", "E2", "F2")}, 2),
    "royale 3": Plan("royale", {"tile_codes": ("G1", "H1", "B2", "A2", "D2", "E1")}, 4),
    "royale 4": Plan("royale", {"tile_codes": ("G2", "H2", "A1", "E2", "F2", "C1")}, 3),
}


def draw(state: State, language: str = "en") -> ElementTree.Element:
    return ElementTree.fromstring(draw_table(render_table(state, None, 1), LANGUAGES[language]))


def texts(picture: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in picture.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", PLANS)
def test_every_state_of_a_game_can_be_drawn(name: str) -> None:
    """Some states, and the end, in both languages by turns."""
    states = [move.after for move in play_moves(PLANS[name], 7)]
    for place, state in enumerate([*states[1::20], states[-1]]):
        picture = draw(state, ["en", "de"][place % 2])
        assert {"Anna", "Ben"} <= set(texts(picture))


def test_every_casino_and_tile_has_a_sign_of_the_page() -> None:
    names = {name for ruleset in EDITIONS.newest.values() for name in ruleset.casinos}
    signs = {name: casino_sign(1, name) for name in names}
    assert len(set(signs.values())) == len(names)
    assert {*signs.values(), "bandit"} == set(find_paths("CASINOS"))
    assert casino_sign("bandit", "One-armed bandit") == "bandit"
    assert casino_sign(3, "3") == signs["The Mirage"]
    assert set(EDITIONS.newest["royale"].tiles) <= set(find_paths("TILES"))
    assert len(find_marks()) == 6
    assert {face: len(pips) for face, pips in find_pips().items()} == {face: face for face in range(1, 7)}
    night, day = find_colours()
    assert night.count("--") == day.count("--")


@pytest.mark.parametrize(
    "name", ['<script>alert("x")</script>', "]]></style>&amp;", "a\u202eb\x07c", "漢" * 40]
)
def test_a_hostile_name_is_text(name: str) -> None:
    state = [move.after for move in play_moves(PLANS["classic"], 3)][5]
    anna, *others = state.seats
    picture = draw(replace(state, seats=(replace(anna, name=name), *others)))
    assert not list(picture.iter(f"{SVG}script"))
    written = [text for text in texts(picture) if text[:1] == name[:1]]
    assert written
    assert all(len(text) <= 40 for text in written)


def test_hidden_hands_are_face_down() -> None:
    state = next(move.after for move in play_moves(Plan("cards", {}, 2), 1))
    drawn = draw_table(render_table(state, None, 1), LANGUAGES["en"]).decode()
    assert drawn.count("M6 10L24 32") == 10


@pytest.mark.parametrize("code", ["B2", "E1"])
def test_spaces_of_a_tile_are_drawn_and_not_written(code: str) -> None:
    state = next(move.after for move in play_moves(Plan("royale", {"tile_codes": (code,)}, 2), 1))
    picture = draw(state)
    rings = [circle for circle in picture.iter(f"{SVG}circle") if circle.get("r") == "4"]
    assert len(rings) == len(EDITIONS.newest["royale"].tiles[code].track)
    assert not [text for text in texts(picture) if "space" in text or "prize" in text]


def make_game(api: ApiClient, **options: OptionValue) -> str:
    seats = [{"name": "Anna"}, {"name": "Ben"}]
    plan = {"edition": "classic", "options": {"start_seat": 0, **options}, "seats": seats}
    return str(api.post("/v1/games", plan).get_json()["id"])


def test_a_picture_is_cached_by_version_and_language(api: ApiClient) -> None:
    address = f"/v1/games/{make_game(api)}/picture.svg"
    reply = api.get(address)
    assert reply.mimetype == "image/svg+xml"
    assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
    tag = reply.headers["ETag"]
    assert tag == '"1-svg"'
    assert api.get(address, If_None_Match=tag).status_code == 304
    german = api.get(f"{address}?language=de")
    assert german.headers["ETag"] == '"1-svg-de"'
    assert "Runde 1 von 4" in german.get_data(as_text=True)


def test_a_picture_of_a_version_that_is_not_there_is_refused(api: ApiClient) -> None:
    address = f"/v1/games/{make_game(api)}/picture.svg"
    assert api.get(f"{address}?at=1").status_code == 200
    assert api.get(f"{address}?at=99").get_json()["code"] == "unknown_version"
    assert api.get(f"{address}?at=x").status_code == 422


def test_a_private_game_has_a_picture_for_those_who_may_see_it(api: ApiClient) -> None:
    seats = [{"name": "Anna"}, {"name": "Ben"}]
    made = api.post("/v1/games", {"edition": "cards", "visibility": "private", "seats": seats}).get_json()
    address = f"/v1/games/{made['id']}/picture.svg"
    assert api.get(address).status_code == 404
    own = api.get(address, made["seats"][0]["token"])
    assert own.status_code == 200
    # A seat sees what anybody at the table may see: its own hand stays face down.
    assert own.get_data(as_text=True).count("M6 10L24 32") == 10
