"""The files that visiting programs ask for: robots.txt and security.txt; and the index at /v1."""

import re
from datetime import UTC, datetime, timedelta
from io import BytesIO

import pytest
import redis

from service.config import Misconfigured, Settings
from service.http.app import DOORBELL, create_app
from service.http.register import OPERATIONS
from tests.support.api_client import ApiClient
from tests.support.app import HEALTHY_REDIS
from tests.support.contract import CheckedClient


def test_search_engines_may_read_the_guides_and_no_game(api: ApiClient) -> None:
    reply = api.get("/robots.txt")
    assert reply.mimetype == "text/plain"
    assert reply.get_data(as_text=True).splitlines()[0] == "User-agent: *"
    assert "Allow: /docs" in reply.get_data(as_text=True)


def test_the_security_contact_is_that_of_the_setting(api: ApiClient) -> None:
    text = api.get("/.well-known/security.txt")
    assert "Contact: mailto:security@example.org\n" in text.get_data(as_text=True)
    [expires] = re.findall(r"^Expires: (\S+)$", text.get_data(as_text=True), re.M)
    left = datetime.fromisoformat(expires) - datetime.now(UTC)
    assert timedelta(days=60) < left < timedelta(days=366)


def test_without_a_contact_there_is_no_file_and_the_refusal_says_how_to_name_one(
    memory: redis.Redis, log: BytesIO
) -> None:
    app = create_app(Settings(), memory, lambda: HEALTHY_REDIS)
    app.test_client_class = CheckedClient
    reply = ApiClient(app.test_client()).get("/.well-known/security.txt")
    app.extensions[DOORBELL].close()
    assert reply.status_code == 404
    assert "`SECURITY_CONTACT`" in reply.get_json()["detail"]


@pytest.mark.parametrize(
    "text", ["security@example.org", "mailto:x", "https://", "mailto:a@b\nContact: c", "x"]
)
def test_a_contact_that_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(Misconfigured, match="SECURITY_CONTACT must be mailto:ADDRESS"):
        Settings.from_env({"SECURITY_CONTACT": text}, "absent")


def test_the_index_lists_every_operation_and_where_the_guides_are(api: ApiClient) -> None:
    index = api.get("/v1").get_json()
    listed = {(link["method"], link["href"]) for group in index["groups"] for link in group["operations"]}
    assert listed == {(one.method, one.path) for one in OPERATIONS if one.path.startswith("/v1/")}
    assert [group["name"] for group in index["groups"]][:2] == ["Play", "Follow"]
    for place in ("docs", "reference", "openapi"):
        assert api.get(index[place]).status_code == 200


def test_an_unknown_address_leads_to_the_index(api: ApiClient) -> None:
    assert "`GET /v1` lists all addresses" in api.get("/v1/nothing").get_json()["detail"]
