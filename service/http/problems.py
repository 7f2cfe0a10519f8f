"""Problem details (RFC 9457) and the text of every error code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from flask import Response
from msgspec import Struct
from msgspec.structs import force_setattr, replace

from events.text import MARKS, Joined, Text, as_text
from rules import Rejected
from rules.citation import cite_rule
from rules.errors import Reason
from rules.prompt import Option
from service.languages.catalogue import ENGLISH, Language

PROBLEM_JSON = "application/problem+json"
RETRY_SECONDS = 1
# At most so many faults of a request are told.
MOST_ERRORS = 20
# Of the whole body of a refusal, in bytes.
LARGEST_PROBLEM = 8 * 1024
# Of texts that may repeat what the caller sent, in characters.
LONGEST_DETAIL = 1_000
LONGEST_FAULT = 700
LONGEST_POINTER = 200
NOTHING_THERE = Text(
    "There is nothing at this address. `GET /v1` lists all addresses, and `/docs` explains them."
)

STATUS = {
    "bad_request": 400,
    "bad_json": 400,
    "duplicate_key": 400,
    "lone_surrogate": 400,
    "bad_header": 400,
    "weak_key": 400,
    "unauthorized": 401,
    "key_required": 401,
    "not_seated": 403,
    "key_in_browser": 403,
    "missing_scope": 403,
    "not_yours": 403,
    "advice_off": 403,
    "bot_closed": 403,
    "not_found": 404,
    "unknown_game": 404,
    "unknown_version": 404,
    "unknown_player": 404,
    "unknown_task": 404,
    "unknown_webhook": 404,
    "unknown_bot": 404,
    "no_decision": 404,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "request_timeout": 408,
    "bot_busy": 409,
    "too_many_bots": 409,
    "cursor_lost": 410,
    "length_required": 411,
    "stale_version": 412,
    "too_large": 413,
    "uri_too_long": 414,
    "unsupported_media_type": 415,
    "headers_too_large": 431,
    "invalid_body": 422,
    "invalid_query": 422,
    "bad_file": 422,
    "key_reused": 422,
    "too_many_requests": 429,
    "too_many_games": 429,
    "stream_quota": 429,
    "too_many_webhooks": 429,
    "internal": 500,
    "unknown_rules": 501,
    "unavailable": 503,
    "not_ready": 503,
    "broken_log": 503,
    "task_failed": 503,
    "too_many_streams": 503,
    "no_room": 503,
}
# What the rules refuse is a conflict with the table, unless it is the request itself that is wrong.
_FAULTS = {
    Reason.UNKNOWN_EDITION: 422,
    Reason.UNKNOWN_OPTION: 422,
    Reason.BAD_OPTION: 422,
    Reason.BAD_SEATS: 422,
    Reason.UNKNOWN_SEAT: 422,
    Reason.NOT_ASKED: 403,
    Reason.NOT_HOST: 403,
}
PLAN_REFUSALS = (Reason.UNKNOWN_EDITION, Reason.UNKNOWN_OPTION, Reason.BAD_OPTION, Reason.BAD_SEATS)
SEAT_REFUSALS = (
    Reason.UNKNOWN_SEAT,
    Reason.SEAT_TAKEN,
    Reason.ALREADY_SEATED,
    Reason.ALREADY_STARTED,
    Reason.GAME_OVER,
    Reason.TOO_OFTEN,
)
LOBBY_REFUSALS = (Reason.NOT_HOST, Reason.ALREADY_STARTED, Reason.GAME_OVER)
REMATCH_REFUSALS = (Reason.NOT_OVER, Reason.NOT_STARTED, Reason.GAME_OVER)
FORK_REFUSALS = (
    Reason.NOT_OVER,
    Reason.NOT_STARTED,
    Reason.GAME_OVER,
    Reason.BAD_SEATS,
    Reason.TOO_OFTEN,
    Reason.UNPROVEN,
)
_ENDINGS = (Reason.NOT_HOST, Reason.NOT_OVER, Reason.UNPROVEN)
_ELSEWHERE = {*PLAN_REFUSALS, *SEAT_REFUSALS, *_ENDINGS} - {Reason.GAME_OVER}
CHOICE_REFUSALS = tuple(reason for reason in Reason if reason not in _ELSEWHERE)
REFUSALS = {reason.value: _FAULTS.get(reason, 409) for reason in Reason}
CODES = STATUS | REFUSALS


class Fault(Struct, frozen=True, omit_defaults=True):
    """One thing that is wrong: in the body at a JSON pointer, or in a parameter."""

    detail: str
    pointer: str | None = None
    parameter: str | None = None
    code: str | None = None


class ProblemBody(Struct, frozen=True, omit_defaults=True):
    """Why a request was refused; `code` is stable, `detail` is for people.

    `errors` tells 20 faults at most, and `more` how many others there are. Where `options` would be
    too long, `more_options` says how many are left out; the table has all. `cause` says in one word why the
    log takes no writes now, or is not ready. `commit` is the first of a file that does not fit. `doc` is
    where the code is explained; `request_id` is that of the reply's X-Request-ID.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[Fault] = []
    more: int = 0
    options: Sequence[Option] | None = None
    more_options: int = 0
    version: int | None = None
    commit: int | None = None
    rule: str = ""
    rule_text: str = ""
    cause: str = ""
    request_id: str = ""
    doc: str = ""


class Problem(Exception):
    """Raised anywhere in a request; `members` are those of ProblemBody."""

    def __init__(
        self, code: str, detail: str, headers: Mapping[str, str] | None = None, **members: Any
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail: str = as_text(detail)
        self.members = members
        self.status = CODES[code]
        self.headers = {**_HEADERS.get(self.status, {}), **(headers or {})}


_HEADERS: Mapping[int, Mapping[str, str]] = {
    401: {"WWW-Authenticate": 'Bearer realm="croupier"'},
    503: {"Retry-After": str(RETRY_SECONDS)},
}


def explain_rejection(rejected: Rejected, **members: Any) -> Problem:
    """Return the problem for a command that the rules rejected."""
    if rejected.where:
        members["errors"] = [to_fault(rejected)]
    return Problem(
        rejected.reason.value,
        rejected.detail,
        rule=rejected.rule,
        rule_text=cite_rule(rejected.rule),
        **members,
    )


def to_fault(rejected: Rejected) -> Fault:
    return Fault(rejected.detail, rejected.where, code=rejected.reason.value)


def to_response(problem: Problem, request_id: str = "", language: Language = ENGLISH) -> Response:
    """Return the response; `request_id` is empty for a request that never got one."""
    content = _encode_within_limit(to_body(problem, request_id, language), language)
    headers = {**problem.headers, "Content-Language": language.tag, "Vary": "Accept-Language"}
    return Response(content, problem.status, headers, content_type=PROBLEM_JSON)


def _encode_within_limit(body: ProblemBody, language: Language) -> bytes:
    """Return the body as JSON, without its last options and faults where it would be too large."""
    content = language.encoder.encode(body)
    while len(content) > LARGEST_PROBLEM and (body.options or body.errors):
        options = body.options or ()
        # A fourth at a time, so that a long list takes few turns.
        if options:
            kept = len(options) * 3 // 4
            left_out = body.more_options + len(options) - kept
            body = replace(body, options=options[:kept] or None, more_options=left_out)
        else:
            kept = len(body.errors) * 3 // 4
            left_out = body.more + len(body.errors) - kept
            body = replace(body, errors=body.errors[:kept], more=left_out)
        content = language.encoder.encode(body)
    return content


# What the text of a fault begins with where the field that it is about is its subject.
_PREDICATES = ("is ", "must ", "has ", "may ", "cannot ", "needs ", "does ", "requires ")


def say_fault(fault: Fault) -> str:
    """Return the text of a fault, which names its field."""
    detail = as_text(fault.detail)
    if not detail.startswith(_PREDICATES):
        return detail
    field = f"`{fault.parameter}`" if fault.parameter else name_field(fault.pointer or "")
    return Joined((field, detail), " ")


def name_field(pointer: str) -> str:
    """Return a JSON pointer as programmers write it: `seats[0].name`."""
    if not pointer:
        return Text("The body")
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]
    path = "".join(f"[{step}]" if step.isdigit() else f".{step}" for step in steps)
    return f"`{path.removeprefix('.')}`"


def say(text: str) -> str:
    """Return a text as a sentence: with a capital, unless it begins with a name or code, and a full stop."""
    first, _, _ = text.partition(" ")
    if first.rstrip(",;").isalpha() and first.islower():
        text = text[0].upper() + text[1:]
    return text if text.endswith(MARKS) else f"{text}."


def to_body(problem: Problem, request_id: str, language: Language = ENGLISH) -> ProblemBody:
    """Return the body of a refusal in this language; texts that are no sentences become some."""
    members = dict(problem.members)
    errors = members.pop("errors", [])
    more = members.pop("more", 0) + max(0, len(errors) - MOST_ERRORS)
    return ProblemBody(
        type=f"urn:problem-type:croupier:{problem.code}",
        title=Text(name_problem(problem.code)),
        status=problem.status,
        detail=_shorten(say(language.put(problem.detail)), LONGEST_DETAIL),
        code=problem.code,
        errors=[_shorten_fault(fault, language) for fault in errors[:MOST_ERRORS]],
        more=more,
        request_id=request_id,
        doc=f"/v1/problems/{problem.code}",
        **members,
    )


def _shorten(text: str, most: int) -> str:
    """Return a text, cut where it is longer than a reader needs."""
    # JSON writes a control character as six.
    length = most if text.isprintable() else most // 6
    return text if len(text) <= length else f"{text[:length]}…"


def _shorten_fault(fault: Fault, language: Language) -> Fault:
    return Fault(
        detail=_shorten(say(language.put(say_fault(fault))), LONGEST_FAULT),
        pointer=fault.pointer and _shorten(fault.pointer, LONGEST_POINTER),
        parameter=fault.parameter and _shorten(fault.parameter, LONGEST_POINTER),
        code=fault.code,
    )


def name_problem(code: str) -> str:
    """Return the title of an error code."""
    return code.replace("_", " ").capitalize()


def problem_of_status(status: int) -> Problem:
    """Return the problem for an HTTP status; a status without a code of its own is a bad request."""
    named = {number: code for code, number in reversed(STATUS.items())}
    detail = NOTHING_THERE if status == HTTPStatus.NOT_FOUND else HTTPStatus(status).description
    return Problem(named.get(status, "bad_request"), detail)


class ProblemText(Struct, frozen=True):
    meaning: str
    remedy: str

    def __post_init__(self) -> None:
        """Let both be translated."""
        force_setattr(self, "meaning", as_text(self.meaning))
        force_setattr(self, "remedy", as_text(self.remedy))


_REQUEST = {
    "bad_request": (
        "The server cannot read this as a request.",
        "Send well-formed HTTP/1.1, and the whole body.",
    ),
    "bad_json": (
        "The body is no JSON, or empty.",
        "Send one JSON object in UTF-8; `detail` says where it breaks.",
    ),
    "duplicate_key": ("An object of the body has a member twice.", "Send every member once."),
    "lone_surrogate": ("A text holds half of a surrogate pair.", "Escape both halves, or send UTF-8."),
    "bad_header": ("A header has a form that means nothing here.", "Correct the header that `errors` names."),
    "weak_key": ("Others could guess this Idempotency-Key.", "Use a random UUID for every new request."),
    "unauthorized": (
        "The token is missing, or opens nothing here.",
        "Send `Authorization: Bearer <token>` with the token that came when you sat down. A ticket is "
        "good once, for a minute: get a new one from POST /v1/tickets.",
    ),
    "key_required": (
        "This service does that for API keys only.",
        "Ask the operator for an API key, and send it from your server as `Authorization: Bearer key_…`.",
    ),
    "key_in_browser": (
        "An API key was sent from a web page, which shows it to everyone who opens the page.",
        "Send it from your server. Give the page the token of a player or of a seat.",
    ),
    "missing_scope": (
        "The API key does not have the scope that the operation needs.",
        "Ask the operator for a key with the scope that the refusal names.",
    ),
    "not_seated": (
        "This player does not sit in this game.",
        "Take an open seat first, or use the token of a seat.",
    ),
    "not_yours": (
        "This is about another seat, and the game still goes on.",
        "Ask about the seat whose token you send, or come back when the game is over.",
    ),
    "advice_off": (
        "This game was agreed on without advice.",
        "Think for yourself, or create games without `advice: false`.",
    ),
    "unknown_player": ("There is no such player, or no longer.", "Check the id; it begins with `p_`."),
    "unknown_task": (
        "There is no such task, or no longer, or it is not yours.",
        "Send the token that it was ordered with, or order it again; results are kept for ten minutes.",
    ),
    "unknown_webhook": (
        "The caller has no webhook with this id.",
        "Take an id from GET /v1/webhooks; it begins with `w_`.",
    ),
    "unknown_bot": (
        "There is no remote bot with this id, or it is not the caller's.",
        "Take an id from GET /v1/remote-bots; it begins with `p_`.",
    ),
    "bot_closed": (
        "The owner of this remote bot lets no others seat it.",
        "Seat another bot, or ask the owner to open it.",
    ),
    "bot_busy": (
        "This remote bot plays in as many games as its owner allows.",
        "Seat another bot, or come back when some of its games are over.",
    ),
    "too_many_bots": (
        "The player has as many remote bots as a player may have, or is a bot.",
        "Erase a bot that is not needed, or send the token of a player who is no bot.",
    ),
    "no_decision": (
        "This version of the game is no bot's answer.",
        "Take one whose commit in the log has a `bot`.",
    ),
    "not_found": ("There is nothing at this address.", "GET /v1 lists all addresses; /docs explains them."),
    "unknown_game": (
        "No game has this id.",
        "Take an id from the reply that created the game, or from /v1/games.",
    ),
    "cursor_lost": (
        "Events after this id are no longer kept.",
        "Begin anew with after=0; GET /v1/me/games?awaiting=true says what waits for you now.",
    ),
    "unknown_version": (
        "The game has not come so far.",
        "Ask for a version from 1 to the table's `version`.",
    ),
    "method_not_allowed": (
        "The address exists, but not for this method.",
        "Use one of the methods in `Allow`.",
    ),
    "not_acceptable": ("None of the media types in `Accept` is offered.", "Accept one that `detail` names."),
    "request_timeout": (
        "The request did not come whole in time, or made room for others while it was incomplete.",
        "Send it again, all of it at once.",
    ),
    "too_many_games": (
        "The address has as many games open as it may, or as many of its games have ended today.",
        "End, cancel or leave one of them, or come again when `Retry-After` says.",
    ),
    "too_many_webhooks": (
        "The player or the API key has as many webhooks, or tests that wait, as it may.",
        "Delete a webhook that is not needed, or wait until the tests are sent.",
    ),
    "stream_quota": (
        "The address has as many streams open, or calls that wait for news, as it may.",
        "Close one that is no longer read, or read without waiting.",
    ),
    "too_many_requests": (
        "An address or a token has made more requests of this kind than it may; `detail` says which limit.",
        "Come again after as many seconds as `Retry-After` says; `RateLimit` tells beforehand what is left.",
    ),
    "length_required": ("The body came without its length.", "Send a Content-Length; no chunked bodies."),
    "stale_version": (
        "The table has changed since the version in If-Match.",
        "Read the table again, and answer what it asks now.",
    ),
    "too_large": (
        "The body is larger than any that is taken.",
        "Send less; `detail` says how much is taken.",
    ),
    "uri_too_long": ("The first line of the request is too long.", "Send a shorter address."),
    "unsupported_media_type": (
        "The body is not of the media type that is taken here, or not in UTF-8.",
        "Send `Content-Type: application/json`, or of a file `application/x-ndjson`.",
    ),
    "headers_too_large": (
        "The request has too many headers, or too long ones.",
        "Send fewer and shorter headers.",
    ),
    "invalid_body": (
        "The body does not fit its schema.",
        "Correct what `errors` lists, each with a JSON pointer.",
    ),
    "bad_file": (
        "The file proves no game that is over; `commit` is the first that does not fit.",
        "Send a file as `GET /v1/games/{game}/export` gave it, every byte of it.",
    ),
    "invalid_query": ("The query string is not understood.", "Correct the parameters that `errors` lists."),
    "key_reused": (
        "This Idempotency-Key came with another request before.",
        "Use a new key for a new request; repeat a request with the body it had.",
    ),
}
_SERVER = {
    "internal": ("Something went wrong on our side.", "Try again later, and tell us the `request_id`."),
    "unknown_rules": ("This server does not know the rules of the game.", "Ask a server of a newer version."),
    "unavailable": (
        "The log of the games cannot be written or read now, or is not listed yet; `cause` says why.",
        "Repeat the request with the same Idempotency-Key after the seconds in Retry-After.",
    ),
    "no_room": (
        "The service has no room for new games, players, files and tasks; games that are being played go on.",
        "Come again later, or ask a server of somebody else.",
    ),
    "not_ready": (
        "The service cannot keep games now.",
        "Wait; `errors` says what whoever runs it has to mend.",
    ),
    "broken_log": (
        "The log of this game does not hold together, so nothing is shown or done.",
        "Nothing helps from outside; whoever runs the service restores the log from a backup.",
    ),
    "task_failed": (
        "The bot that was asked gave no answer, or the file of an import is no longer stored.",
        "Order it again later, or from another level; send the file again.",
    ),
    "too_many_streams": (
        "All streams of this server are taken.",
        "Come back after the seconds in Retry-After, or poll.",
    ),
}
_RULES = {
    Reason.UNKNOWN_EDITION: ("No edition has this name.", "Take an `id` from /v1/editions."),
    Reason.UNKNOWN_OPTION: (
        "The edition has no such option.",
        "Take the names from its `options` in /v1/editions.",
    ),
    Reason.BAD_OPTION: (
        "An option has a value that does not fit.",
        "Correct it as `errors` and /v1/editions say.",
    ),
    Reason.BAD_SEATS: (
        "The edition is not for so many players, or not for these.",
        "Send the seats that `detail` asks for.",
    ),
    Reason.UNKNOWN_SEAT: ("The table has no such seat.", "Leave `seat` out, or take one that is open."),
    Reason.SEAT_TAKEN: ("Somebody has this seat, or no seat is open.", "Take another seat, or another game."),
    Reason.ALREADY_SEATED: ("You sit at this table.", "Use the token that you have."),
    Reason.ALREADY_STARTED: ("The game has started.", "Look for an open table: /v1/games?status=lobby."),
    Reason.NOT_STARTED: ("The game still waits for players.", "Wait until its `status` is `playing`."),
    Reason.GAME_OVER: ("The game is over.", "Look at its result, or create another one."),
    Reason.NOT_ASKED: (
        "This ask is for another seat.",
        "Wait for an ask of the table whose `yours` is true.",
    ),
    Reason.STALE_ASK: ("This ask is settled.", "Read the table again, and answer the ask that is open."),
    Reason.UNKNOWN_ASK: ("Nothing was asked under this number yet.", "Take `ask` from the table's `asks`."),
    Reason.ALREADY_ANSWERED: ("You have answered this ask.", "Wait until the others have answered."),
    Reason.ILLEGAL_CHOICE: ("This is none of the options.", "Send the `choice` of one of `options`."),
    Reason.NOT_HOST: (
        "Only the host may do this: the person who has been at the table longest.",
        "Use the token of the seat that the table's `host` names.",
    ),
    Reason.NOT_OVER: (
        "The game has not been played to its end.",
        "Wait until its `status` is `over`; one that ended early never has a result, and `detail` says so.",
    ),
    Reason.TOO_OFTEN: (
        "This has been done as often as it may be in one game.",
        "Play on with what stands now; `detail` says what can be done instead.",
    ),
    Reason.UNPROVEN: (
        "The log of this game does not prove itself, and a fork of it would not either.",
        "Fork the game that it comes from; its `audit` says what does not fit.",
    ),
}
PROBLEM_TEXTS: Mapping[str, ProblemText] = {
    code: ProblemText(meaning, remedy)
    for texts in (_REQUEST, _SERVER, {reason.value: text for reason, text in _RULES.items()})
    for code, (meaning, remedy) in texts.items()
}
