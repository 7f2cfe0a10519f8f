"""TLS, users and passwords in REDIS_URL and QUEUE_URL: for one server, with sentinels, and in a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import pytest
from redis import Redis

from events.chain import GENESIS
from events.inspection import inspect_server
from events.redis import connect
from events.redis_store import RedisStore
from events.store import Unavailable
from service.config import Misconfigured, Settings
from service.ops import doctor
from service.ops.preflight import await_redis
from tests.support.event_samples import next_commit
from tests.support.http_client import HttpService
from tests.support.sentinel import NAME, SERVER, Node
from tests.support.sentinel import PASSWORD as NODE_PASSWORD
from tests.support.service_process import free_port, run_service
from tests.support.tls import Certificates, Door, open_door
from tests.support.waiting import wait_until

USER = "lotte"
PASSWORD = "geheim@/,#%wort"
IN_URL = f"{USER}:{quote(PASSWORD, safe='')}"
# What docs/operating.md recommends.
RIGHTS = (
    "~croupier:* ~rq:* &croupier:* &rq:* +@all -@dangerous "
    "+info +config|get +role +bgrewriteaof +cluster|nodes"
)
GUIDE = Path(__file__).parents[2] / "docs" / "operating.md"
_USER = f"user {USER} on >{{user_password}} {RIGHTS}\n"
_CLUSTER = """\
cluster-enabled yes
cluster-port {bus}
cluster-announce-port {door}
cluster-announce-ip 127.0.0.1
cluster-require-full-coverage no
"""
_SENTINEL = """\
port {port}
bind 127.0.0.1
dir {folder}
logfile {folder}/log
requirepass "{password}"
sentinel monitor {name} 127.0.0.1 {door} 1
sentinel auth-pass {name} "{password}"
"""


class Secured(NamedTuple):
    """A URL without its options, the options that make it work, and the door that clients come through."""

    url: str
    options: str
    door: Door


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("tls") / "certificates")


@contextmanager
def run_node(node: Node) -> Iterator[Node]:
    node.start()
    try:
        wait_until(node.is_answering, "a server")
        yield node
    finally:
        node.kill()


def open_single(stack: ExitStack, folder: Path, certificates: Certificates) -> Secured:
    node = stack.enter_context(run_node(Node(folder, SERVER + _USER, user_password=PASSWORD)))
    port, door = stack.enter_context(open_door(certificates, node.port))
    return Secured(f"rediss://{IN_URL}@127.0.0.1:{port}/0", f"ssl_ca_certs={certificates.authority}", door)


def open_sentinel(stack: ExitStack, folder: Path, certificates: Certificates) -> Secured:
    """The master and the sentinel have different passwords."""
    master = stack.enter_context(run_node(Node(folder / "master", SERVER + _USER, user_password=PASSWORD)))
    port, door = stack.enter_context(open_door(certificates, master.port))
    sentinel = Node(folder / "sentinel", _SENTINEL, is_sentinel=True, name=NAME, door=port)
    sentinel.start()
    stack.callback(sentinel.kill)
    asked, _ = stack.enter_context(open_door(certificates, sentinel.port))
    options = f"ssl_ca_certs={certificates.authority}&sentinel_password={quote(NODE_PASSWORD, safe='')}"
    return Secured(f"rediss+sentinel://{IN_URL}@127.0.0.1:{asked}/{NAME}", options, door)


def open_cluster(stack: ExitStack, folder: Path, certificates: Certificates) -> Secured:
    port = free_port()
    config = SERVER + _CLUSTER + _USER
    node = Node(folder, config, user_password=PASSWORD, bus=free_port(), door=port)
    stack.enter_context(run_node(node))
    _, door = stack.enter_context(open_door(certificates, node.port, port))
    node.call("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
    wait_until(lambda: b"cluster_state:ok" in node.call("CLUSTER", "INFO"), "a cluster")
    return Secured(
        f"rediss+cluster://{IN_URL}@127.0.0.1:{port}", f"ssl_ca_certs={certificates.authority}", door
    )


Opening = Callable[[ExitStack, Path, Certificates], Secured]
OPENINGS = [open_single, open_sentinel, open_cluster]


@pytest.fixture(params=OPENINGS, ids=["single", "sentinel", "cluster"], scope="module")
def secured(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, certificates: Certificates
) -> Iterator[Secured]:
    opening: Opening = request.param
    with ExitStack() as stack:
        yield opening(stack, tmp_path_factory.mktemp("secured") / "servers", certificates)


@pytest.mark.needs("openssl")
def test_games_are_stored_over_tls_as_a_user_with_the_rights_of_the_guide(secured: Secured) -> None:
    assert RIGHTS in " ".join(GUIDE.read_text("utf-8").split())
    with connect(f"{secured.url}?{secured.options}") as client:
        wait_until(lambda: can_append(client), "a server that lets us in")
        assert [commit.version for commit in RedisStore(client).read("g")] == [1]
        assert inspect_server(client).cause is None
        assert PASSWORD not in repr(client)
    assert secured.door.handshakes > 0


def can_append(client: Redis) -> bool:
    store = RedisStore(client)
    try:
        if not store.head("g")[0]:
            store.append("g", next_commit((0, GENESIS)))
    except Unavailable:
        return False
    return True


@pytest.mark.needs("openssl")
@pytest.mark.parametrize("fault", ["certificate", "password", "plain"])
def test_who_is_not_let_in_is_told_why_and_no_password(
    secured: Secured, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"certificate": "ssl_ca_certs=/dev/null"}.get(fault, secured.options)
    url = f"{secured.url}?{options}"
    if fault == "password":
        url = url.replace(IN_URL, f"{USER}:geheim-wort")
    if fault == "plain":
        url = f"{secured.url.replace('rediss', 'redis', 1).replace(IN_URL, 'lotte:geheim')}"
    monkeypatch.setenv("QUEUE_URL", "redis://127.0.0.1:1")
    settings = Settings(redis_url=url, queue_url="redis://127.0.0.1:1", data_dir=tmp_path)
    told = StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        assert doctor.main(settings) == 1
        with pytest.raises(Misconfigured) as refusal:
            await_redis(url, 0.2)
        with connect(url) as client, pytest.raises(Unavailable) as outage:
            RedisStore(client).head("g")
    printed = told.getvalue() + str(refusal.value) + str(outage.value)
    assert "FAULT" in printed
    assert "127.0.0.1" in printed
    assert not [word for word in ("geheim", "wort", "%23") if word in printed]


@pytest.mark.needs("openssl")
@pytest.mark.long
@pytest.mark.parametrize("opening", OPENINGS, ids=["single", "sentinel", "cluster"])
def test_a_whole_service_plays_over_tls_and_tells_no_password(
    opening: Opening, tmp_path: Path, certificates: Certificates
) -> None:
    with ExitStack() as stack:
        games = opening(stack, tmp_path / "games", certificates)
        queue = open_single(stack, tmp_path / "queue", certificates)
        told = {
            "REDIS_URL": f"{games.url}?{games.options}",
            "QUEUE_URL": f"{queue.url}?{queue.options}",
            "LOG_LEVEL": "debug",
        }
        base, _ = stack.enter_context(run_service(tmp_path / "data", None, **told))
        service = HttpService(base)
        made = service.call(
            "POST", "/v1/games", {"edition": "classic", "seats": [{"bot": "random"}] * 2}
        ).json
        wait_until(lambda: is_over(service, made["id"]), "a game of two bots")
        shown = service.call("GET", "/readyz").body + service.call("GET", "/metrics").body
        audit = service.call("GET", f"/v1/games/{made['id']}/audit").json
    assert audit["verified"]["ok"] is True
    printed = (tmp_path / "data.log").read_bytes() + shown
    for secret in (PASSWORD, quote(PASSWORD, safe=""), NODE_PASSWORD, "geheim"):
        assert secret.encode() not in printed
    assert queue.door.handshakes > 0


def is_over(service: HttpService, game: str) -> bool:
    return bool(service.call("GET", f"/v1/games/{game}").json["status"] == "over")


@pytest.mark.parametrize("scheme", ["redis", "rediss", "redis+sentinel", "rediss+cluster"])
@pytest.mark.parametrize("password", ["1234#wort", "1234?wort", "1234/wort", "ge#heim", "ge/heim", "ge[heim"])
def test_a_password_that_is_not_encoded_is_refused_and_not_shown(scheme: str, password: str) -> None:
    """What stands before the special character would be taken for a port."""
    for setting in ("REDIS_URL", "QUEUE_URL"):
        given = {"REDIS_URL": "redis://127.0.0.1", setting: f"{scheme}://{USER}:{password}@127.0.0.1/0"}
        with pytest.raises(Misconfigured, match="%XX") as refusal:
            Settings.from_env(given)
        assert not [word for word in ("1234", "wort", "heim", USER) if word in str(refusal.value)]
