"""What each code of a problem means, and what a caller does about it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from rules.rejection import Reason


class ProblemText(Struct, frozen=True):
    meaning: str
    remedy: str


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
    "no_decision": (
        "This version of the game is no bot's answer.",
        "Take one whose commit in the log has a `bot`.",
    ),
    "not_found": ("There is nothing at this address.", "Look at /docs or /openapi.yaml for the addresses."),
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
        "The address has as many games open as it may.",
        "End, cancel or leave one of them, or come again when one is over.",
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
    "game_exists": (
        "Another game has the id that the file is about.",
        "Look at the game that is here; two of one id cannot both be.",
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
    "not_ready": (
        "The service cannot keep games now.",
        "Wait; `errors` says what whoever runs it has to mend.",
    ),
    "broken_log": (
        "The log of this game does not hold together, so nothing is shown or done.",
        "Nothing helps from outside; whoever runs the service restores the log from a backup.",
    ),
    "task_failed": (
        "The bot that was asked gave no answer.",
        "Order it again later, or from another level.",
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
