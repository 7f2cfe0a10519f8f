"""The rejection of a command, with its reason."""

from __future__ import annotations

from enum import StrEnum

from events.text import as_text


class Reason(StrEnum):
    UNKNOWN_EDITION = "unknown_edition"
    UNKNOWN_OPTION = "unknown_option"
    BAD_OPTION = "bad_option"
    BAD_SEATS = "bad_seats"
    UNKNOWN_SEAT = "unknown_seat"
    SEAT_TAKEN = "seat_taken"
    ALREADY_SEATED = "already_seated"
    ALREADY_STARTED = "already_started"
    NOT_STARTED = "not_started"
    GAME_OVER = "game_over"
    NOT_ASKED = "not_asked"
    STALE_ASK = "stale_ask"
    UNKNOWN_ASK = "unknown_ask"
    ALREADY_ANSWERED = "already_answered"
    ILLEGAL_CHOICE = "illegal_choice"
    NOT_HOST = "not_host"
    NOT_OVER = "not_over"
    TOO_OFTEN = "too_often"
    UNPROVEN = "unproven"


class Rejected(Exception):
    """`where` points at the faulty part of the command; `rule` names what the refusal rests on."""

    def __init__(self, reason: Reason, detail: str, where: str = "", rule: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = as_text(detail)
        self.where = where
        self.rule = rule
