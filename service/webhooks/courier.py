"""Sends one event to one webhook: signs it, connects to a checked address, and reports what came back."""

from __future__ import annotations

import re
import ssl
from base64 import urlsafe_b64encode
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from http.client import HTTPException
from importlib.metadata import version
from socket import SHUT_RDWR, socket
from threading import Lock
from time import monotonic, time

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from standardwebhooks import Webhook as Signer
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from service.webhooks.destinations import BadDestination, Destination, Destinations, Unresolved, parse_url
from service.webhooks.sources import WebhookEvent
from service.webhooks.webhooks import Webhook

CONNECT_SECONDS = 3.0
READ_SECONDS = 10.0
# Beside the time limits of single steps: a server that sends a byte now and then is cut off.
LONGEST_SECONDS = 15.0
# A server may ask for a longer pause before the next attempt, but not for a longer one than this.
LONGEST_PAUSE = 3600.0
GONE = 410
_BUSY = (429, 503)
_MARKDOWN = re.compile(r"([\\*_~`|>#\[\]()<])")


class Outcome(Struct, frozen=True):
    """What came of an attempt: the status of the reply, or an error in one word.

    `pause` is how long the server wants to be left alone.
    """

    status: int | None
    seconds: float
    error: str | None = None
    pause: float = 0.0

    @property
    def arrived(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def name_message(webhook: str, event: WebhookEvent) -> str:
    """Return the `webhook-id` of an event: the same for every attempt, and for every replay."""
    # Players of one key may be asked by the same commit, each at a seat.
    parts = [webhook, event.game, str(event.version), event.type, str(event.seat)]
    if not event.version:
        parts.append(event.id)
    return "msg_" + urlsafe_b64encode(sha256("|".join(parts).encode()).digest()[:18]).decode()


def write_body(webhook: Webhook, event: WebhookEvent) -> bytes:
    """Return the body of a delivery."""
    if webhook.format == "discord":
        return msgspec.json.encode({"content": _write_message(webhook, event)})
    return msgspec.json.encode(event)


def _write_message(webhook: Webhook, event: WebhookEvent) -> str:
    """Return a chat message: names in it call nobody and format nothing."""
    sentence = _MARKDOWN.sub(r"\\\1", event.sentence).replace("@", "@\u200b")
    link = f"{webhook.base}/games/{event.game}" if webhook.base and event.version else ""
    return f"{sentence} {link}".strip()


def sign(webhook: Webhook, message: str, body: bytes, now: float) -> dict[str, str]:
    """Return the headers of Standard Webhooks; during a rotation with a signature of each secret."""
    moment = datetime.fromtimestamp(int(now), UTC)
    secrets = webhook.signing_secrets(now)
    signatures = (Signer(secret).sign(message, moment, body.decode()) for secret in secrets)
    return {
        "webhook-id": message,
        "webhook-timestamp": str(int(now)),
        "webhook-signature": " ".join(signatures),
    }


class Courier:
    """Sends deliveries, several at once from several threads."""

    def __init__(
        self,
        destinations: Destinations,
        clock: Callable[[], float] = time,
        longest_seconds: float = LONGEST_SECONDS,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Connect to what `destinations` allow; `clock` is the wall clock, which receivers compare.

        `cut_off` ends deliveries that take longer than `longest_seconds`. Without `tls` servers need a
        certificate that this machine trusts.
        """
        self._destinations = destinations
        self._given_tls = tls
        self._clock = clock
        self._longest = longest_seconds
        self._lock = Lock()
        self._open: dict[HTTPConnection, float] = {}

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """What servers are checked with: loading the certificates of a machine takes a while."""
        return self._given_tls or ssl.create_default_context()

    def send(self, webhook: Webhook, event: WebhookEvent) -> Outcome:
        """Send an event and return what came of it. Raises nothing that a server or a network can cause."""
        started = monotonic()
        try:
            destination = parse_url(webhook.url)
            address = self._destinations.pin(destination)
        except BadDestination:
            return Outcome(None, monotonic() - started, "address_not_allowed")
        except Unresolved:
            return Outcome(None, monotonic() - started, "name_not_resolved")
        body = write_body(webhook, event)
        headers = {
            "Host": destination.host_header,
            "Content-Type": "application/json",
            "User-Agent": f"croupier/{version('croupier')}",
            "Connection": "close",
            **sign(webhook, name_message(webhook.id, event), body, self._clock()),
        }
        connection = self._connect(destination, address)
        try:
            outcome = self._exchange(connection, destination.target, body, headers)
            # The look-up of the name counts, too: a slow name server holds us up like a slow server.
            return replace(outcome, seconds=monotonic() - started)
        except (OSError, HTTPError, HTTPException, ValueError, AttributeError) as fault:
            # A connection that is cut from another thread fails in several ways.
            seconds = monotonic() - started
            return Outcome(None, seconds, "timeout" if seconds >= self._longest else _name_fault(fault))
        finally:
            with self._lock:
                self._open.pop(connection, None)
            with suppress(OSError):
                connection.close()

    def _connect(self, destination: Destination, address: str) -> HTTPConnection:
        """Return a connection to a checked address, which shows the certificate of the name."""
        port = destination.port
        connection: HTTPConnection
        if destination.is_secure:
            connection = HTTPSConnection(
                address,
                port,
                timeout=CONNECT_SECONDS,
                ssl_context=self._tls,
                server_hostname=destination.host,
            )
        else:
            connection = HTTPConnection(address, port, timeout=CONNECT_SECONDS)
        with self._lock:
            self._open[connection] = monotonic() + self._longest
        return connection

    def _exchange(
        self, connection: HTTPConnection, target: str, body: bytes, headers: dict[str, str]
    ) -> Outcome:
        """Send the request and read the status and headers of the reply; redirects are not followed.

        The body says nothing to us, and may never end.
        """
        connection.connect()
        connection.timeout = READ_SECONDS
        connection.sock.settimeout(READ_SECONDS)
        connection.request("POST", target, body, headers, preload_content=False, decode_content=False)
        response = connection.getresponse()
        status = response.status
        pause = _read_pause(response.headers.get("Retry-After", "")) if status in _BUSY else 0.0
        error = None if 200 <= status < 300 else "redirect" if 300 <= status < 400 else "refused"
        return Outcome(status, 0.0, error, pause)

    def cut_off(self, everything: bool = False) -> None:
        """Cut the connections that have taken too long, or all of them."""
        now = monotonic()
        with self._lock:
            late = [connection for connection, end in self._open.items() if everything or now >= end]
        for connection in late:
            sock = connection.sock
            if sock is not None:
                with suppress(OSError):
                    # Of the plain socket: the other thread still uses the encrypted one.
                    socket.shutdown(sock, SHUT_RDWR)


def _read_pause(text: str) -> float:
    """Return the seconds of a Retry-After header; 0 of a date or anything else."""
    return min(float(text), LONGEST_PAUSE) if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text, re.ASCII) else 0.0


def _name_fault(fault: Exception) -> str:
    """Return a word for what went wrong."""
    inner = fault.__cause__ or fault
    if isinstance(fault, TimeoutError) or "timed out" in str(fault):
        return "timeout"
    if isinstance(inner, ssl.SSLError) or isinstance(fault, ssl.SSLError):
        return "bad_certificate" if "CERTIFICATE" in str(inner).upper() else "no_tls"
    if isinstance(inner, ConnectionRefusedError) or "refused" in str(fault):
        return "connection_refused"
    return "connection_lost"
