"""Builds HTTP responses from what operations return."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from http import HTTPStatus
from time import monotonic
from typing import Any, Generic, TypeVar
from wsgiref.types import WSGIEnvironment

from flask import Request, Response
from msgspec import Struct
from werkzeug.datastructures import Headers

from events.store import Unavailable
from service.http.compression import GZIP, accepts_gzip, compress
from service.http.headers import JSON, names_tag
from service.http.languages import choose_language
from service.languages.catalogue import Language

REPLAYED = {"Idempotent-Replayed": "true"}
# The same version looks different to each seat, in each form, language and encoding; caches are told.
VARY = {"Vary": "Authorization, Accept, Accept-Language, Accept-Encoding"}


class Reply(Struct, frozen=True):
    """`version` becomes the ETag; a GET without one is tagged by its content.

    A `body` of bytes is sent as it is. One that is a function is called only for a caller who does not have
    this version yet. `packed` is the body in gzip where that is made already, or None where gzip saves
    nothing.
    """

    body: Any
    version: int | str | None = None
    location: str = ""
    replayed: bool = False
    media: str = JSON
    headers: Mapping[str, str] = {}
    packed: bytes | None = b""


class WholeResponse(Response):
    """Responds with complete headers: werkzeug need not look for missing ones again."""

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:
        """Return the headers as they are."""
        return self.headers


Respond = Callable[[Request, Reply], Response]


def make_responder(status: int, cached: bool, reads: bool) -> Respond:
    """Return the function that makes a response of a reply.

    A `cached` reply has an ETag, and is answered 304 when the caller names it. The reply to an operation that
    only `reads` may be kept by caches, which are told what it varies by, and is sent in gzip to callers who
    accept that. The forms of one version have different tags.
    """
    line = f"{status} {HTTPStatus(status).phrase}"

    def respond(request: Request, reply: Reply) -> Response:
        # Bytes are the same in all languages.
        language = None if isinstance(reply.body, bytes) else choose_language(request)
        zipped = reads and reply.packed is not None and accepts_gzip(request)
        suffix = ("" if language is None else language.suffix) + (f"-{GZIP}" if zipped else "")
        version = None if reply.version is None else f"{reply.version}{suffix}"
        if cached and version is not None and names_tag(request, version):
            return _unchanged(reply, version)
        content = _encode(reply.body() if callable(reply.body) else reply.body, language)
        if cached and version is None:
            version = sha256(content).hexdigest()[:32] + suffix
            if names_tag(request, version):
                return _unchanged(reply, version)
        kept = dict(VARY) if reads or version is not None else {}
        if language is not None:
            kept["Content-Language"] = language.tag
        if zipped:
            content = reply.packed or compress(content)
            kept["Content-Encoding"] = GZIP
        return WholeResponse([content], line, [*kept.items(), *_headers(reply, version, content)])

    return respond


def _unchanged(reply: Reply, version: str) -> Response:
    """Return the response 304."""
    return Response(status=304, headers=[*VARY.items(), *_etag(version).items(), *reply.headers.items()])


def _encode(body: Any, language: Language | None) -> bytes:
    """Return a body as JSON in a language, unless it is bytes already."""
    return body if isinstance(body, bytes) or language is None else language.encoder.encode(body)


def _headers(reply: Reply, version: str | None, content: bytes) -> list[tuple[str, str]]:
    """Return the headers of a response."""
    headers = {} if version is None else _etag(version)
    headers["Content-Type"] = reply.media
    headers["Content-Length"] = str(len(content))
    if reply.location:
        headers["Location"] = reply.location
    if reply.replayed:
        headers.update(REPLAYED)
    return [*headers.items(), *reply.headers.items()]


def _etag(version: str) -> dict[str, str]:
    """Return the header with the entity tag."""
    return {"ETag": f'"{version}"'}


T = TypeVar("T")


class Recent(Generic[T]):
    """Caches an answer and asks again only when it is older than so many seconds (ADR 0026).

    That Redis could not be asked counts as an answer, too. While one request asks, others get the last answer
    instead of asking as well.
    """

    def __init__(self, ask: Callable[[], T], seconds: float = 1.0) -> None:
        """Ask this function."""
        self._ask = ask
        self._seconds = seconds
        self._answer: T | Unavailable | None = None
        self._asked = -seconds

    def __call__(self) -> T:
        """Return the last answer, or a new one if that is too old. Raises Unavailable."""
        if self._answer is None or monotonic() - self._asked >= self._seconds:
            # Set before asking, so that other requests do not ask meanwhile.
            self._asked = monotonic()
            try:
                self._answer = self._ask()
            except Unavailable as fault:
                self._answer = fault
        if isinstance(self._answer, Unavailable):
            raise self._answer
        return self._answer
