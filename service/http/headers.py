"""Parses and formats the headers that carry meaning, and describes them for the contract."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from wsgiref.types import WSGIEnvironment

from flask import Request
from msgspec import Struct, field
from werkzeug.datastructures import ETags
from werkzeug.http import parse_etags

from events.text import Text
from service.feeds.reading import CURSOR
from service.games.idempotency import LEAST_LENGTH
from service.http.problems import Fault, Problem, say_fault
from service.players.feed import EVENT_ID

# We write so many digits of a hash; callers may send more of them.
WRITTEN = 16
FEWEST = 8
HEAD = rf"[0-9a-f]{{{FEWEST},64}}"
MARK = re.compile(rf"([0-9]{{1,9}})(?:-({HEAD}))?", re.ASCII)


class LogPosition(Struct, frozen=True):
    """A version and its hash. A log that was replaced has the same versions again, with other hashes."""

    version: int
    head: str = ""

    def names(self, version: int, head: str) -> bool:
        return self.version == version and head.startswith(self.head)


def parse_position(text: str) -> LogPosition | None:
    """`33` or `33-5f2a9c01`; None for anything else."""
    found = MARK.fullmatch(text)
    return LogPosition(int(found[1]), found[2] or "") if found else None


def format_position(version: int | str, head: str) -> str:
    return f"{version}-{head[:WRITTEN]}"


_TAG = r'(?:W/)?"[!#-~\u0080-\u00ff]*"'
_TAGS = re.compile(rf"\*|{_TAG}(?:[ \t]*,[ \t]*{_TAG})*")
_KEY = re.compile(r"[!-~]{1,128}")
_REPEATS = "The same key and body give the same reply, until 24 hours after the end of the game"
_KEY_REFUSALS = ("bad_header", "key_reused", "unavailable")
# Stands after the version where a player at the table has changed the name; see `Names.mark`.
_NAMES_MARK = re.compile("-n[0-9a-f]{8}(?=-|$)")
# The language, form or encoding of a table, such as `-de`, `-txt` or `-gzip`: shorter than any hash.
_VARIANT = re.compile(rf"(?:-[a-z]{{2,{FEWEST - 1}}})+$")


class Header(Struct, frozen=True):
    """`variable` is what WSGI calls it; `errors` are the codes that come of sending it."""

    name: str
    variable: str
    text: str
    errors: tuple[str, ...] = ()
    schema: Mapping[str, str] = field(default_factory=lambda: {"type": "string"})

    def value(self, request: Request) -> str | None:
        value: str | None = request.environ.get(self.variable)
        return value


ACT_FOR_PLAYER = Header(
    "Croupier-Player",
    "HTTP_CROUPIER_PLAYER",
    "The player that the API key acts for, one that it has made. Only with an API key.",
    ("bad_header", "unknown_player"),
)
IDEMPOTENCY_KEY = Header(
    "Idempotency-Key",
    "HTTP_IDEMPOTENCY_KEY",
    f"{_REPEATS}; a key counts within its game and seat.",
    _KEY_REFUSALS,
    {"type": "string", "pattern": f"^{_KEY.pattern}$"},
)
LONG_KEY = Header(
    IDEMPOTENCY_KEY.name,
    IDEMPOTENCY_KEY.variable,
    f"{_REPEATS}, its tokens included: use a random UUID, a new one for each request. Without a token any "
    f"{LEAST_LENGTH} to 128 visible ASCII characters do that are as hard to guess; what is shorter, or one "
    "piece again and again, is refused.",
    (*_KEY_REFUSALS, "weak_key"),
    IDEMPOTENCY_KEY.schema,
)


def _own_key(text: str, *refusals: str) -> Header:
    name = IDEMPOTENCY_KEY.name
    variable = IDEMPOTENCY_KEY.variable
    schema = IDEMPOTENCY_KEY.schema
    return Header(name, variable, text, (*_KEY_REFUSALS, *refusals), schema)


MY_KEY = _own_key("The same key and body give the same reply, for 24 hours; a key counts for its player.")
ERASURE_KEY = _own_key(
    "Whoever repeats it with the same key gets the same reply for 24 hours, though the token has ended."
)
ROTATION_KEY = _own_key(
    "Whoever repeats it with the same key, and with the token that it has ended, gets the same new token, "
    "for 24 hours or until that one is changed: send a key, or a lost reply is a lost player. Use a random "
    f"UUID, or {LEAST_LENGTH} to 128 visible ASCII characters that are as hard to guess; others are refused.",
    "weak_key",
)
TICKET_KEY = _own_key(
    "The same key and body give the same ticket while it lasts; a key counts for its token."
)
IMPORT_KEY = _own_key(
    "The same key and file give the same reply, for 24 hours; a key that is easy to guess is refused.",
    "weak_key",
)
IF_MATCH = Header(
    "If-Match",
    "HTTP_IF_MATCH",
    "A table's ETag: refuse the answer when the table has changed since.",
    ("bad_header", "stale_version"),
    {"type": "string", "pattern": f"^(?:{_TAGS.pattern})$"},
)
IF_NONE_MATCH = Header("If-None-Match", "HTTP_IF_NONE_MATCH", "An ETag: 304 while it is still good.")
LAST_EVENT_ID = Header(
    "Last-Event-ID",
    "HTTP_LAST_EVENT_ID",
    "Where a stream goes on; wins over `after`. Where the log does not go on from there, or no longer from "
    "what was sent, the stream ends with `event: reset`: begin after the `version` in its data.",
    ("bad_header",),
    {"type": "string", "pattern": f"^(?:{MARK.pattern})?$"},
)

FEED_LAST_EVENT_ID = Header(
    LAST_EVENT_ID.name,
    LAST_EVENT_ID.variable,
    "Where a stream goes on; wins over `after`.",
    LAST_EVENT_ID.errors,
    {"type": "string", "pattern": f"^(?:{CURSOR.pattern})?$"},
)
MY_LAST_EVENT_ID = Header(
    LAST_EVENT_ID.name,
    LAST_EVENT_ID.variable,
    "Where a stream goes on; wins over `after`.",
    LAST_EVENT_ID.errors,
    {"type": "string", "pattern": f"^(?:{EVENT_ID.pattern})?$"},
)


def read_key(request: Request) -> str | None:
    """Return the Idempotency-Key, or None. Raises Problem when it is malformed."""
    key = IDEMPOTENCY_KEY.value(request)
    if key is not None and not _KEY.fullmatch(key):
        raise Problem("bad_header", "`Idempotency-Key` must have 1 to 128 visible ASCII characters.")
    return key


def read_if_match(request: Request) -> frozenset[LogPosition] | None:
    """Return the positions that If-Match names; None when any will do. Raises Problem."""
    given = IF_MATCH.value(request)
    if given is None:
        return None
    tags = parse_tags(given)
    if tags is None:
        raise _bad_header(IF_MATCH, "must be an ETag in quotes, or *")
    # An empty tag, which werkzeug takes for none, names nothing of ours.
    versions = (_VARIANT.sub("", _NAMES_MARK.sub("", tag or "")) for tag in tags)
    return None if tags.star_tag else frozenset(mark for tag in versions if (mark := parse_position(tag)))


def read_last_event_id(request: Request) -> LogPosition | None:
    """Return the position after which a stream goes on, or None. Raises Problem."""
    given = LAST_EVENT_ID.value(request)
    if not given:
        return None
    mark = parse_position(given)
    if mark is None:
        raise _bad_header(LAST_EVENT_ID, "must be the id of an event, which is a version")
    return mark


def read_my_last_event_id(request: Request) -> str | None:
    """Return the id after which a player's stream goes on, or None. Raises Problem."""
    given = LAST_EVENT_ID.value(request)
    if given and not EVENT_ID.fullmatch(given):
        raise _bad_header(LAST_EVENT_ID, "must be the id of an event, or 0")
    return given or None


def read_feed_last_event_id(request: Request) -> str | None:
    """Return the cursor after which a feed goes on, or None. Raises Problem."""
    given = LAST_EVENT_ID.value(request)
    if given and not CURSOR.fullmatch(given):
        raise _bad_header(LAST_EVENT_ID, "must be the id of an event, or 0")
    return given or None


def names_tag(request: Request, tag: str) -> bool:
    """Whether If-None-Match says that the caller has what bears this tag."""
    given = IF_NONE_MATCH.value(request)
    tags = None if given is None else parse_tags(given)
    return tags is not None and tags.contains_weak(tag)


def parse_tags(given: str) -> ETags | None:
    """The entity tags of If-Match or If-None-Match; None where it is malformed."""
    given = given.strip()
    return parse_etags(given) if _TAGS.fullmatch(given) else None


def _bad_header(header: Header, detail: str) -> Problem:
    fault = Fault(detail, parameter=header.name)
    return Problem("bad_header", say_fault(fault), errors=[fault])


_BEARER = "croupier.bearer"


def read_bearer(environ: WSGIEnvironment) -> str | None:
    """Return the bearer token; None without the header, empty when it has another form.

    It is read several times for a request, and stays in `environ` after the first.
    """
    if _BEARER in environ:
        known: str | None = environ[_BEARER]
        return known
    given = environ.get("HTTP_AUTHORIZATION")
    token = None
    if given is not None:
        scheme, _, text = given.partition(" ")
        token = text.strip() if scheme.lower() == "bearer" else ""
    environ[_BEARER] = token
    return token


JSON = "application/json"
NDJSON = "application/x-ndjson"
SSE = "text/event-stream"
SVG = "image/svg+xml"
TEXT = "text/plain"
MARKDOWN = "text/markdown"
HTML = "text/html"


# Of Accept, Accept-Encoding and Content-Type, in characters: to parse 8 KB of them takes 8 ms.
LONGEST_PARSED = 1_000


def is_short(request: Request, variable: str) -> bool:
    """Return whether a header, by its name in WSGI, is short enough to be parsed."""
    return len(request.environ.get(variable, "")) <= LONGEST_PARSED


def media_reader(first: str, *others: str) -> Callable[[Request], str]:
    """Reads from Accept which of these the caller wants; the first where nothing is said. Raises Problem."""
    offered = [first, *others]
    named = ", ".join((first, *others[:-1]))

    def read_media(request: Request) -> str:
        if not is_short(request, "HTTP_ACCEPT"):
            raise Problem(
                "not_acceptable", Text("`Accept` must have at most {most} characters", most=LONGEST_PARSED)
            )
        accepted = request.accept_mimetypes
        media = accepted.best_match(offered) if accepted else first
        if media is None:
            raise Problem(
                "not_acceptable", Text("`Accept` must allow {forms} or {last}", forms=named, last=others[-1])
            )
        return media

    return read_media


def lenient_media_reader(first: str, *others: str) -> Callable[[Request], str]:
    """Reads from Accept which of these the caller wants; the first where that is none of them.

    Browsers, which accept HTML, get the first one too.
    """
    offered = [first, *others, HTML]

    def read_media(request: Request) -> str:
        if not is_short(request, "HTTP_ACCEPT"):
            return first
        media = request.accept_mimetypes.best_match(offered)
        return media if media in others else first

    return read_media
