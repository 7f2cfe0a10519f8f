"""Names: whatever people write, and nothing that hides in it."""

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.text import CLEAN_NAME, explain_name, find_name_fault, keep_name
from tests.support.api_client import ApiClient

PERSIAN, HINDI, SINHALA = "می\u200cخواهم", "क्\u200dष", "ශ්\u200dරී"
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
WRITTEN = (
    *("Anna", "O'Brien", "Zoë", "Nguyễn Văn", "李小龍", "한국", "עברית", "Иван", PERSIAN, HINDI, SINHALA),
    *(
        "👨\u200d👩\u200d👧\u200d👦",
        "🏳️\u200d🌈",
        "👩🏽\u200d🚀",
        "🙂\u200d↔️",
        "1️⃣",
        "🩷",
        "🇩🇪",
        ENGLAND,
        "葛\U000e0100",
    ),
)
REFUSED = {
    "\u202eannA": "U+202E RIGHT-TO-LEFT OVERRIDE",
    "An\u200dna": "U+200D ZERO WIDTH JOINER",
    "Anna\u200c": "U+200C ZERO WIDTH NON-JOINER",
    "👨\u200d\u200d👩": "U+200D ZERO WIDTH JOINER",
    "A\u0007": "U+0007 (a control character)",
    "x\u2066y": "U+2066 LEFT-TO-RIGHT ISOLATE",
    "\ue000": "U+E000 (a private character)",
    "\ufeffAnna": "U+FEFF ZERO WIDTH NO-BREAK SPACE",
    "a\u2028b": "U+2028 LINE SEPARATOR",
    "\u3164": "a visible character",
    "\u2800 ": "a visible character",
}


def create(api: ApiClient, name: str) -> Any:
    plan = {"edition": "classic", "seats": [{"name": name}, {"open": True}]}
    return api.post("/v1/games", plan).get_json()


@pytest.mark.parametrize("name", WRITTEN)
def test_a_name_may_hold_what_people_write(api: ApiClient, name: str) -> None:
    assert create(api, name)["seats"][0]["name"] == name


@pytest.mark.parametrize(("name", "named"), REFUSED.items())
def test_a_refusal_names_the_character(api: ApiClient, name: str, named: str) -> None:
    (fault,) = create(api, name)["errors"]
    assert fault["pointer"] == "/seats/0/name"
    assert named in fault["detail"]


@given(
    st.text(min_size=1, max_size=6) | st.text("aé \u200c\u200dक\u094d👨\ufe0f\u202e", min_size=1, max_size=6)
)
def test_every_name_fits_or_is_told_why_not(name: str) -> None:
    """What is kept fits as well, however often it is sent."""
    if re.match(CLEAN_NAME, name):
        assert keep_name(keep_name(name)) == keep_name(name)
        assert re.match(CLEAN_NAME, keep_name(name))
    else:
        assert explain_name(name) != "this is no text"


@pytest.mark.parametrize("hidden", ["\U000e0041", "\U000f0000", "\U0010ffff", "\U0001d173", "\U000e0100"])
def test_what_shows_nothing_beyond_the_bmp_is_seen_to_be_there(api: ApiClient, hidden: str) -> None:
    assert create(api, f"{hidden}Anna")["seats"][0]["name"] == "\ufffdAnna"


def test_a_name_as_long_as_some_that_are_kept_can_be_asked_for(api: ApiClient) -> None:
    """Once only what was sent was counted: there are games with such names."""
    long = "\u0958" * 40
    assert "errors" in create(api, long)
    assert api.get(f"/v1/games?{urlencode({'name': long})}").get_json()["games"] == []


def test_length_is_counted_in_code_points(api: ApiClient) -> None:
    assert create(api, "🎲" * 40)["seats"][0]["name"] == "🎲" * 40
    assert create(api, "🎲" * 41)["errors"]


def test_length_is_counted_in_the_form_that_is_kept(api: ApiClient) -> None:
    """Some letters are kept as two: what is shown can be sent again, wherever a name is asked for."""
    kept = create(api, "\u0958" * 20)["seats"][0]["name"]
    assert len(kept) == 40
    assert create(api, kept)["seats"][0]["name"] == kept
    assert api.get(f"/v1/games?{urlencode({'name': kept})}").status_code == 200
    (fault,) = create(api, "\u0958" * 21)["errors"]
    assert (fault["pointer"], "NFC" in fault["detail"], "42" in fault["detail"]) == (
        "/seats/0/name",
        True,
        True,
    )
    player = api.post("/v1/players", {"name": "\u0958" * 40})
    assert (player.status_code, "NFC" in player.get_json()["detail"]) == (422, True)


def test_games_with_names_of_before_that_rule_can_still_be_imported() -> None:
    assert find_name_fault(keep_name("\u0958" * 40)) == ""
