"""Replies in the language of the caller."""

from __future__ import annotations

import json
from string import Formatter
from typing import Any

import pytest

from events.text import Joined, Number, Sentence, Text, counted, restore_text, store_text
from service.languages.catalogue import FOLDER, LANGUAGES, read_contents
from tests.support.api_client import ApiClient
from tests.support.templates import find_templates

GERMAN = LANGUAGES["de"]
CATALOGUES = sorted(FOLDER.glob("*.yaml"))
# In the singular a language may have a word of its own in place of the number.
SPARED = {"count"}


def names_in(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.stem)
def test_a_catalogue_has_every_text_and_no_other(file: object) -> None:
    texts = set(read_contents(file).texts)  # type: ignore[arg-type]
    needed = {str(template) for template in find_templates() if template}
    assert needed - texts == set(), "these are not translated"
    assert texts - needed == set(), "no code says these"


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.stem)
def test_translations_have_the_parameters_of_their_templates(file: object) -> None:
    for english, other in read_contents(file).texts.items():  # type: ignore[arg-type]
        assert names_in(other) <= names_in(english), other
        assert names_in(english) - names_in(other) <= SPARED, other


def test_texts_can_be_stored_and_put_into_any_language_later() -> None:
    dice = Text("{count} dice", count=counted(3))
    text = Sentence(Joined([Text("Place {dice} on casino {number}", dice=dice, number=2)], "; "))
    restored = restore_text(store_text(text))
    assert restored == text == "Place three dice on casino 2."
    assert GERMAN.put(restored) == "Lege drei Würfel auf Casino 2."
    assert restore_text("Stored as English before.") == "Stored as English before."
    assert GERMAN.put("a name") == "a name"
    assert GERMAN.put(Number(1234567, "grouped")) == "1.234.567"
    assert GERMAN.put(Number(0.256, "percent")) == "26 %"
    assert GERMAN.put(Number(1.5, "points")) == "1,5"


@pytest.mark.parametrize(
    ("accepted", "chosen"),
    [
        ("de", "de"),
        ("de-AT, en;q=0.5", "de"),
        ("fr, de;q=0.7, en;q=0.3", "de"),
        ("en;q=0.3, de;q=0.7", "de"),
        ("en, de;q=0.9", "en"),
        ("de;q=0", "en"),
        ("fr", "en"),
        ("*", "en"),
        ("", "en"),
        ("de" + " " * 2_000, "en"),
        ("\x7f;;q=,,", "en"),
    ],
)
def test_the_language_is_the_best_that_is_accepted(api: ApiClient, accepted: str, chosen: str) -> None:
    reply = api.get("/v1/editions", accept_language=accepted)
    assert reply.headers["Content-Language"] == chosen
    assert "Accept-Language" in reply.headers["Vary"]
    assert ("Würfel" in reply.get_data(as_text=True)) == (chosen == "de")


def test_the_parameter_wins_and_an_unknown_language_is_refused(api: ApiClient) -> None:
    assert api.get("/v1/bots?language=en", accept_language="de").headers["Content-Language"] == "en"
    assert api.get("/v1/bots?language=de").headers["Content-Language"] == "de"
    refused = api.get("/v1/bots?language=xx", accept_language="de")
    assert refused.status_code == 422
    assert refused.headers["Content-Language"] == "de"
    assert refused.get_json()["detail"] == "`language` muss eines sein von en, de."
    twice = api.get("/v1/bots?language=de&language=de")
    assert twice.get_json()["errors"] == [
        {"detail": "`language` darf nur einmal vorkommen.", "parameter": "language"}
    ]


def test_the_index_of_operations_is_in_the_language_of_the_caller(api: ApiClient) -> None:
    first = {tag: api.get("/v1", accept_language=tag).get_json()["groups"][0] for tag in ("en", "de")}
    assert first["en"]["operations"][0]["summary"] == "Create a game"
    assert first["de"]["operations"][0]["summary"] == "Ein Spiel anlegen"
    assert first["de"]["about"].startswith("Ein Spiel anlegen, Platz nehmen")
    assert first["en"]["operations"][0]["id"] == first["de"]["operations"][0]["id"]


def test_labels_and_refusals_are_in_the_language_of_the_caller(api: ApiClient) -> None:
    game = api.create_for(2)
    seat, ask = game.ask()
    token = game.tokens[seat]
    table = api.get(game.address, token, accept_language="de")
    (german,) = table.get_json()["asks"]
    assert all(option["label"].startswith("Lege ") for option in german["options"])
    assert all(option["label"].startswith("Place ") for option in ask["options"])
    body = {"ask": ask["ask"], "choice": "place-9"}
    refused = api.post(f"{game.address}/choices", body, token, accept_language="de").get_json()
    assert refused["title"] == "Unerlaubte Wahl"
    assert refused["detail"].startswith("place-9 steht bei Frage 1 nicht zur Wahl. Sende die `choice`")
    assert refused["options"] == german["options"]


def test_each_language_has_an_entity_tag_and_if_match_reads_the_version_alone(api: ApiClient) -> None:
    game = api.create_for(2)
    seat, ask = game.ask()
    token = game.tokens[seat]
    tags = {
        language: api.get(game.address, token, accept_language=language).headers["ETag"]
        for language in ("en", "de")
    }
    assert tags == {"en": '"1"', "de": '"1-de"'}
    for language, tag in tags.items():
        for other in tags:
            reply = api.get(game.address, token, accept_language=other, if_none_match=tag)
            assert reply.status_code == (304 if other == language else 200)
    body = {"ask": ask["ask"], "choice": ask["options"][0]["choice"]}
    for variant in ('"2-de"', '"2-txt"', '"2-de-gzip"'):
        stale = api.post(f"{game.address}/choices", body, token, if_match=variant)
        assert stale.status_code == 412, variant
    done = api.post(f"{game.address}/choices", body, token, if_match='"1-de-gzip"', accept_language="de")
    assert (done.status_code, done.headers["ETag"]) == (200, '"2-de"')


def test_events_come_with_sentences_in_the_language_and_as_the_viewer_may_see_them(api: ApiClient) -> None:
    game = api.create_for(2, edition="cards")
    seat, ask = game.ask()
    assert game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200
    events = f"{game.address}/events?sentences=true"
    own = api.get(events, game.tokens[seat], accept_language="de")
    (created, chosen) = own.get_json()["commits"]
    assert created["sentences"][0] == "Las Vegas: Das Kartenspiel wird für 2 Personen aufgebaut."
    assert chosen["sentences"][0].endswith(" hat verdeckt gewählt.")
    assert "sentences=true" in own.get_json()["next"]
    plain = api.get(f"{game.address}/events").get_json()["commits"]
    assert not any("sentences" in commit for commit in plain)
    lines = api.get(f"{events}&language=de", accept="application/x-ndjson")
    assert lines.headers["Content-Language"] == "de"
    told = [json.loads(line)["sentences"] for line in lines.data.splitlines()]
    # A spectator is not told which cards were drawn.
    assert len(told[0]) == len(created["sentences"])
    assert told[0] != created["sentences"]
    assert told[1] == chosen["sentences"]
    refused = api.get(f"{game.address}/events?sentences=yes")
    assert refused.status_code == 422


@pytest.mark.parametrize("edition", ["classic", "royale"])
def test_sentences_of_events_are_those_of_explanations(api: ApiClient, edition: str) -> None:
    game = api.create_for(3, edition=edition)
    for _ in range(12):
        seat, ask = game.ask()
        assert game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200
    commits: list[dict[str, Any]] = []
    address = f"{game.address}/events?sentences=true&limit=4&language=de"
    while page := api.call("GET", address)["commits"]:
        commits += page
        address = api.call("GET", address)["next"]
    assert len(commits) == game.version()
    for commit in commits:
        explained = api.call("GET", f"{game.address}/explain/{commit['version']}?language=de")
        assert explained["sentences"] == commit["sentences"]
        assert commit["sentences"]
