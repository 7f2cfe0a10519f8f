"""Who is at the table, and what they agree on."""

from __future__ import annotations

from tests.referee.books import Event, fair

# Commands and facts that no rule of the books is about.
ASIDE = {
    *("leave", "return", "start", "cancel", "void", "rematch", "fork"),
    *("seat_taken", "seat_left", "seat_returned", "void_voted", "rematch_made", "game_forked"),
}
REASONS = ("not_filled", "abandoned", "cancelled", "voided")


class Attendance:
    """Seats of people, of bots and open ones, as the log tells of them."""

    def __init__(self) -> None:
        self.holders: list[str] = []
        self.away: set[int] = set()
        self.void: set[int] = set()
        self.started = self.over = self.repeated = False

    def see(self, event: Event) -> None:
        match event["type"]:
            case "game_created" | "game_forked":
                self.holders = [_holder(seat) for seat in event["seats"]]
            case "seat_taken":
                fair(self.holders[event["seat"]] == "nobody", "somebody sits there already")
                self.holders[event["seat"]] = _holder(event)
            case "game_started":
                fair("nobody" not in self.holders, "a seat is open")
                self.started = True
            case "seat_left":
                self._left(event)
            case "seat_returned":
                fair(event["seat"] in self.away, "nobody was away")
                self.away.remove(event["seat"])
            case "void_voted":
                fair(self.holders[event["seat"]] == "person", "only people agree on anything")
                (self.void.add if event["agrees"] else self.void.remove)(event["seat"])
            case "game_closed":
                self._closed(event["reason"])
            case "game_ended":
                self.over = True
            case "rematch_made":
                fair(self.over and self.started and not self.repeated, "there is nothing to repeat")
                self.repeated = True

    def _left(self, event: Event) -> None:
        seat = event["seat"]
        fair(self.holders[seat] == "person", "only people leave")
        fair(bool(event.get("bot")) == self.started, "a bot plays for who leaves a game, and for nobody else")
        if not self.started:
            self.holders[seat] = "nobody"
        elif event.get("for_good"):
            self.holders[seat] = "bot"
            self.away.discard(seat)
            self.void.discard(seat)
        else:
            fair(seat not in self.away, "who is away cannot leave")
            self.away.add(seat)

    def _closed(self, reason: str) -> None:
        fair(reason in REASONS, "a game is closed for no reason")
        in_lobby = reason in ("not_filled", "cancelled")
        fair(in_lobby != self.started, f"a game is not {reason} then")
        people = {seat for seat, holder in enumerate(self.holders) if holder == "person"}
        fair(reason != "voided" or people == self.void, "somebody was not asked")
        self.over = True


def _holder(seat: Event) -> str:
    if seat.get("bot"):
        return "bot"
    return "nobody" if seat.get("name") is None else "person"
