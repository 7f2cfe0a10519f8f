"""One delivery: to the address that was checked, with the certificate of the name, whatever a server does."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from socket import create_server, socket
from threading import Event, Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from service.webhooks.courier import CONNECT_SECONDS, Courier, Outcome
from service.webhooks.destinations import (
    BadDestination,
    Destinations,
    TimedResolver,
    Unresolved,
    read_networks,
)
from service.webhooks.sources import WebhookEvent
from service.webhooks.webhooks import Webhook
from tests.support.waiting import wait_until
from tests.support.webhook_server import open_webhook_server

NAME = "hooks.example"
EVENT = WebhookEvent(
    id="1-0",
    game="g_0000000000000000000000",
    edition="classic",
    version=3,
    type="asked",
    seat=0,
    awaits=(0,),
    sentence="It is your turn.",
)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
# Long for a server that answers, and short for one that never does.
LONGEST = 0.3
Serve = Callable[[socket], None]


def make_webhook(url: str) -> Webhook:
    return Webhook(
        id="w_" + "0" * 22,
        owner="p_0",
        url=url,
        types=("asked",),
        format="standard",
        secret="whsec_" + "A" * 43 + "=",
        created="2026-01-01T00:00:00Z",
    )


def make_courier(tls: ssl.SSLContext | None = None) -> Courier:
    """A courier for which every name is this machine."""
    destinations = Destinations(read_networks("127.0.0.0/8"), lambda host, port: ["127.0.0.1"])
    return Courier(destinations, longest_seconds=LONGEST, tls=tls)


@contextmanager
def listen(serve: Serve) -> Iterator[int]:
    """Serve each connection in a thread of its own; the port."""
    with closing(create_server(("127.0.0.1", 0))) as listening:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    Thread(target=handle, args=(listening.accept()[0],), daemon=True).start()

        def handle(connection: socket) -> None:
            with closing(connection), suppress(OSError):
                serve(connection)

        Thread(target=accept, daemon=True).start()
        yield listening.getsockname()[1]


def send(serve: Serve, courier: Courier | None = None) -> Outcome:
    """Send one event to a server while another thread cuts what takes too long."""
    courier = courier or make_courier()
    done = Event()

    def cut_off() -> None:
        while not done.wait(0.05):
            courier.cut_off()

    cutting = Thread(target=cut_off, daemon=True)
    cutting.start()
    with listen(serve) as port:
        outcome = courier.send(make_webhook(f"http://{NAME}:{port}/hook"), EVENT)
    done.set()
    cutting.join()
    return outcome


def read_request(connection: socket) -> None:
    """Read a request to the end of its body, which is an object: what is left unread may reset the line."""
    received = b""
    while not received.endswith(b"}"):
        received += connection.recv(65_536)


def reply_with(*parts: bytes, again: bytes = b"") -> Serve:
    """Read the request, send the parts, and then `again` without end."""

    def serve(connection: socket) -> None:
        read_request(connection)
        for part in parts:
            connection.sendall(part)
        while again:
            connection.sendall(again)

    return serve


def trickle(begin: bytes, byte: bytes) -> Serve:
    """Send a byte now and then, each well within the time that a single step has."""
    tick = Event()

    def serve(connection: socket) -> None:
        if begin.startswith(b"HTTP"):
            read_request(connection)
        connection.sendall(begin)
        while True:
            connection.sendall(byte)
            tick.wait(0.02)

    return serve


@pytest.mark.parametrize(
    "serve",
    [
        reply_with(OK),
        reply_with(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
        reply_with(b"HTTP/1.1 200 OK\r\n\r\n", again=b"x" * 65_536),
        reply_with(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", again=b"1\r\nx\r\n"),
        trickle(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", b"x"),
        trickle(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
    ],
)
def test_the_status_decides_whatever_the_body_is(serve: Serve) -> None:
    outcome = send(serve)
    assert outcome.arrived
    assert outcome.seconds < LONGEST


@pytest.mark.parametrize(
    ("serve", "error"),
    [
        (reply_with(b"HTTP/1.1 200 OK\r\n", again=b"X-Again: and again\r\n"), "connection_lost"),
        (reply_with(b"HTTP/1.1 200 OK\r\nX-Long: ", again=b"x" * 65_536), "connection_lost"),
        (reply_with(b"HTTP/1.1 200 " + b"x" * 70_000), "connection_lost"),
        (reply_with(b"SSH-2.0-OpenSSH_9.6\r\n"), "connection_lost"),
        (reply_with(), "connection_lost"),
        (reply_with(again=b"HTTP/1.1 100 Continue\r\n\r\n"), "timeout"),
        (trickle(b"", b"H"), "timeout"),
    ],
)
def test_replies_without_end_are_cut_off(serve: Serve, error: str) -> None:
    outcome = send(serve)
    assert (outcome.status, outcome.error) == (None, error)
    assert outcome.seconds < 10 * LONGEST


def test_headers_without_end_after_a_status_are_cut_off() -> None:
    outcome = send(trickle(b"HTTP/1.1 200 OK\r\n", b"x"))
    assert outcome.arrived
    assert outcome.seconds < 10 * LONGEST


@pytest.mark.parametrize(
    ("header", "pause"),
    [("7", 7.0), ("999999", 3600.0), ("-1", 0.0), ("1e9", 0.0), ("Wed, 21 Oct 2026 07:28:00 GMT", 0.0)],
)
def test_a_busy_server_may_ask_for_a_pause(header: str, pause: float) -> None:
    busy = f"HTTP/1.1 503 Busy\r\nRetry-After: {header}\r\nContent-Length: 0\r\n\r\n".encode()
    outcome = send(reply_with(busy))
    assert (outcome.status, outcome.arrived, outcome.pause) == (503, False, pause)


def test_redirects_are_not_followed() -> None:
    with open_webhook_server() as inside:
        for status in (301, 302, 303, 307, 308):
            where = f"HTTP/1.1 {status} Elsewhere\r\nLocation: {inside.url}\r\nContent-Length: 0\r\n\r\n"
            outcome = send(reply_with(where.encode()))
            assert (outcome.status, outcome.error) == (status, "redirect")
        assert inside.all() == []


# Where a name leads


def test_a_name_that_changes_after_it_was_checked_is_not_called() -> None:
    """What a name stands for is looked up once for a delivery, and the connection goes there."""
    answers: list[Sequence[str]] = [["127.0.0.1"], ["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1", "127.0.0.2"]]
    looked_up = iter(answers)
    destinations = Destinations(read_networks("127.0.0.1/32"), lambda host, port: next(looked_up))
    courier = Courier(destinations)
    with open_webhook_server() as server:
        webhook = make_webhook(f"http://{NAME}:{server.port}/hook")
        destinations.check(webhook.url)
        assert courier.send(webhook, EVENT).arrived
        for _ in answers[2:]:
            assert courier.send(webhook, EVENT).error == "address_not_allowed"
        (received,) = server.all()
        assert received.headers["host"] == f"{NAME}:{server.port}"
    assert not list(looked_up)


def test_the_time_of_a_delivery_includes_the_name_server() -> None:
    def resolve_slowly(host: str, port: int) -> Sequence[str]:
        Event().wait(0.05)
        return ["127.0.0.1"]

    courier = Courier(Destinations(read_networks("127.0.0.0/8"), resolve_slowly))
    with open_webhook_server() as server:
        outcome = courier.send(make_webhook(f"http://{NAME}:{server.port}/hook"), EVENT)
    assert outcome.arrived
    assert outcome.seconds >= 0.05


def test_a_slow_name_server_holds_up_no_request() -> None:
    hanging = Event()

    def hang(host: str, port: int) -> Sequence[str]:
        if host == NAME:
            hanging.wait()
        return ["8.8.8.8"]

    resolver = TimedResolver(hang, seconds=0.02, most=2)
    destinations = Destinations(resolver=resolver)
    for _ in range(4):
        with pytest.raises(Unresolved):
            resolver(NAME, 443)
        # It may turn out to be a public one; every delivery resolves it again.
        assert destinations.check(f"https://{NAME}/").host == NAME
        # No thread is needed for an address.
        with pytest.raises(BadDestination):
            destinations.check("https://127.0.0.1/")
    hanging.set()
    wait_until(lambda: _resolves(resolver), "that names are resolved again")


def _resolves(resolver: TimedResolver) -> bool:
    with suppress(Unresolved):
        return resolver(NAME, 443) == ["8.8.8.8"]
    return False


# TLS


class Authority:
    """Signs certificates, each valid from yesterday for so many days."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Authority")])
        self._certificate = self._sign(self._name, self._key, 9, x509.BasicConstraints(True, None))

    def _sign(
        self, name: x509.Name, key: ec.EllipticCurvePrivateKey, days: float, extension: x509.ExtensionType
    ) -> x509.Certificate:
        yesterday = datetime.now(UTC) - timedelta(days=1)
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(yesterday)
            .not_valid_after(yesterday + timedelta(days=days))
            .add_extension(extension, critical=False)
        )
        return builder.sign(self._key, hashes.SHA256())

    def make_client(self) -> ssl.SSLContext:
        """What trusts this authority and no other."""
        pem = self._certificate.public_bytes(serialization.Encoding.PEM).decode()
        return ssl.create_default_context(cadata=pem)

    def make_server(self, host: str, days: float = 9) -> ssl.SSLContext:
        """What shows a certificate for a host."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        certificate = self._sign(name, key, days, x509.SubjectAlternativeName([x509.DNSName(host)]))
        pem = certificate.public_bytes(serialization.Encoding.PEM)
        pem += key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        file = self._folder / f"{host}-{days}.pem"
        file.write_bytes(pem)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def send_securely(context: ssl.SSLContext, courier: Courier, host: str = NAME) -> Outcome:
    def serve(connection: socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            read_request(secured)
            secured.sendall(OK)

    with listen(serve) as port:
        return courier.send(make_webhook(f"https://{host}:{port}/hook"), EVENT)


def test_a_delivery_checks_the_certificate_of_the_name(tmp_path: Path) -> None:
    """The address was looked up before, so that the certificate is compared with the name in the URL."""
    authority = Authority(tmp_path)
    (tmp_path / "other").mkdir()
    courier = make_courier(authority.make_client())
    assert send_securely(authority.make_server(NAME), courier).arrived
    for server, host in (
        (authority.make_server("other.example"), NAME),
        (authority.make_server("127.0.0.1"), NAME),
        (authority.make_server(NAME, days=0.5), NAME),
        (Authority(tmp_path / "other").make_server(NAME), NAME),
        (authority.make_server(NAME), "127.0.0.1"),
    ):
        assert send_securely(server, courier, host).error == "bad_certificate"


def test_a_server_without_tls_is_told_so() -> None:
    def speak_plainly(connection: socket) -> None:
        connection.recv(65_536)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        # Until the other side has hung up: what is left unread would reset the line.
        while connection.recv(65_536):
            pass

    with listen(speak_plainly) as port:
        outcome = make_courier().send(make_webhook(f"https://{NAME}:{port}/hook"), EVENT)
    assert outcome.error == "no_tls"
    with closing(create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    outcome = make_courier().send(make_webhook(f"https://{NAME}:{port}/hook"), EVENT)
    assert outcome.error == "connection_refused"


@pytest.mark.long
def test_a_handshake_without_end_is_cut_off() -> None:
    with listen(trickle(b"\x16\x03\x03\x40\x00", b"\x02")) as port:
        outcome = make_courier().send(make_webhook(f"https://{NAME}:{port}/hook"), EVENT)
    assert outcome.error == "timeout"
    assert outcome.seconds < 2 * CONNECT_SECONDS
