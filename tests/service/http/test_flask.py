"""Unmodified Flask extensions and middleware work on the application."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis
from flask import (
    Blueprint,
    Flask,
    Response,
    abort,
    current_app,
    g,
    got_request_exception,
    request,
    request_finished,
    request_started,
    url_for,
)
from flask.testing import FlaskClient
from flask_cors import CORS
from werkzeug.middleware.proxy_fix import ProxyFix

from service.api.app import create_app as create_app_from_former_path
from service.config import Settings
from service.http.app import DOORBELL, create_app
from tests.support.app import HEALTHY_REDIS

GAME = "g_" + "x" * 22
PAGE = "https://play.example.org"


class OutOfTea(Exception):
    """The exception of an extension."""


class TeaRoom:
    """A small extension of the usual shape: hooks, `g`, an error handler, views of its own."""

    def __init__(self) -> None:
        self.torn_down = 0

    def init_app(self, app: Flask) -> None:
        app.extensions["tea_room"] = self
        app.before_request(self.pour)
        app.after_request(self.serve)
        app.teardown_request(self.clear_table)
        app.register_error_handler(OutOfTea, self.apologise)
        views = Blueprint("tea_room", __name__, url_prefix="/tea")
        views.add_url_rule("/", "menu", lambda: {"cup": g.cup, "request_id": g.request_id})
        views.add_url_rule("/empty", "empty", self.run_out)
        views.add_url_rule("/broken", "broken", lambda: str(1 // 0))
        views.add_url_rule("/forbidden", "forbidden", lambda: abort(403))
        app.register_blueprint(views)

    def pour(self) -> None:
        g.cup = request.args.get("cup", "green")

    def serve(self, response: Response) -> Response:
        response.headers["X-Cup"] = g.cup
        return response

    def clear_table(self, fault: BaseException | None) -> None:
        self.torn_down += 1

    def apologise(self, fault: OutOfTea) -> tuple[str, int]:
        return "no tea today", 418

    def run_out(self) -> str:
        raise OutOfTea


@pytest.fixture
def tea_room() -> TeaRoom:
    return TeaRoom()


@pytest.fixture
def plain_app(memory: redis.Redis) -> Iterator[Flask]:
    app = create_app(Settings(), memory, lambda: HEALTHY_REDIS)
    yield app
    app.extensions[DOORBELL].close()


@pytest.fixture
def extended_app(plain_app: Flask, tea_room: TeaRoom) -> Flask:
    tea_room.init_app(plain_app)
    return plain_app


@pytest.fixture
def client(extended_app: Flask) -> FlaskClient:
    return extended_app.test_client()


def test_create_app_can_be_imported_from_its_former_path() -> None:
    assert create_app_from_former_path is create_app


def test_hooks_of_an_extension_run_for_operations_too(client: FlaskClient, tea_room: TeaRoom) -> None:
    for path, status in (("/livez", 200), ("/v1/nothing", 404), (f"/v1/games/{GAME}", 404)):
        reply = client.get(f"{path}?cup=black")
        assert (reply.status_code, reply.headers["X-Cup"]) == (status, "black")
    assert tea_room.torn_down == 3


def test_a_view_of_an_extension_shares_g_and_gets_the_standard_headers(client: FlaskClient) -> None:
    reply = client.get("/tea/?cup=white", headers={"X-Request-ID": "Mine/7"})
    assert reply.get_json() == {"cup": "white", "request_id": "Mine/7"}
    assert (reply.headers["X-Request-ID"], reply.headers["X-Frame-Options"]) == ("Mine/7", "DENY")


def test_an_error_handler_of_an_extension_answers_its_exception(client: FlaskClient) -> None:
    reply = client.get("/tea/empty")
    assert (reply.status_code, reply.text, reply.headers["X-Cup"]) == (418, "no tea today", "green")


@pytest.mark.parametrize(
    ("path", "status", "code"), [("/tea/broken", 500, "internal"), ("/tea/forbidden", 403, "not_seated")]
)
def test_other_exceptions_of_an_extension_become_problems(
    client: FlaskClient, path: str, status: int, code: str
) -> None:
    reply = client.get(path)
    assert (reply.status_code, reply.get_json()["code"]) == (status, code)


def test_a_missing_slash_is_redirected_as_flask_does(client: FlaskClient) -> None:
    reply = client.get("/tea?cup=black")
    assert (reply.status_code, reply.headers["Location"]) == (308, "http://localhost/tea/?cup=black")


def test_flask_cors_decides_for_its_own_blueprint(plain_app: Flask) -> None:
    views = Blueprint("reports", __name__, url_prefix="/reports")
    views.add_url_rule("/", "show", lambda: "all is well")
    CORS(views, origins=[PAGE])
    plain_app.register_blueprint(views)
    client = plain_app.test_client()
    assert client.get("/reports/", headers={"Origin": PAGE}).headers.getlist(
        "Access-Control-Allow-Origin"
    ) == [PAGE]
    assert client.get("/livez", headers={"Origin": PAGE}).headers.getlist("Access-Control-Allow-Origin") == [
        "*"
    ]


def test_proxy_fix_around_the_application_sets_what_the_proxy_says(plain_app: Flask) -> None:
    plain_app.add_url_rule("/address", view_func=lambda: f"{request.remote_addr} {request.url}")
    plain_app.wsgi_app = ProxyFix(plain_app.wsgi_app, x_for=1, x_proto=1, x_host=1)  # type: ignore[method-assign]
    headers = {
        "X-Forwarded-For": "203.0.113.9",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "dice.example",
    }
    reply = plain_app.test_client().get("/address", headers=headers)
    assert reply.text == "203.0.113.9 https://dice.example/address"


def test_trusted_proxies_set_the_address_for_every_view(memory: redis.Redis) -> None:
    app = create_app(Settings(trusted_proxies="127.0.0.0/8"), memory, lambda: HEALTHY_REDIS)
    app.add_url_rule("/address", view_func=lambda: str(request.remote_addr))
    reply = app.test_client().get("/address", headers={"Forwarded": "for=203.0.113.9"})
    assert reply.text == "203.0.113.9"


def test_a_request_context_matches_and_builds_addresses(extended_app: Flask) -> None:
    with extended_app.test_request_context(f"/v1/games/{GAME}", base_url="https://dice.example"):
        assert request.endpoint == "games.showTable"
        assert request.view_args == {"game": GAME}
        assert url_for("games.choose", game=GAME) == f"/v1/games/{GAME}/choices"
        assert url_for("tea_room.menu", _external=True) == "https://dice.example/tea/"
        assert current_app.extensions["tea_room"]


def test_the_test_client_keeps_the_context_of_the_last_request(client: FlaskClient) -> None:
    with client:
        client.get("/livez?cup=black")
        assert (g.cup, g.caller, request.endpoint) == ("black", None, "ops.livez")


def test_signals_are_sent(extended_app: Flask, client: FlaskClient) -> None:
    sent: list[str] = []

    def begun(sender: Flask, **facts: object) -> None:
        sent.append("started")

    def finished(sender: Flask, response: Response, **facts: object) -> None:
        sent.append(f"finished {response.status_code}")

    def failed(sender: Flask, exception: Exception, **facts: object) -> None:
        sent.append(type(exception).__name__)

    with (
        request_started.connected_to(begun, extended_app),
        request_finished.connected_to(finished, extended_app),
        got_request_exception.connected_to(failed, extended_app),
    ):
        client.get("/livez")
        client.get("/tea/broken")
    assert sent == ["started", "finished 200", "started", "ZeroDivisionError", "finished 500"]
