#!/usr/bin/env python3
"""Checks exported games of Croupier. One file, nothing but Python 3.10 and its standard library.

    python3 verify.py [--key KEY] FILE…

It shares no line with the server, so that one may read rightly what the other misread. From a file it takes
the commands and the revealed seed, plays the game again by its own reading of the rulebooks, and compares
every event. It exits with 0 if all files hold, else with 1, and says of each file in one line which commit
does not fit and why.

What is checked, of every game that is over:
  - the chain: all commits, in order, each with the hash of its public form and of the one before; no member
    twice, none that nobody knows; times that never run backwards; every opened secret against its commitment;
  - the seed, revealed at the end, against the commitment that was made at the beginning; where a game was
    forked off another, that of the other too, and that it goes on from just that table;
  - every roll, every draw and every salt, from that seed, in the order of their running numbers; where the
    creator chose the seed (a sandbox), or a fork has the dice of the game before, the sentence says so;
  - who sits where, comes, goes and agrees to what; by whom each command was made, which bot answered and why,
    that the clock answered for nobody before their time was over, and why a game was closed;
  - of every edition with all its options and all sixteen tiles: every event, so who starts, whose turn it
    is, what is asked and may be answered, what lies where, who is tied, who is paid what, who wins.
With --key it also checks the signature of the final head, which says on which service the game was played.
KEY is the public key of that service in hex, or a file with what it has at /.well-known/croupier-keys.
When something was done, who sat at the keyboard and what the note of a bot says beyond its name is the
server's word; a file cannot show how long a table was to be waited for before it was closed.

How hashes and dice are made is written down in docs/fairness.md; vectors.json beside this file has examples.
"""

from __future__ import annotations

import json
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256, sha512
from hmac import new as hmac
from itertools import combinations
from typing import Any, NoReturn, TypeVar

Json = dict[str, Any]

# Far above any game, and little enough for any machine.
LARGEST_FILE = 8 * 2**20
LARGEST_LINE = 2 * 2**20
MOST_COMMITS = 10_000
LONGEST_TEXT = 300
FILE_FORMAT = "croupier/1"
SIGNED_FORMAT = "croupier/2"
GENESIS = "0" * 64
# What headers have said of how to verify a file.
WAYS_TO_VERIFY = (
    "python3 verifier/verify.py FILE needs nothing but Python and shares no code with the server; "
    "croupier verify FILE decides every move again; docs/fairness.md says how to write one's own",
)
TIME = re.compile(
    r"(20\d\d|21\d\d|2200)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z",
    re.ASCII,
)
COMMIT = {"version", "at", "by", "rules", "command", "events", "prev", "hash"}
BOT = {"name", "build", "view"}


class Fault(Exception):
    """Something does not fit."""

    @property
    def why(self) -> str:
        return str(self)


def hold(true: object, why: str) -> None:
    if not true:
        raise Fault(why)


# ---------------------------------------------------------------- reading


def refuse_twins(pairs: list[tuple[str, Any]]) -> Json:
    members = dict(pairs)
    hold(len(members) == len(pairs), "a member is there twice in one object")
    return members


def refuse_number(text: str) -> NoReturn:
    raise Fault(f"{text[:20]} is no number of a game")


def read_int(text: str) -> int:
    return int(text) if len(text) < 20 else refuse_number(text)


def parse(text: bytes) -> Any:
    try:
        return json.loads(
            text.decode(),
            object_pairs_hook=refuse_twins,
            parse_int=read_int,
            parse_float=refuse_number,
            parse_constant=refuse_number,
        )
    except (ValueError, RecursionError) as fault:
        raise Fault(f"it is no JSON, or nested too deeply: {type(fault).__name__}") from None


def read_lines(path: str) -> tuple[Json | None, list[bytes]]:
    """The header, if there is one, and every commit as it was written."""
    with open(path, "rb") as file:
        text = file.read(LARGEST_FILE + 1)
    hold(len(text) <= LARGEST_FILE, "it is larger than any game")
    lines = [line for line in text.split(b"\n") if line.strip()]
    hold(lines, "it holds no commits")
    hold(len(lines) <= MOST_COMMITS + 1, "it holds more commits than any game")
    hold(max(map(len, lines)) <= LARGEST_LINE, "a line is longer than any commit")
    first = parse(lines[0])
    if isinstance(first, dict) and isinstance(first.get("format"), str):
        return first, lines[1:]
    if isinstance(first, list) or (isinstance(first, dict) and "commits" in first):
        return None, [dump(commit) for commit in collect(map(parse, lines))]
    return None, lines


def collect(pages: Iterable[Any]) -> list[Any]:
    """The commits of pages, and never more than a game has; what is no page counts as a commit."""
    found = list[Any]()
    for page in pages:
        listed = page.get("commits") if isinstance(page, dict) else page
        found += listed if isinstance(listed, list) else [page]
        hold(len(found) <= MOST_COMMITS, "it holds more commits than any game")
    return found


def dump(thing: Any) -> bytes:
    """As hashes have it: keys sorted, no white space, UTF-8."""
    try:
        return json.dumps(thing, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    except (RecursionError, UnicodeEncodeError) as fault:
        raise Fault(f"nobody can write this: {type(fault).__name__}") from None


def say(text: str) -> str:
    """On one line, shortened, without what a terminal obeys."""
    short = text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "..."
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in short)


# ---------------------------------------------------------------- the chain


def is_secret(thing: Json) -> bool:
    return "hidden" in thing and "type" not in thing


def public(thing: Any) -> Any:
    """The form that hashes cover: what was hidden stays hidden."""
    if isinstance(thing, dict):
        if is_secret(thing):
            return {"hidden": thing["hidden"]}
        return {name: public(part) for name, part in thing.items()}
    return [public(part) for part in thing] if isinstance(thing, list) else thing


def secrets_in(thing: Any) -> Iterator[Json]:
    if isinstance(thing, dict) and is_secret(thing):
        yield thing
    elif isinstance(thing, (dict, list)):
        for part in thing.values() if isinstance(thing, dict) else thing:
            yield from secrets_in(part)


def seal_of(salt: object, value: object) -> str:
    grains = bytes.fromhex(salt) if isinstance(salt, str) and re.fullmatch("[0-9a-f]{32}", salt) else b""
    hold(len(grains) == 16, "a salt is none")
    return sha256(grains + dump(value)).hexdigest()


def check_link(commit: Any, version: int, head: str, before: str) -> None:
    hold(isinstance(commit, dict), "it is no commit")
    hold(commit.keys() >= COMMIT, "a member is missing")
    # A commit of this format does not name it.
    others = commit.keys() - COMMIT - {"bot"}
    hold(not others, f"it has a member that no commit has: {min(others, default='')}")
    hold(is_number(commit["version"]) and commit["version"] == version, f"it should be version {version}")
    hold(commit["prev"] == head, "it does not follow the commit before it")
    body = {name: part for name, part in commit.items() if name != "hash"}
    hold(commit["hash"] == sha256(dump(public(body))).hexdigest(), "its hash does not match its content")
    for secret in secrets_in(commit):
        opened = secret.keys() - {"hidden"}
        hold(opened <= {"value", "salt", "audience"}, "a secret has members that no hash covers")
        hold(
            not opened or seal_of(secret.get("salt"), secret.get("value")) == secret["hidden"],
            "an opened secret does not match its commitment",
        )
    hold(
        isinstance(commit["at"], str) and TIME.fullmatch(commit["at"]) and is_day(commit["at"]),
        "its time is none",
    )
    hold(commit["at"] >= before, "it was made before the commit that it follows")
    hold(
        isinstance(commit["by"], str) and isinstance(commit["rules"], str),
        "it does not say by whom or by which rules",
    )
    hold(
        isinstance(commit["command"], dict) and isinstance(commit["events"], list),
        "it has no command or no events",
    )
    hold(all(isinstance(event, dict) for event in commit["events"]), "an event is none")
    if "bot" in commit:
        check_bot(commit["bot"])


def is_number(thing: object) -> bool:
    return isinstance(thing, int) and not isinstance(thing, bool)


def is_day(moment: str) -> bool:
    year = int(moment[:4])
    month = int(moment[5:7])
    day = int(moment[8:10])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return day <= (29 if leap else 28) if month == 2 else day <= (30 if month in (4, 6, 9, 11) else 31)


def moment(at: str) -> datetime:
    return datetime.strptime(f"{at[:-1]}+0000", "%Y-%m-%dT%H:%M:%S.%f%z")


def check_bot(note: Any) -> None:
    why = "it says of its bot what nobody says of one"
    hold(isinstance(note, dict) and note.keys() >= BOT | {"budget"}, why)
    hold(note.keys() <= BOT | {"budget", "instead_of", "fault"}, why)
    words = [part for name, part in note.items() if name != "budget"]
    hold(all(isinstance(word, str) and word for word in words), why)
    hold(is_number(note["budget"]) and note["budget"] >= 0, why)
    hold(("instead_of" in note) == ("fault" in note) and note["name"] != note.get("instead_of"), why)


# ---------------------------------------------------------------- chance


class Chance:
    """Bytes from a seed, the game's id (or the word of a sandbox) and what each seat brought along."""

    def __init__(self, seed: str, game: str, entropy: Sequence[str]) -> None:
        mixed = sha256(b"".join(sha256(text.encode()).digest() for text in entropy)).hexdigest()
        self.seed = bytes.fromhex(seed)
        self.prefix = f"{game}|{mixed}|"

    def block(self, purpose: str, number: int, count: int) -> bytes:
        return hmac(self.seed, f"{self.prefix}{purpose}|{number}|{count}".encode(), "sha256").digest()

    def stream(self, purpose: str, number: int) -> Iterator[int]:
        count = 0
        while True:
            yield from self.block(purpose, number, count)
            count += 1

    def dice(self, number: int, count: int) -> list[int]:
        usable = (byte % 6 + 1 for byte in self.stream("dice", number) if byte < 252)
        return [next(usable) for _ in range(count)]

    def draw(self, number: int) -> Callable[[int], int]:
        stream = self.stream("draw", number)

        def below(bound: int) -> int:
            span = 256 if bound <= 256 else 65_536
            while True:
                value = next(stream) if span == 256 else next(stream) * 256 + next(stream)
                if value < span - span % bound:
                    return value % bound

        return below

    def salt(self, number: int) -> str:
        return self.block("salt", number, 0)[:16].hex()


# ---------------------------------------------------------------- the books

CASINOS = (1, 2, 3, 4, 5, 6)
COLOURS = ("gold", "pink", "blue", "green", "red")
SETS = (0, 10_000, 30_000, 60_000, 100_000, 150_000)
CHIP = 10_000
DECK = [card for number in CASINOS for card in (*[str(number)] * 4, f"{number}d")]
HAND = 5
ENOUGH_CARDS = 8
MOST_TURNS = 6
BANK_NOTES = 54
TILES = tuple(f"{letter}{side}" for letter in "ABCDEFGH" for side in (1, 2))
ANYWHERE = {"start_seat": None, "hide_money": False, "turn_seconds": 0}
LATER = {"on_timeout": "random", "total_seconds": 0, "increment_seconds": 0, "advice": True}
DAY = 86_400
MOST = {"tiles": 6, "turn_seconds": DAY, "total_seconds": 30 * DAY, "increment_seconds": DAY}
POLICY = re.compile("(takeover:)?([a-z][a-z0-9_-]{0,31})", re.ASCII)
LENT = "black-"
SEALED = ("cards.select", "A1.hide", "G1.part")
SANDBOX = "sandbox"


def notes(counts: Mapping[int, int]) -> list[int]:
    return [thousands * 1_000 for thousands, count in counts.items() for _ in range(count)]


class Book:
    """An edition as its rulebook has it. `neutral` are white dice for each seat, by the number of players."""

    def __init__(self, **told: Any) -> None:
        self.seats: tuple[int, int] = told["seats"]
        self.rounds: int = told["rounds"]
        self.notes: list[int] = told["notes"]
        self.small, self.big = told.get("dice", (0, 0))
        self.options: Json = {**told["options"], **ANYWHERE}
        self.leftovers: str = told["leftovers"]
        self.starter: str = told["starter"]
        self.neutral: Mapping[int, int] = told.get("neutral", {})


BOOKS = {
    "classic": Book(
        seats=(2, 5),
        rounds=4,
        dice=(8, 0),
        leftovers="under",
        starter="left",
        neutral={2: 4, 3: 2, 4: 2},
        notes=notes({10: 6, 20: 8, 30: 8, 40: 6, 50: 6, 60: 5, 70: 5, 80: 5, 90: 5}),
        options={"neutral_dice": False, "chip_cards": False},
    ),
    "modern": Book(
        seats=(2, 6),
        rounds=3,
        dice=(6, 1),
        leftovers="box",
        starter="last",
        neutral={2: 3, 3: 2, 4: 1},
        notes=notes({10: 4, 20: 4, 30: 5, 40: 5, 50: 6, 60: 6, 70: 6, 80: 4, 90: 4, 100: 4}),
        options={"neutral_dice": False, "bandit": False},
    ),
    "royale": Book(
        seats=(2, 5),
        rounds=3,
        dice=(7, 1),
        leftovers="under",
        starter="winner",
        notes=notes({30: 11, 40: 11, 50: 13, 60: 15, 70: 13, 80: 11, 90: 9, 100: 7}),
        options={"tiles": 3, "fresh_tiles": False, "tile_codes": []},
    ),
    "cards": Book(
        seats=(2, 5),
        rounds=4,
        leftovers="box",
        starter="left",
        notes=notes(dict.fromkeys(range(30, 101, 10), 6)),
        options={"sequential": False, "chip_cards": False},
    ),
}
RELEASES = {"classic": ("1", "2"), "modern": ("1",), "royale": ("1", "2"), "cards": ("1",)}


def without(default: Json, **members: Any) -> Json:
    """An object as the log writes it: what is as it mostly is is left out."""
    return {name: part for name, part in members.items() if name not in default or part != default[name]}


# ---------------------------------------------------------------- the seats

SEAT: Json = dict.fromkeys(("name", "bot")) | dict.fromkeys(("entropy", "player", "name_commitment"), "")
SEAT |= {"seconds": 0, "fallback": ""}
VISIBLE = ("public", "unlisted", "private")
COMMANDS: dict[str, tuple[set[str], Json]] = {
    "create": (
        {"game", "edition", "seats", "commitment"},
        {"options": {}, "rematch_of": "", "visibility": "public", "sandbox": False},
    ),
    "sit": ({"seat", "name"}, {"entropy": "", "player": "", "name_commitment": ""}),
    "choose": ({"ask", "seat", "choice"}, {"bot": "", "why": ""}),
    "leave": ({"seat"}, {"bot": "", "for_good": False}),
    "return": ({"seat"}, {}),
    "start": ({"seat", "bot"}, {}),
    "cancel": ({"seat"}, {}),
    "void": ({"seat"}, {"agrees": True}),
    "rematch": ({"seat", "game"}, {}),
    "close": ({"reason"}, {}),
    "fork": ({"game", "origin", "seats", "commitment"}, {"visibility": "public", "same_dice": False}),
}


def is_like(part: object, default: object) -> bool:
    """Of the same kind as what stands there mostly; what stands there mostly is never written."""
    kind = type("" if default is None else default)
    return type(part) is kind and part != default


def check_shape(thing: Any, needed: set[str], usual: Json) -> None:
    hold(isinstance(thing, dict) and thing.keys() >= needed, "something is missing in its command")
    more = thing.keys() - needed - {"type"}
    hold(
        all(name in usual and is_like(thing[name], usual[name]) for name in more),
        "its command has what none has",
    )
    hold(
        all(is_number(thing[name]) for name in ("seat", "ask") if name in thing),
        "its command names no number",
    )
    words = needed - {"seat", "ask", "choice", "seats", "origin"}
    hold(all(isinstance(thing[name], str) for name in words), "its command names no text")
    hold(thing.get("visibility", "public") in VISIBLE, "nobody can tell who sees it")


def check_plans(plans: Any) -> None:
    """Of a program from elsewhere its seconds and who answers when they are over are told."""
    hold(isinstance(plans, list), "it has no seats")
    for plan in plans:
        check_shape(plan, set(), SEAT)
        remote = ("seconds" in plan, "fallback" in plan)
        hold(remote in ((True, True), (False, False)), "a seat of it has a deadline or a fallback alone")
        hold(0 <= plan.get("seconds", 0) <= DAY, "a seat of it has a deadline that none has")


class Seat:
    """Who sits there: a person, a bot, or nobody yet; `away` is the bot that answers meanwhile."""

    def __init__(self, plan: Json, sat: int = 0) -> None:
        self.name = plan.get("name") or plan.get("bot") or plan.get("player") or None
        self.bot = plan.get("bot") or ""
        self.player = plan.get("player", "")
        self.entropy = plan.get("entropy", "")
        self.seconds = plan.get("seconds", 0)
        self.fallback = plan.get("fallback", "")
        self.away = ""
        self.sat = sat

    @property
    def is_person(self) -> bool:
        return self.name is not None and not self.bot

    @property
    def is_there(self) -> bool:
        """A person who answers for themselves."""
        return self.is_person and not self.away


def check_ranges(options: Json) -> None:
    numbers = {name: most for name, most in MOST.items() if name in options}
    fits = all(is_number(options[name]) and 0 <= options[name] <= most for name, most in numbers.items())
    hold(fits, "an option is no number, or out of its range")
    increment = options.get("increment_seconds")
    hold(not increment or options["total_seconds"], "increment_seconds is nothing without total_seconds")
    policy = options.get("on_timeout", "random")
    hold(isinstance(policy, str) and POLICY.fullmatch(policy), "on_timeout names no bot")
    codes = options.get("tile_codes", [])
    hold(isinstance(codes, list) and all(code in TILES for code in codes), "tile_codes names no tiles")
    hold(len({code[0] for code in codes}) == len(codes), "a tile lies out twice")
    hold(not codes or options["tiles"] == len(codes), "so many tiles are not named")


# ---------------------------------------------------------------- the table


class Table:
    """The game, played again. Each command adds to `events` what must stand in the log."""

    def __init__(self, command: Json, rules: str) -> None:
        check_shape(command, *COMMANDS["create"])
        check_plans(command["seats"])
        hold(command["edition"] in BOOKS, "this verifier does not know the edition")
        self.edition = command["edition"]
        self.rules = rules
        self.book = BOOKS[command["edition"]]
        hold(
            rules in RELEASES[self.edition],
            f"this verifier does not know release {say(rules)} of {self.edition}",
        )
        self.game = command["game"]
        self.sandbox = command.get("sandbox", False)
        self.dice_name = SANDBOX if self.sandbox else self.game
        self.commitment = command["commitment"]
        self.seats = [Seat(plan) for plan in command["seats"]]
        least, most = self.book.seats
        hold(least <= len(self.seats) <= most, "so many cannot play")
        players = [seat.player for seat in self.seats if seat.player]
        hold(len(players) == len(set(players)), "a player sits twice")
        self.events: list[Json] = []
        self.told: list[Json] = []
        self.agenda: list[Json] = []
        self.status = "lobby"
        self.seed = ""
        self.closed = ""
        self.rematch = ""
        self.asked = self.drawn = self.round = self.arrivals = 0
        self.void: set[int] = set()
        self.options: Json = {}

    def create(self, command: Json) -> None:
        told_options = self.told[0].get("options") if self.told else None
        self.options = self.complete(command.get("options", {}), told_options)
        told = {
            name: command[name]
            for name in ("game", "edition", "seats", "commitment", "rematch_of", "visibility", "sandbox")
            if name in command
        }
        self.emit("game_created", options=self.options, rules=self.rules, **told)
        self.start_if_full()

    def complete(self, asked: Any, told: Any) -> Json:
        """What the creator asked for, the rest as it mostly is. Old games lack options that came later."""
        hold(isinstance(asked, dict) and isinstance(told, dict), "it has no options")
        usual = {**self.book.options, **{name: part for name, part in LATER.items() if name in told}}
        hold(asked.keys() <= usual.keys(), "this verifier does not know an option of it")
        options = {**usual, **asked}
        if options.get("tile_codes") and options["tiles"] == self.book.options["tiles"]:
            options["tiles"] = len(options["tile_codes"])
        players = len(self.seats)
        flags = [name for name, part in usual.items() if isinstance(part, bool)]
        hold(all(isinstance(options[name], bool) for name in flags), "an option is neither true nor false")
        hold(not options.get("neutral_dice") or players <= 4, "so many do not play with neutral dice")
        hold(not options.get("bandit") or players >= 5, "so few do not play with the bandit")
        needs = self.edition == "cards" and options["chip_cards"]
        hold(not needs or options["sequential"], "chip cards are for playing one after the other")
        start = options["start_seat"]
        hold(start is None or (is_number(start) and 0 <= start < players), "nobody sits where it starts")
        check_ranges(options)
        return options

    def check_command(self, command: Json) -> None:
        kind = command.get("type")
        hold(isinstance(kind, str) and kind in COMMANDS, "its command is unknown")
        check_shape(command, *COMMANDS[str(kind)])
        hold(0 <= command.get("seat", 0) < len(self.seats), "there is no such seat")

    def play(self, command: Json, told: list[Json], seed: str) -> list[Json]:
        """The events that the command causes; `told` are those of the log."""
        self.check_command(command)
        self.events = []
        self.told = told
        self.seed = seed
        if command["type"] == "create":
            self.create(command)
        else:
            hold(command["type"] == "rematch" or self.status != "over", "the game was over")
            getattr(self, f"on_{command['type']}")(command)
        return self.events

    # By whom

    @property
    def is_recent(self) -> bool:
        """Since there is `on_timeout` the log says why a bot answers and which it was."""
        return "on_timeout" in self.options

    @property
    def ask_id(self) -> int:
        """What is asked now, 0 where nothing is."""
        return int(self.agenda[-1].get("id", 0)) if self.agenda else 0

    def policy(self, seat: Seat) -> tuple[str, bool]:
        """Which bot answers when the time of a seat is over, and whether it goes on."""
        found = POLICY.fullmatch(str(self.options.get("on_timeout", "random")))
        assert found
        return (seat.fallback, False) if seat.fallback else (found[2], bool(found[1]))

    def check_author(self, commit: Json) -> None:
        """At this table, before it is played."""
        command = commit["command"]
        by = commit["by"]
        if command["type"] == "choose":
            self.check_answerer(commit, command, self.seats[command["seat"]])
            return
        hold("bot" not in commit, "it has a note of a bot where none answers")
        usual = {"create": "creator", "fork": "creator", "close": "clock"}
        expected = usual.get(command["type"]) or f"seat-{command.get('seat')}"
        hold(by == expected, f"it is made by {expected}, not by {say(by)}")

    def check_answerer(self, commit: Json, command: Json, seat: Seat) -> None:
        by = commit["by"]
        bot = command.get("bot", "")
        why = command.get("why", "")
        own = f"seat-{command['seat']}"
        hold(bool(bot) == bool(why), "a bot answers there without saying why, or nobody does")
        # Games from before the log said why have answers of the clock that are like others.
        unnamed = by == "clock" and not why and seat.is_there and not self.is_recent
        expected = {"": "clock" if unnamed else own, "timeout": "clock", "away": f"bot:{bot}"}.get(why)
        hold(by == expected, f"such an answer is not by {say(by)}")
        hold(by != "clock" or seat.is_there, "the clock answers there for a bot")
        level = bot or seat.bot
        note = commit.get("bot")
        if note is None:
            hold(not level or not self.is_recent, "the note of the bot that answers is missing")
        else:
            hold(level == note.get("instead_of", note["name"]), "its note is of another bot")

    @property
    def chance(self) -> Chance:
        return Chance(self.seed, self.dice_name, [seat.entropy for seat in self.seats])

    @property
    def players(self) -> int:
        return len(self.seats)

    def emit(self, kind: str, **members: Any) -> None:
        self.events.append({"type": kind, **members})

    # Who comes and goes

    def person(self, number: int) -> Seat:
        hold(self.seats[number].is_person, "no person sits there")
        return self.seats[number]

    def people(self) -> set[int]:
        return {number for number, seat in enumerate(self.seats) if seat.is_person}

    def hold_host(self, number: int) -> None:
        host = min(self.people(), key=lambda one: (self.seats[one].sat, one), default=-1)
        hold(self.status == "lobby" and host == number, "only the host may do that, before the start")

    def on_sit(self, command: Json) -> None:
        number = command["seat"]
        hold(self.status == "lobby" and 0 <= number < self.players, "nobody can sit down there")
        hold(self.seats[number].name is None, "the seat is taken")
        player = command.get("player", "")
        hold(
            not player or player not in {seat.player for seat in self.seats}, "the player sits there already"
        )
        self.arrivals += 1
        self.seats[number] = Seat(command, self.arrivals)
        self.emit("seat_taken", **{name: part for name, part in command.items() if name != "type"})
        self.start_if_full()

    def on_start(self, command: Json) -> None:
        self.hold_host(command["seat"])
        bot = command["bot"]
        hold(bot, "it names no bot")
        for number, seat in enumerate(self.seats):
            if seat.name is None:
                self.arrivals += 1
                self.seats[number] = Seat({"bot": bot}, self.arrivals)
                self.emit("seat_taken", seat=number, name=bot, bot=bot)
        self.start_if_full()

    def on_leave(self, command: Json) -> None:
        number = command["seat"]
        bot = command.get("bot", "")
        for_good = command.get("for_good", False)
        seat = self.person(number)
        usual = self.options.get("on_timeout", "random") == "random"
        named = "greedy" if usual else self.policy(Seat({}))[0]
        hold(bot == ("" if self.status == "lobby" else named), "this bot does not answer for who leaves")
        if self.status == "lobby":
            self.seats[number] = Seat({})
            self.emit("seat_left", seat=number)
            return
        hold(for_good or not seat.away, "a bot answers there already")
        self.emit(
            "seat_left", **without({"bot": "", "for_good": False}, seat=number, bot=bot, for_good=for_good)
        )
        if for_good:
            self.seats[number] = Seat({"bot": bot, "entropy": seat.entropy}, seat.sat)
            self.void.discard(number)
        else:
            seat.away = bot
        self.end_if_agreed()

    def on_return(self, command: Json) -> None:
        hold(self.person(command["seat"]).away, "nobody answers there")
        self.come_back(command["seat"])

    def come_back(self, number: int) -> None:
        self.seats[number].away = ""
        self.emit("seat_returned", seat=number)

    def on_cancel(self, command: Json) -> None:
        self.hold_host(command["seat"])
        self.close("cancelled")

    def on_close(self, command: Json) -> None:
        """By the clock alone: a table that never filled, or one that waits for somebody who is there."""
        reason = command["reason"]
        if self.status == "lobby":
            hold(reason == "not_filled", "no game is closed for this before it has started")
        else:
            hold(reason == "abandoned", "no game is closed for this while it is played")
            hold(any(self.seats[number].is_there for number in self.waiting()), "it waits for no person")
        self.close(reason)

    def on_void(self, command: Json) -> None:
        number = command["seat"]
        agrees = command.get("agrees", True)
        self.person(number)
        hold(
            self.status == "playing" and (number in self.void) != agrees, "that was said before, or too early"
        )
        (self.void.add if agrees else self.void.discard)(number)
        self.emit("void_voted", seat=number, agrees=agrees)
        self.end_if_agreed()

    def end_if_agreed(self) -> None:
        if self.people() and self.people() == self.void:
            self.close("voided")

    def close(self, reason: str) -> None:
        self.status = "over"
        self.closed = reason
        self.agenda = []
        self.emit("game_closed", reason=reason, seed=self.seed)

    def on_rematch(self, command: Json) -> None:
        self.person(command["seat"])
        hold(self.status == "over" and self.round and not self.rematch, "there is nothing to repeat")
        self.rematch = command["game"]
        self.emit("rematch_made", game=self.rematch)

    def on_fork(self, command: Json) -> None:
        """From here on others play it, under another id, and with another seed or with the same dice."""
        plans = command["seats"]
        same_dice = command.get("same_dice", False)
        hold(self.status == "playing", "the game was not being played then")
        hold(isinstance(plans, list) and len(plans) == self.players, "so many do not sit at this table")
        check_plans(plans)
        told = {name: part for name, part in command.items() if name != "type"}
        self.emit("game_forked", seed=self.seed, **told)
        entropy = [seat.entropy for seat in self.seats]
        self.game = command["game"]
        self.void = set()
        self.arrivals = 0
        self.seats = [Seat(plan) for plan in plans]
        if same_dice:
            hold(command["commitment"] == self.commitment, "it has the same dice, and promises another seed")
            hold(not any(seat.entropy for seat in self.seats), "it has the same dice, and other entropy")
            for seat, brought in zip(self.seats, entropy, strict=True):
                seat.entropy = brought
        else:
            self.dice_name = SANDBOX if self.sandbox else self.game
        self.commitment = command["commitment"]
        hold(all(seat.name is not None for seat in self.seats), "a seat is open")
        players = [seat.player for seat in self.seats if seat.player]
        hold(len(players) == len(set(players)), "a player sits twice")

    # Laying the table

    def start_if_full(self) -> None:
        if any(seat.name is None for seat in self.seats):
            return
        self.status = "playing"
        self.pile = list(self.book.notes)
        self.under = list[int]()
        self.purses: list[list[int]] = [[] for _ in self.seats]
        self.chips = [0] * self.players
        cards = [colour for colour in COLOURS for _ in range(5)] if self.options.get("chip_cards") else []
        self.cards: dict[str, list[str]] = {"pile": cards}
        usual: Json = {"dice": [], "decks": [], "chip_cards": []}
        decks = [list(DECK) for _ in self.seats] if self.edition == "cards" else []
        told = {"dice": self.outfit(), "decks": decks, "chip_cards": list(cards)}
        self.emit("game_started", **without(usual, notes=list(self.book.notes), **told))
        self.start_round(self.options["start_seat"])
        self.go_on()

    def outfit(self) -> list[Json]:
        book = self.book
        white = self.white_dice()
        own = [lot(f"supply-{seat}", f"seat-{seat}", book.small, book.big) for seat in range(self.players)]
        return [*own, lot("box", "neutral", *white)] if any(white) else own if book.small else []

    def white_dice(self) -> tuple[int, int]:
        if self.edition == "royale":
            return (self.book.small, self.book.big) if self.players == 2 else (0, 0)
        if not self.options.get("neutral_dice"):
            return 0, 0
        return (8, 0) if self.edition == "classic" else (self.players * self.book.neutral[self.players], 0)

    def announce_round(self, starter: int | None) -> None:
        self.round += 1
        members: Json = {}
        if starter is None:
            starter = self.chance.draw(self.drawn)(self.players)
            members = {"chance": self.count()}
        self.starter = starter
        self.last = -1
        self.emit("round_started", round=self.round, starter=starter, **members)

    def start_round(self, starter: int | None) -> None:
        self.announce_round(starter)
        self.stock: dict[str, list[int]] = {}
        self.heaps: dict[str, dict[str, list[int]]] = {f"casino-{number}": {} for number in CASINOS}
        self.stacks: dict[int, tuple[int, int]] = {}
        self.supply = [[self.book.small, self.book.big, 0] for _ in self.seats]
        self.roll: Json = {}
        self.start_token: int | None = None
        self.lay_notes()
        if self.options.get("chip_cards"):
            self.lay_chip_cards()
        if self.edition == "cards":
            self.deal_hands()
        else:
            self.lay_white_dice()
        self.agenda.append(step("card_turns" if self.edition == "cards" else "turns"))

    def count(self) -> int:
        """The running number of what was just drawn."""
        self.drawn += 1
        return self.drawn - 1

    def lay_notes(self) -> None:
        if self.edition == "royale":
            self.lay_ranked_pairs()
            if self.options["tiles"] and self.round == 1:
                self.turn_over("bank", count=BANK_NOTES)
            for seat in range(self.players):
                self.chips[seat] += 2
                self.emit("chips_moved", source="bank", target=f"purse-{seat}", chips=2)
            return
        for number in CASINOS:
            if self.edition == "classic":
                self.turn_over(f"casino-{number}", worth=50_000)
            else:
                self.turn_over(f"casino-{number}", count=2)
        if self.options.get("bandit"):
            self.turn_over("bandit", count=2)

    def turn_over(self, place: str, worth: int = 0, count: int = 0) -> None:
        """From the pile, and when it is gone what lies under it, in its order."""
        below = self.chance.draw(self.drawn)
        drawn = list[int]()
        while self.pile and (sum(drawn) < worth or len(drawn) < count):
            drawn.append(self.pile.pop(below(len(self.pile))))
        if drawn:
            self.emit("notes_moved", source="pile", target=place, notes=list(drawn), chance=self.count())
        while self.under and (sum(drawn) < worth or len(drawn) < count):
            drawn.append(self.under.pop(0))
            self.emit("notes_moved", source="under", target=place, notes=drawn[-1:])
        self.stock[place] = drawn

    def lay_ranked_pairs(self) -> None:
        """The richer the pair, the higher the casino; of equals, the one with the dearer card."""
        below = self.chance.draw(self.drawn)
        pairs = [
            [self.pile.pop(below(len(self.pile))), self.pile.pop(below(len(self.pile)))] for _ in CASINOS
        ]
        pairs.sort(key=lambda pair: (sum(pair), max(pair)), reverse=True)
        number = self.count()
        for casino, pair in zip(reversed(CASINOS), pairs, strict=False):
            self.stock[f"casino-{casino}"] = pair
            self.emit("notes_moved", source="pile", target=f"casino-{casino}", notes=pair, chance=number)

    def lay_chip_cards(self) -> None:
        for number in CASINOS:
            pile = self.cards["pile"]
            card = pile[self.chance.draw(self.drawn)(len(pile))]
            self.move_card("pile", f"casino-{number}", card, chance=self.count())

    def move_card(self, source: str, target: str, card: str, **more: int) -> None:
        self.cards[source].remove(card)
        self.cards.setdefault(target, []).append(card)
        self.emit("chip_cards_moved", source=source, target=target, cards=[card], **more)

    def lay_white_dice(self) -> None:
        """Each seat gets its own share of them; what is left in the box is rolled and placed."""
        small, big = self.white_dice()
        if self.options.get("neutral_dice"):
            each = self.book.neutral[self.players]
            for seat in range(self.players):
                self.supply[seat][2] = each
                self.emit("dice_moved", owner="neutral", source="box", target=f"supply-{seat}", small=each)
            small -= each * self.players
        if not small + big:
            return
        faces = self.chance.dice(self.drawn, small + big)
        shown = sorted(faces[:small])
        large = faces[small:]
        self.emit("dice_rolled", chance=self.count(), neutral=shown, **({"big": large[0]} if large else {}))
        for face in CASINOS:
            if face in faces:
                lying = [shown.count(face), large.count(face)]
                self.heaps[f"casino-{face}"]["neutral"] = lying
                told = without({"small": 0, "big": 0}, small=lying[0], big=lying[1])
                self.emit("dice_moved", owner="neutral", source="box", target=f"casino-{face}", **told)

    # Turns

    def go_on(self) -> None:
        """Until somebody has to answer, or the game is over."""
        while self.agenda and self.agenda[-1]["kind"] == "step":
            work = self.agenda.pop()
            {
                "turns": self.next_turn,
                "card_turns": self.next_card_turn,
                "card_turns.draw": self.draw_after_turn,
                "chip_cards.offer": self.offer_chip_card,
            }[str(work["name"])](work)
        self.emit("agenda_changed", agenda=[dict(item) for item in self.agenda])

    def ask(self, prompt: str, seats: list[int], options: Sequence[str] = (), **more: Any) -> None:
        self.asked += 1
        usual: Json = {"options": []}
        self.agenda.append(
            {
                "kind": "ask",
                "id": self.asked,
                "prompt": prompt,
                "seats": seats,
                **without(usual, options=list(options)),
                **more,
            }
        )

    def waiting(self) -> list[int]:
        """Who is asked and has not answered."""
        ask: Json = self.agenda[-1] if self.ask_id else {"seats": []}
        answered = [one["seat"] for one in ask.get("answers", [])]
        return [seat for seat in ask["seats"] if seat not in answered]

    def hear(self, command: Json) -> tuple[Json, str]:
        """The ask, and the answer to it, once it is sure that it may be given."""
        number = command["seat"]
        choice = command["choice"]
        hold(self.ask_id and self.ask_id == command["ask"], "nothing was asked under that number then")
        hold(number in self.waiting(), "another seat was asked")
        ask = self.agenda[-1]
        value = choice.get("value") if isinstance(choice, dict) else choice
        hold(isinstance(value, str), "its answer is covered, or none")
        hold(
            value in (ask.get("options") or self.selections(number)),
            f"{say(str(value))} was not among the options",
        )
        sealed = ask["prompt"] in SEALED
        hold(isinstance(choice, dict) == sealed, "its answer is sealed where none is, or open where all are")
        self.note_attendance(command)
        return ask, str(value)

    def on_choose(self, command: Json) -> None:
        ask, value = self.hear(command)
        number = command["seat"]
        prompt = ask["prompt"]
        if prompt in SEALED:
            self.select_cards(ask, number, value, command)
            return
        self.agenda.pop()
        verb, _, rest = value.partition("-")
        {"turn.place": self.place, "chip_cards.take": self.take_chip_card, "cards.lay": self.lay_cards}[
            prompt
        ](ask, number, verb, rest)
        self.go_on()

    def note_attendance(self, command: Json) -> None:
        """Whoever answers is there; a bot answers for those who are away, or out of time."""
        seat = self.seats[command["seat"]]
        bot = command.get("bot", "")
        why = command.get("why", "")
        if not bot:
            if seat.away:
                self.come_back(command["seat"])
            return
        if why == "away":
            hold(bot == seat.away, "this bot does not answer there")
            return
        named, goes_on = self.policy(seat)
        hold(not seat.away and bot == named, "this bot does not answer there")
        if goes_on:
            seat.away = named
            self.emit("seat_left", seat=command["seat"], bot=named)

    def next_turn(self, work: Json) -> None:
        order = [(self.starter if self.last < 0 else self.last + 1) + step for step in range(self.players)]
        seat = next((one % self.players for one in order if any(self.supply[one % self.players])), None)
        if seat is None:
            self.pay_out()
            return
        self.agenda.append(step("turns"))
        small, big, white = self.supply[seat]
        faces = self.chance.dice(self.drawn, small + big + white)
        self.last = seat
        own = sorted(faces[:small])
        large = faces[small : small + big]
        others = sorted(faces[small + big :])
        self.roll = {"own": own, "big": large[0] if large else None, "neutral": others}
        usual: Json = {"own": [], "big": None, "neutral": []}
        self.emit("dice_rolled", chance=self.count(), seat=seat, **without(usual, **self.roll))
        shown = sorted({*faces})
        options = [f"place-{face}" for face in shown]
        if self.options.get("bandit"):
            options += [f"bandit-{face}" for face in shown if face not in self.stacks]
        self.ask("turn.place", [seat], [*options, *(["pass"] if self.chips[seat] else [])])

    def place(self, ask: Json, seat: int, verb: str, rest: str) -> None:
        if verb == "pass":
            self.chips[seat] -= 1
            self.emit("chips_moved", source=f"purse-{seat}", target="bank", chips=1)
            return
        number = int(rest)
        roll = self.roll
        small = roll["own"].count(number)
        big = int(roll["big"] == number)
        white = roll["neutral"].count(number)
        target = f"bandit-{number}" if verb == "bandit" else f"casino-{number}"
        told = without({"small": 0, "big": 0, "neutral": 0}, small=small, big=big, neutral=white)
        self.emit("dice_placed", seat=seat, number=number, target=target, **told)
        self.supply[seat] = [
            have - gone for have, gone in zip(self.supply[seat], (small, big, white), strict=False)
        ]
        if verb == "bandit":
            self.stacks[number] = (seat, small + 2 * big)
            return
        self.lay(target, f"seat-{seat}", small, big)
        self.lay(target, "neutral", white, 0)
        counted = small + 2 * big + (white if self.rules != "1" else 0)
        if counted >= 2:
            self.offer_chip_cards(seat, [number])

    def lay(self, place: str, owner: str, small: int, big: int) -> None:
        if small or big:
            lying = self.heaps[place].setdefault(owner, [0, 0])
            lying[0] += small
            lying[1] += big

    def offer_chip_cards(self, seat: int, numbers: Sequence[int]) -> None:
        """One at each of these casinos, at the lower one first."""
        for number in sorted(numbers, reverse=True):
            if self.cards.get(f"casino-{number}"):
                self.agenda.append(step("chip_cards.offer", seat=seat, number=number))

    def offer_chip_card(self, work: Json) -> None:
        there = self.cards[f"casino-{work['number']}"]
        options = [f"take-{colour}" for colour in COLOURS if colour in there]
        self.ask("chip_cards.take", [work["seat"]], [*options, "leave"], number=work["number"])

    def take_chip_card(self, ask: Json, seat: int, verb: str, rest: str) -> None:
        if verb == "take":
            self.move_card(f"casino-{ask['number']}", f"purse-{seat}", rest)

    # Turns of the card game

    def deal_hands(self) -> None:
        self.decks = [Counter(DECK) for _ in self.seats]
        self.hands: dict[int, list[str]] = {}
        self.laid = [0] * self.players
        self.taken = [0] * self.players
        for seat in range(self.players):
            self.draw_hand(seat)

    def draw_hand(self, seat: int) -> None:
        if self.laid[seat] >= ENOUGH_CARDS or self.taken[seat] >= MOST_TURNS:
            return
        left = self.decks[seat]
        hand = list[str]()
        below = self.chance.draw(self.drawn)
        pile = [card for card in dict.fromkeys(DECK) for _ in range(left[card])]
        while len(hand) < HAND:
            hand.append(pile.pop(below(len(pile))))
        self.decks[seat] -= Counter(hand)
        self.hands[seat] = sorted(hand)
        self.emit("cards_dealt", seat=seat, cards=self.seal(sorted(hand), seat), chance=self.count())

    def seal(self, value: Any, seat: int) -> Json:
        salt = self.chance.salt(self.drawn)
        return {"hidden": seal_of(salt, value), "value": value, "salt": salt, "audience": [seat]}

    def selections(self, seat: int) -> list[str]:
        """One card, any two, or several of one number."""
        hand = self.hands.get(seat, []) if self.edition == "cards" else []
        picked = (cards for count in range(1, HAND + 1) for cards in combinations(hand, count))
        return [
            "play-" + "-".join(cards)
            for cards in picked
            if len(cards) < 3 or len({card[0] for card in cards}) == 1
        ]

    def draw_after_turn(self, work: Json) -> None:
        self.draw_hand(work["seat"])

    def next_card_turn(self, work: Json) -> None:
        if not self.hands:
            self.pay_out()
            return
        self.agenda.append(step("card_turns"))
        if not self.options["sequential"]:
            self.emit("turn_started")
            self.ask("cards.select", sorted(self.hands))
            return
        order = [(self.starter if self.last < 0 else self.last + 1) + one for one in range(self.players)]
        self.last = next(one % self.players for one in order if one % self.players in self.hands)
        self.emit("turn_started", seat=self.last)
        self.ask("cards.lay", [self.last])

    def select_cards(self, ask: Json, seat: int, value: str, command: Json) -> None:
        """Sealed until the last one has selected; then all are shown, laid, and drawn anew."""
        sealed = self.keep_sealed(ask, seat, value, command)
        answers = sorted(
            [*ask.get("answers", []), {"seat": seat, "choice": sealed}], key=lambda one: one["seat"]
        )
        if len(answers) < len(ask["seats"]):
            self.agenda[-1] = {**ask, "answers": answers}
            return
        self.agenda.pop()
        for one in answers:
            shown = {name: one["choice"][name] for name in ("hidden", "value", "salt")}
            self.emit("revealed", seat=one["seat"], **shown)
        for one in answers:
            self.lay_down(one["seat"], one["choice"]["value"].split("-")[1:])
        for one in answers:
            self.draw_hand(one["seat"])
        self.go_on()

    def keep_sealed(self, ask: Json, seat: int, value: str, command: Json) -> Json:
        sealed = self.seal(value, seat)
        hold(dump(command["choice"]) == dump(sealed), "its answer is not sealed as the seed has it")
        self.emit("chosen", ask=ask["id"], seat=seat, choice=sealed, chance=self.count())
        return sealed

    def lay_down(self, seat: int, cards: list[str]) -> None:
        rest = sorted((Counter(self.hands.pop(seat)) - Counter(cards)).elements())
        sealed = self.seal(rest, seat)
        self.emit("cards_played", seat=seat, cards=cards, rest=sealed, chance=self.count())
        self.laid[seat] += len(cards)
        self.taken[seat] += 1
        for card in cards:
            double = int(card.endswith("d"))
            self.lay(f"casino-{card[0]}", f"seat-{seat}", 1 - double, double)

    def lay_cards(self, ask: Json, seat: int, verb: str, rest: str) -> None:
        cards = rest.split("-")
        self.lay_down(seat, cards)
        self.agenda.append(step("card_turns.draw", seat=seat))
        brought = Counter[int]()
        for card in cards:
            brought[int(card[0])] += 2 if card.endswith("d") else 1
        self.offer_chip_cards(seat, [number for number, weight in brought.items() if weight >= 2])

    # The payout

    def pay_out(self) -> None:
        weights = {
            place: {owner: small + 2 * big for owner, (small, big) in heap.items()}
            for place, heap in self.heaps.items()
        }
        for place, weighed in weights.items():
            often = Counter(weighed.values())
            tied = [owner for owner, weight in weighed.items() if often[weight] > 1]
            if tied:
                self.emit("dice_returned", place=place, owners=tied)
        for place, weighed in weights.items():
            often = Counter(weighed.values())
            alone = [owner for owner in weighed if often[weighed[owner]] == 1]
            order = sorted(alone, key=lambda owner: -weighed[owner])
            self.hand_out(place, order)
            if self.edition == "royale" and order and order[0] != "neutral":
                self.start_token = int(order[0][len("seat-") :])
                self.emit("token_moved", token="start", target=f"supply-{self.start_token}")
        if "bandit" in self.stock:
            self.hand_out("bandit", self.rank_at_bandit())
        self.end_round()

    def rank_at_bandit(self) -> list[str]:
        """Dice, then pips, then the highest number; no two are ever level."""
        merits: dict[int, tuple[int, int, int]] = {}
        for number, (seat, weight) in sorted(self.stacks.items()):
            dice, pips, _ = merits.get(seat, (0, 0, 0))
            merits[seat] = (dice + weight, pips + number * weight, number)
        return [f"seat-{seat}" for seat in sorted(merits, key=lambda seat: merits[seat], reverse=True)]

    def hand_out(self, place: str, order: Sequence[str]) -> None:
        """The richest note to the first; what an imaginary player wins goes the way of what is left."""
        falling = sorted(self.stock[place], reverse=True)
        for owner, note in zip(order, falling, strict=False):
            if not owner.startswith("seat-"):
                self.leave_over(place, [note], winner=owner)
            else:
                seat = int(owner[len("seat-") :])
                self.purses[seat].append(note)
                self.emit("notes_moved", source=place, target=f"purse-{seat}", notes=[note])
        if falling[len(order) :]:
            self.leave_over(place, falling[len(order) :])

    def leave_over(self, place: str, left: list[int], **more: str) -> None:
        if self.book.leftovers == "under":
            self.under += left
        self.emit("notes_moved", source=place, target=self.book.leftovers, notes=left, **more)

    def end_round(self) -> None:
        self.emit("round_ended", round=self.round)
        if self.round < self.book.rounds:
            following = {"left": (self.starter + 1) % self.players, "last": self.last}
            self.start_round(following.get(self.book.starter, self.last_winner))
            return
        self.end_game()

    @property
    def last_winner(self) -> int:
        """Who starts next where the winner of the highest casino does."""
        return self.starter if self.start_token is None else self.start_token

    def end_game(self) -> None:
        sets = [Counter(self.cards.get(f"purse-{seat}", [])) for seat in range(self.players)]
        totals = [
            sum(self.purses[seat])
            + CHIP * self.chips[seat]
            + sum(SETS[count] for count in sets[seat].values())
            for seat in range(self.players)
        ]
        merits = [(totals[seat], len(self.purses[seat]) + self.chips[seat]) for seat in range(self.players)]
        winners = [seat for seat in range(self.players) if merits[seat] == max(merits)]
        self.status = "over"
        self.agenda = []
        self.emit("game_ended", winners=winners, totals=totals, seed=self.seed)


def lot(place: str, owner: str, small: int, big: int) -> Json:
    return {"place": place, "owner": owner, "small": small, "big": big}


def step(name: str, **more: int) -> Json:
    return {"kind": "step", "name": name, **more}


def match_cover(ours: Any, given: Any) -> Any:
    """Ours, with those secrets covered that the file covers: the hash holds their commitment."""
    if isinstance(ours, dict) and isinstance(given, dict):
        if is_secret(ours) and given.keys() == {"hidden"}:
            return {"hidden": ours["hidden"]}
        return {name: match_cover(part, given.get(name)) for name, part in ours.items()}
    if isinstance(ours, list) and isinstance(given, list) and len(ours) == len(given):
        return [match_cover(one, other) for one, other in zip(ours, given, strict=False)]
    return ours


# ---------------------------------------------------------------- the bank of the tiles

DEBT = 50_000
SMALLEST_NOTE = 30_000
Notes = tuple[int, ...]


def best_sums(have: Sequence[int], most: int) -> dict[int, Notes]:
    """For every sum that these notes make up, the fewest of them; of equally few, the dearest."""
    best: dict[int, Notes] = {0: ()}
    for note, count in sorted(Counter(have).items(), reverse=True):
        for worth, made in list(best.items()):
            for number in range(1, count + 1):
                total = worth + number * note
                way = (*made, *[note] * number)
                if total > most:
                    break
                if total not in best or (-len(way), way) > (-len(best[total]), best[total]):
                    best[total] = way
    return best


def find_reward(bank: Sequence[int], purse: Sequence[int], amount: int, change: bool) -> tuple[Notes, Notes]:
    """What a player hands over and what the bank gives (M4, M9): as much of the amount as notes make up."""
    if amount < SMALLEST_NOTE:
        return (), ()
    alone = best_sums(bank, amount)
    if amount in alone or not change:
        return (), alone[max(alone)]
    given = best_sums(bank, sum(bank))
    handed = best_sums(purse, sum(purse))
    for worth in range(amount, 0, -CHIP):
        ways = [(own, given[total + worth]) for total, own in handed.items() if total + worth in given]
        if ways:
            return max(ways, key=lambda way: (-len(way[0]), -len(way[1]), way[1], way[0]))
    return (), ()


def find_payment(bank: Sequence[int], purse: Sequence[int], chips: int) -> tuple[Notes, int, Notes]:
    """The notes and chips that a debt of $50,000 takes, and the notes that come back (M6)."""
    if sum(purse) + CHIP * chips <= DEBT:
        return tuple(purse), chips, ()
    own = best_sums(purse, sum(purse))
    back = best_sums(bank, sum(purse) + CHIP * chips - DEBT)
    rests = sorted(back)
    offers = list[tuple[int, int, int, int, int]]()
    for paid in range(chips + 1):
        for worth, given in own.items():
            over = worth + CHIP * paid - DEBT
            if over >= 0:
                rest = rests[bisect_right(rests, over) - 1]
                offers.append((over - rest, paid, len(given) + len(back[rest]), worth, rest))
    _, paid, _, worth, rest = min(offers)
    return own[worth], paid, back[rest]


# ---------------------------------------------------------------- the table with tiles

T = TypeVar("T")
# What goes on over several answers: it stops at every question and is sent the choice.
Script = Generator[None, str, T]
SIZES = ("small", "big")
BLACK = "black"
GREY = "grey"


class TileTable(Table):
    """Royale with tiles. All rounds are one script, because a tile may ask in the middle of anything."""

    def start_if_full(self) -> None:
        if any(seat.name is None for seat in self.seats):
            return
        self.status = "playing"
        self.pile = list(self.book.notes)
        self.under = list[int]()
        self.bank = list[int]()
        self.purses = [[] for _ in self.seats]
        self.chips = [0] * self.players
        self.cards = {}
        self.used: list[str] = []
        self.sealed: Json = {}
        box: Json = {"tiles": list(TILES)} if self.rules != "1" else {}
        others = [code for event in self.told for code in event.get("tiles", []) if code not in TILES]
        hold(not others, f"this verifier does not know the tile {say(str(others[:1]))}")
        self.emit("game_started", notes=list(self.book.notes), dice=self.outfit(), **box)
        self.script = self.play_rounds()
        self.go_on()

    def outfit(self) -> list[Json]:
        return [*super().outfit(), lot("box", BLACK, 2, 0), lot("box", GREY, 9, 0)]

    def on_choose(self, command: Json) -> None:
        ask, value = self.hear(command)
        if ask["prompt"] in SEALED:
            self.sealed = self.keep_sealed(ask, command["seat"], value, command)
        self.agenda.pop()
        self.go_on(value)

    def go_on(self, answer: str | None = None) -> None:
        """Until somebody has to answer, or the game is over."""
        try:
            next(self.script) if answer is None else self.script.send(answer)
        except StopIteration:
            self.agenda = []
        self.emit("agenda_changed", agenda=[dict(item) for item in self.agenda])

    def put(self, prompt: str, seat: int, options: Sequence[str], **more: Any) -> Script[str]:
        """Asks one seat and waits for its choice."""
        self.ask(prompt, [seat], options, **more)
        return (yield)

    # Rounds and turns

    def play_rounds(self) -> Script[None]:
        starter = self.options["start_seat"]
        while self.round < self.book.rounds:
            self.set_up(starter)
            yield from self.take_turns()
            yield from self.pay_round()
            starter = self.last_winner
            self.emit("round_ended", round=self.round)
        self.end_game()

    def set_up(self, starter: int | None) -> None:
        self.announce_round(starter)
        self.start_token = None
        self.turn = -1
        self.shut = 0
        self.roll = {}
        self.tiles: list[Tile] = []
        self.stock = {}
        self.dice: dict[str, dict[str, list[int]]] = {}
        for one in self.outfit():
            self.bring(one["place"], one["owner"], one["small"], one["big"])
        self.lay_notes()
        self.bank += self.stock.pop("bank", [])
        codes = self.options["tile_codes"]
        drawn = {"chance": self.drawn} if not codes else {}
        laid = list(codes) or self.draw_tiles(self.chance.draw(self.count()))
        self.used += laid
        self.emit("tiles_laid", tiles=laid, **drawn)
        self.tiles = [SIDES[code](self, code, number) for number, code in enumerate(laid, 1)]
        for tile in self.tiles:
            tile.lay_out()
        self.scatter()

    def draw_tiles(self, below: Callable[[int], int]) -> list[str]:
        """One side of each tile; with fresh ones, what was not seen in this game comes first."""
        laid = list[str]()
        left = [list(sides) for sides in zip(TILES[::2], TILES[1::2], strict=False)]
        used = set(self.used) if self.options["fresh_tiles"] else set[str]()
        while left and len(laid) < self.options["tiles"]:
            unseen = [sides for sides in left if not used & {*sides}]
            turned = [[side for side in sides if side not in used] for sides in left]
            freshest = unseen or [sides for sides in turned if sides] or left
            sides = freshest[below(len(freshest))]
            laid.append(sides[below(len(sides))])
            left = [tile for tile in left if laid[-1] not in tile]
        return laid

    def scatter(self) -> None:
        """The white dice of a game for two go where they show (D4)."""
        small, big = self.dice_of("box", "neutral")
        if not small + big:
            return
        faces = self.chance.dice(self.drawn, small + big)
        shown = sorted(faces[:small])
        self.emit("dice_rolled", chance=self.count(), neutral=shown, big=faces[small])
        for face in sorted({*faces}):
            self.move("neutral", "box", f"casino-{face}", shown.count(face), int(faces[small] == face))

    def take_turns(self) -> Script[None]:
        while (seat := self.find_following()) is not None:
            self.agenda = [step("turns")]
            self.turn = seat
            self.roll = {}
            for tile in self.tiles:
                if (yield from tile.open_turn(seat)):
                    break
            else:
                yield from self.play_roll(seat)

    def find_following(self) -> int | None:
        first = self.starter if self.turn < 0 else self.turn + 1
        order = [(first + one) % self.players for one in range(self.players)]
        return next((one for one in order if self.dice.get(f"supply-{one}")), None)

    def play_roll(self, seat: int) -> Script[None]:
        """A roll lapses where all that it shows is closed (D7)."""
        small, big = self.in_hand(seat)
        faces = self.chance.dice(self.drawn, small + big)
        self.roll = {"own": sorted(faces[:small]), "big": faces[small] if big else None}
        told = without({"own": [], "big": None}, **self.roll)
        self.emit("dice_rolled", chance=self.count(), seat=seat, **told)
        options = [f"place-{face}" for face in sorted({*faces}) if face != self.shut]
        if not options:
            return
        choice = yield from self.put("turn.place", seat, [*options, *(["pass"] if self.chips[seat] else [])])
        if choice == "pass":
            self.chips[seat] -= 1
            self.emit("chips_moved", source=f"purse-{seat}", target="bank", chips=1)
            return
        number = int(choice[-1])
        small = self.roll["own"].count(number)
        big = int(self.roll["big"] == number)
        target = f"casino-{number}"
        told = without({"small": 0, "big": 0}, small=small, big=big)
        self.emit("dice_placed", seat=seat, number=number, target=target, **told)
        self.carry(f"seat-{seat}", f"supply-{seat}", target, small, big)
        self.unroll(number, small, big)
        yield from self.activate(number, seat, (small, big))

    def activate(self, number: int, seat: int, placed: tuple[int, int]) -> Script[None]:
        """Once for all dice that the seat has just placed there; a closed casino's tile rests (T-E1)."""
        if number <= len(self.tiles) and number != self.shut:
            yield from self.tiles[number - 1].act(seat, placed)

    # What lies where

    def dice_of(self, place: str, owner: str) -> tuple[int, int]:
        small, big = self.dice.get(place, {}).get(owner, (0, 0))
        return small, big

    def in_hand(self, seat: int) -> tuple[int, int]:
        return self.dice_of(f"supply-{seat}", f"seat-{seat}")

    def weigh(self, place: str) -> dict[str, int]:
        """What each player's dice count there; black ones count for the seat that they are lent to."""
        weighed = dict[str, int]()
        for owner, (small, big) in self.dice.get(place, {}).items():
            player = player_of(owner)
            weighed[player] = weighed.get(player, 0) + small + 2 * big
        return weighed

    def rank_at(self, place: str) -> list[str]:
        """The most dice first, whoever is tied left out."""
        weighed = self.weigh(place)
        often = Counter(weighed.values())
        alone = [owner for owner in weighed if often[weighed[owner]] == 1]
        return sorted(alone, key=lambda owner: -weighed[owner])

    @property
    def open(self) -> list[int]:
        return [number for number in CASINOS if number != self.shut]

    # What moves

    def bring(self, place: str, owner: str, small: int, big: int) -> None:
        """So many more of them; where none are left, nobody is there."""
        heap = self.dice.setdefault(place, {})
        before = heap.get(owner, [0, 0])
        heap[owner] = [before[0] + small, before[1] + big]
        if heap[owner] == [0, 0]:
            del heap[owner]

    def carry(self, owner: str, source: str, target: str, small: int, big: int, new_owner: str = "") -> None:
        self.bring(source, owner, -small, -big)
        self.bring(target, new_owner or owner, small, big)
        for tile in self.tiles:
            tile.dice_moved()

    def move(self, owner: str, source: str, target: str, small: int, big: int = 0, **more: Any) -> None:
        """`face` is told of a die that leaves the roll, `turned` names a new owner."""
        told = without({"small": 0, "big": 0, "face": None}, small=small, big=big, **more)
        self.emit("dice_moved", owner=owner, source=source, target=target, **told)
        if "face" in told:
            self.unroll(more["face"], small, big)
        self.carry(owner, source, target, small, big, more.get("turned", ""))

    def play_die(self, seat: int, target: str, size: str) -> None:
        """One die in hand, whatever it shows; in its seat's turn it is the lowest that was rolled."""
        face = None
        if seat == self.turn and self.roll:
            face = self.roll["big"] if size == "big" else next(iter(self.roll["own"]), None)
        self.move(f"seat-{seat}", f"supply-{seat}", target, *one_die(size), face=face)

    def unroll(self, face: int, small: int, big: int) -> None:
        for _ in range(small):
            self.roll["own"].remove(face)
        if big:
            self.roll["big"] = None

    def move_notes(self, seat: int, moved: Sequence[int], to_bank: bool) -> None:
        if not moved:
            return
        purse = self.purses[seat]
        source, target = (purse, self.bank) if to_bank else (self.bank, purse)
        names = (f"purse-{seat}", "bank") if to_bank else ("bank", f"purse-{seat}")
        for note in moved:
            source.remove(note)
        target += moved
        self.emit("notes_moved", source=names[0], target=names[1], notes=list(moved))

    def reward(self, seat: int, amount: int) -> None:
        handed, given = find_reward(self.bank, self.purses[seat], amount, change=self.rules != "1")
        self.move_notes(seat, handed, to_bank=True)
        self.move_notes(seat, given, to_bank=False)
        chips = (amount - sum(given) + sum(handed)) // CHIP
        if chips:
            self.chips[seat] += chips
            self.emit("chips_moved", source="bank", target=f"purse-{seat}", chips=chips)

    def collect(self, seat: int) -> None:
        paid, chips, back = find_payment(self.bank, self.purses[seat], self.chips[seat])
        self.move_notes(seat, paid, to_bank=True)
        if chips:
            self.chips[seat] -= chips
            self.emit("chips_moved", source=f"purse-{seat}", target="bank", chips=chips)
        self.move_notes(seat, back, to_bank=False)

    # The end of a round (D8)

    def pay_round(self) -> Script[None]:
        self.agenda = self.still_to_pay(0, "payout.ties")
        if self.rules != "1":
            self.count_dice()
        for tile in self.tiles:
            yield from tile.before_payout()
        if self.rules == "1":
            self.count_dice()
        self.remove_ties()
        for number in CASINOS:
            self.agenda = self.still_to_pay(number)
            yield from self.pay_casino(number)
        for tile in self.tiles:
            tile.after_payout()

    def still_to_pay(self, paid: int, *first: str) -> list[Json]:
        """The steps that follow, what comes next at the end."""
        casinos = [step("payout.casino", number=number) for number in reversed(CASINOS) if number > paid]
        return [step("round.end"), step("payout.after"), *casinos, *map(step, first)]

    def count_dice(self) -> None:
        for tile in self.tiles:
            tile.count_dice()

    def remove_ties(self) -> None:
        """The tied take all their dice back, those lent to them too."""
        for number in CASINOS:
            place = f"casino-{number}"
            ranked = self.rank_at(place)
            tied = [owner for owner in self.dice.get(place, {}) if player_of(owner) not in ranked]
            if tied:
                self.emit("dice_returned", place=place, owners=tied)
            for owner in tied:
                del self.dice[place][owner]

    def pay_casino(self, number: int) -> Script[None]:
        place = f"casino-{number}"
        order = self.rank_at(place)
        self.hand_out(place, order)
        winner = seat_in(order)
        if winner is not None:
            self.start_token = winner
            self.emit("token_moved", token="start", target=f"supply-{winner}")
        if number <= len(self.tiles):
            yield from self.tiles[number - 1].pay(winner)


def player_of(owner: str) -> str:
    """For whom dice count."""
    return owner.replace(LENT, "seat-") if owner.startswith(LENT) else owner


def seat_in(ranked: Sequence[str]) -> int | None:
    """The seat that is first; None where nobody is, or an imaginary player."""
    kind, _, number = ranked[0].partition("-") if ranked else ("", "", "")
    return int(number) if kind == "seat" else None


def one_die(size: str) -> tuple[int, int]:
    return (1, 0) if size == "small" else (0, 1)


def sizes_of(dice: tuple[int, int]) -> list[str]:
    return [size for size, count in zip(SIZES, dice, strict=True) if count]


# ---------------------------------------------------------------- the sixteen tiles


class Tile:
    """One side of a tile, beside the casino of its number. Most have little to say."""

    def __init__(self, table: TileTable, code: str, number: int) -> None:
        self.table = table
        self.code = code
        self.number = number
        self.place = f"casino-{number}"

    def lay_out(self) -> None:
        """When a round begins."""

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        """When a seat has placed dice at its casino, or was told to activate it."""
        yield from ()

    def dice_moved(self) -> None:
        """When dice have moved anywhere."""

    def open_turn(self, seat: int) -> Script[bool]:
        """Whether the seat has taken its turn without a roll."""
        yield from ()
        return False

    def count_dice(self) -> None:
        """When the round is over, before anything leaves."""

    def before_payout(self) -> Script[None]:
        yield from ()

    def pay(self, winner: int | None) -> Script[None]:
        """When its casino has paid."""
        yield from ()

    def after_payout(self) -> None:
        """When all casinos have paid."""

    def put(self, name: str, seat: int, options: Sequence[str], **more: Any) -> Script[str]:
        return (yield from self.table.put(f"{self.code}.{name}", seat, options, tile=self.code, **more))

    def put_here(self, name: str, seat: int, options: Sequence[str], **more: Any) -> Script[str]:
        """A question that also tells the casino."""
        return (yield from self.put(name, seat, options, number=self.number, **more))

    def throw_black(self) -> list[int]:
        faces = self.table.chance.dice(self.table.drawn, 2)
        self.table.emit("dice_rolled", chance=self.table.count(), black=faces)
        return faces

    def move_counter(self, value: int) -> None:
        self.table.emit("counter_moved", counter=self.code, value=value)

    def move_token(self, target: str) -> None:
        self.table.emit("token_moved", token=self.code, target=target)

    def own_dice(self, seat: int, number: int = 0) -> tuple[int, int]:
        return self.table.dice_of(f"casino-{number or self.number}", f"seat-{seat}")

    def left_of(self, seat: int) -> int:
        return (seat + 1) % self.table.players

    def reveal(self, seat: int, sealed: Json) -> None:
        shown = {name: sealed[name] for name in ("hidden", "value", "salt")}
        self.table.emit("revealed", seat=seat, **shown)

    # A die in hand turned to a number and placed, or one fetched back, without activating anything

    def placings(self, seat: int) -> list[str]:
        sizes = sizes_of(self.table.in_hand(seat))
        return [f"set-{size}-{number}" for size in sizes for number in self.table.open]

    def fetchings(self, seat: int) -> list[str]:
        return [
            f"take-{size}-{number}"
            for number in self.table.open
            for size in sizes_of(self.own_dice(seat, number))
        ]

    def place_or_fetch(self, seat: int, **more: int) -> Script[None]:
        options = [*self.placings(seat), *self.fetchings(seat)]
        verb, size, number = (yield from self.put("die", seat, options, **more)).split("-")
        if verb == "set":
            self.table.play_die(seat, f"casino-{number}", size)
        else:
            self.table.move(f"seat-{seat}", f"casino-{number}", f"supply-{seat}", *one_die(size))


class LuckyPunch(Tile):
    """T-A1: the fuller the fist, the larger the prize."""

    fists = (20_000, 30_000, 40_000)

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        yield from self.put_here("hide", seat, ["hide-1", "hide-2", "hide-3"])
        fist = self.table.sealed
        guesses = ["guess-1", "guess-2", "guess-3"]
        guess = yield from self.put("guess", self.left_of(seat), guesses, data=[seat], secret=fist)
        self.reveal(seat, fist)
        tokens = int(fist["value"][-1])
        if int(guess[-1]) != tokens:
            self.table.reward(seat, self.fists[tokens - 1])


class Jackpot(Tile):
    """T-A2."""

    spaces = (30_000, 40_000, 50_000, 60_000, 70_000, 80_000)

    def lay_out(self) -> None:
        self.space = 0
        self.move_counter(0)

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        one, other = self.throw_black()
        if one == other or one + other == 7:
            self.table.reward(seat, self.spaces[self.space])
            self.lay_out()
        elif self.space + 1 < len(self.spaces):
            self.space += 1
            self.move_counter(self.space)
        yield from ()


class PrimeTime(Tile):
    """T-B1, T7."""

    def before_payout(self) -> Script[None]:
        seat = seat_in(self.table.rank_at(self.place))
        if seat is None:
            return
        thrown = self.throw_black()
        faces = sorted(face for face in thrown if face != self.table.shut)
        options = [f"place-{face}" for face in dict.fromkeys(faces)]
        if len(faces) == 2:
            options.append(f"place-{faces[0]}-{faces[1]}")
        choice = yield from self.put_here("place", seat, [*options, "place-none"], data=thrown)
        for face in choice.split("-")[1:]:
            if face != "none":
                self.table.move(BLACK, "box", f"casino-{face}", 1, turned=f"{LENT}{seat}")


class FiftyFifty(Tile):
    """T-B2: every bet that is won is a step on."""

    track = (0, 10_000, 30_000, 40_000, 60_000)

    def lay_out(self) -> None:
        self.move_counter(0)

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        before = sum(self.throw_black())
        prize = 0
        for space, prize in enumerate(self.track[:-1], 1):
            self.move_counter(space)
            bet = yield from self.put_here("bet", seat, ["keep", "bet-high", "bet-low"], data=[before])
            if bet == "keep":
                break
            thrown = sum(self.throw_black())
            if thrown == before or (thrown > before) != (bet == "bet-high"):
                prize = 0
                break
            before = thrown
        else:
            prize = self.track[-1]
        self.table.reward(seat, prize)
        self.lay_out()


class HighFive(Tile):
    """T-C1, T5."""

    def lay_out(self) -> None:
        self.holder: int | None = None
        self.move_token("C1-token")

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        small, big = self.own_dice(seat)
        if self.holder is None and small + 2 * big >= 5:
            self.holder = seat
            self.move_token(f"purse-{seat}")
        yield from ()

    def pay(self, winner: int | None) -> Script[None]:
        if self.holder is not None:
            self.table.reward(self.holder, 100_000)
        yield from ()


class BadLuck(Tile):
    """T-C2, M6, T12."""

    def count_dice(self) -> None:
        weighed = self.table.weigh(self.place)
        counts = [weighed.get(f"seat-{seat}", 0) for seat in range(self.table.players)]
        self.debtors = [seat for seat, count in enumerate(counts) if count == min(counts)]
        for seat in self.debtors:
            self.table.emit("counter_moved", counter=f"C2-{seat}", value=1)

    def after_payout(self) -> None:
        for one in range(self.table.players):
            seat = (self.table.starter + one) % self.table.players
            if seat in self.debtors:
                self.table.collect(seat)


class PayDay(Tile):
    """T-D1."""

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        casinos = [number for number in CASINOS if any(self.own_dice(seat, number))]
        self.table.reward(seat, 10_000 * len(casinos))
        yield from ()


class PowerPlay(Tile):
    """T-D2, T6: the token stays as long as the lead does."""

    holder: int | None = None

    def lay_out(self) -> None:
        self.hand_over(None)

    def hand_over(self, seat: int | None) -> None:
        self.holder = seat
        self.move_token("D2-token" if seat is None else f"supply-{seat}")

    def leads(self, seat: int) -> bool:
        weighed = self.table.weigh(self.place)
        own = weighed.pop(f"seat-{seat}", 0)
        return own > max(weighed.values(), default=0)

    def dice_moved(self) -> None:
        if self.holder is not None and not self.leads(self.holder):
            self.hand_over(None)

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        if self.holder != seat and self.leads(seat):
            self.hand_over(seat)
        yield from ()

    def open_turn(self, seat: int) -> Script[bool]:
        if self.holder != seat:
            return False
        self.table.emit("turn_started", seat=seat)
        choice = yield from self.put("turn", seat, ["roll", *self.placings(seat)])
        if choice == "roll":
            return False
        _, size, number = choice.split("-")
        self.table.play_die(seat, f"casino-{number}", size)
        yield from self.table.activate(int(number), seat, one_die(size))
        return True


class NoEntry(Tile):
    """T-E1: the counter runs in a circle."""

    track = (0, 20_000, 0, 30_000, 0, 10_000)

    def lay_out(self) -> None:
        self.space = 0
        self.move_token("E1-token")
        self.move_counter(0)

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        shut = self.table.shut
        options = [f"close-{number}" for number in self.table.open if number != self.number]
        choice = yield from self.put_here("close", seat, [*options, *(["leave"] if shut else [])])
        if choice == "leave":
            return
        if shut:
            self.table.emit("casino_opened", number=shut)
        self.table.shut = int(choice[-1])
        self.move_token(f"casino-{self.table.shut}")
        self.table.emit("casino_closed", number=self.table.shut)
        self.space = (self.space + 1) % len(self.track)
        self.move_counter(self.space)
        self.table.reward(seat, self.track[self.space])


class Knockout(Tile):
    """T-E2."""

    bar = "E2-bar"

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        own = self.table.dice_of(self.bar, f"seat-{seat}")
        if any(own):
            self.table.move(f"seat-{seat}", self.bar, f"supply-{seat}", *own)
        others = [(seat + one) % self.table.players for one in range(1, self.table.players)]
        self.table.agenda += [self.step_of(other) for other in reversed(others)]
        for other in others:
            self.table.agenda.pop()
            yield from self.give(other)

    def step_of(self, seat: int) -> Json:
        return {"kind": "step", "name": "E2.give", "seat": seat, "tile": self.code}

    def give(self, seat: int) -> Script[None]:
        sizes = sizes_of(self.table.in_hand(seat))
        if not sizes or sum(self.table.dice_of(self.bar, f"seat-{seat}")) >= 2:
            return
        size = sizes[0]
        if len(sizes) > 1:
            size = (yield from self.put("give", seat, [f"give-{one}" for one in sizes]))[len("give-") :]
        self.table.play_die(seat, self.bar, size)


class BlockIt(Tile):
    """T-F1, T10."""

    clusters = (1, 1, 2, 2, 3)

    def lay_out(self) -> None:
        for space, size in enumerate(self.clusters, 1):
            self.table.move(GREY, "box", f"F1-{space}", size)

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        there = [space for space in range(1, 6) if self.table.dice.get(f"F1-{space}")]
        sizes = sorted({self.clusters[space - 1] for space in there})
        options = [f"block-{size}-{number}" for size in sizes for number in self.table.open]
        if not options:
            return
        _, size, number = (yield from self.put("block", seat, options)).split("-")
        space = next(one for one in there if self.clusters[one - 1] == int(size))
        self.table.move(GREY, f"F1-{space}", f"casino-{number}", int(size))


class Handicap(Tile):
    """T-F2: a grey die covers a picture, and the picture pays."""

    pictures = (("chip", 2), ("money", 3), ("die", 4))

    def lay_out(self) -> None:
        for number in CASINOS:
            self.table.move(GREY, "box", f"casino-{number}", 1 if number < 4 else 2)

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        usable = {"chip": True, "money": True, "die": bool(self.placings(seat) or self.fetchings(seat))}
        free = [
            picture
            for picture, room in self.pictures
            if usable[picture] and self.table.dice_of(f"F2-{picture}", GREY)[0] < room
        ]
        blocked = [number for number in self.table.open if self.table.dice_of(f"casino-{number}", GREY)[0]]
        options = [f"remove-{number}-{picture}" for number in blocked for picture in free]
        if not options:
            return
        choice = yield from self.put("remove", seat, [*options, "leave"])
        if choice == "leave":
            return
        _, number, picture = choice.split("-")
        self.table.move(GREY, f"casino-{number}", f"F2-{picture}", 1)
        if picture == "die":
            yield from self.place_or_fetch(seat)
        else:
            self.table.reward(seat, {"chip": 10_000, "money": 30_000}[picture])


class BlackBox(Tile):
    """T-G1."""

    tokens = (60, 20, 20, 0, 0, 0)

    def pay(self, winner: int | None) -> Script[None]:
        if winner is None:
            return
        left = self.left_of(winner)
        piles = [
            pile for size in (3, 4, 5) for pile in sorted({*combinations(self.tokens, size)}, reverse=True)
        ]
        parts = {"part-" + "-".join(map(str, pile)): pile for pile in piles}
        first = parts[(yield from self.put_here("part", left, list(parts), data=[winner]))]
        sealed = self.table.sealed
        data = [len(first), len(self.tokens) - len(first), left]
        taken = yield from self.put_here("take", winner, ["take-1", "take-2"], data=data, secret=sealed)
        self.reveal(left, sealed)
        worth = sum(first) if taken == "take-1" else sum(self.tokens) - sum(first)
        self.table.reward(winner, 1_000 * worth)


class DoubleDown(Tile):
    """T-G2: paid like a casino."""

    space = "G2-space"

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        small, big = self.own_dice(seat)
        moves = [f"move-{one}-{two}" for one in range(small + 1) for two in range(big + 1) if one or two]
        if not moves:
            return
        choice = yield from self.put_here("move", seat, [*moves, "leave"])
        if choice != "leave":
            small, big = map(int, choice.split("-")[1:])
            self.table.move(f"seat-{seat}", self.place, self.space, small, big)

    def pay(self, winner: int | None) -> Script[None]:
        for owner, prize in zip(self.table.rank_at(self.space), (60_000, 30_000), strict=False):
            self.table.reward(int(owner[len("seat-") :]), prize)
        yield from ()


class NiceDice(Tile):
    """T-H1, T6, T11."""

    prizes = (10_000, 20_000, 30_000, 40_000, 50_000, 60_000)

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        roll = self.table.roll or {"own": [], "big": None}
        rolled = [("small", face) for face in sorted({*roll["own"]})]
        rolled += [("big", roll["big"])] if roll["big"] is not None else []
        puts = [f"put-{size}-{face}" for size, face in rolled if self.is_free(face)]
        shifts = [f"shift-{size}-{self.number}" for size in sizes_of(placed)]
        choice = yield from self.put_here("put", seat, [*puts, *shifts, "leave"], data=list(placed))
        if choice == "leave":
            return
        verb, size, face = choice.split("-")
        space = f"H1-{face}"
        for owner, dice in list(self.table.dice.get(space, {}).items()):
            self.table.move(owner, space, f"casino-{face}", *dice)
        if verb == "put":
            self.table.move(f"seat-{seat}", f"supply-{seat}", space, *one_die(size), face=int(face))
        else:
            self.table.move(f"seat-{seat}", self.place, space, *one_die(size))

    def is_free(self, space: int) -> bool:
        """Who lies there must be able to leave."""
        return space != self.table.shut or not self.table.dice.get(f"H1-{space}")

    def pay(self, winner: int | None) -> Script[None]:
        for space, prize in enumerate(self.prizes, 1):
            for owner in self.table.dice.get(f"H1-{space}", {}):
                self.table.reward(int(owner[len("seat-") :]), prize)
        yield from ()


class MyChoice(Tile):
    """T-H2, T8: a result that cannot be carried out does nothing."""

    gold = "H2-gold"

    def act(self, seat: int, placed: tuple[int, int]) -> Script[None]:
        thrown = self.throw_black()
        uses = [f"use-{face}" for face in sorted({*thrown})]
        result = int((yield from self.put_here("result", seat, uses, data=thrown))[-1])
        if result <= 3:
            self.table.reward(seat, 10_000 * result)
        elif result == 4:
            yield from self.activate_another(seat)
        elif result == 5 and (self.placings(seat) or self.fetchings(seat)):
            yield from self.place_or_fetch(seat, number=self.number)
        elif result == 6 and any(self.table.in_hand(seat)):
            yield from self.take_gold(seat)

    def activate_another(self, seat: int) -> Script[None]:
        numbers = [tile.number for tile in self.table.tiles if tile.number in self.table.open]
        options = [f"activate-{number}" for number in numbers if number != self.number]
        if options:
            choice = yield from self.put_here("tile", seat, options)
            yield from self.table.activate(int(choice[-1]), seat, (0, 0))

    def take_gold(self, seat: int) -> Script[None]:
        options = [f"gold-{size}" for size in sizes_of(self.table.in_hand(seat))]
        choice = yield from self.put_here("gold", seat, options)
        for owner, dice in list(self.table.dice.get(self.gold, {}).items()):
            self.table.move(owner, self.gold, owner.replace("seat", "supply"), *dice)
        self.table.play_die(seat, self.gold, choice[len("gold-") :])

    def pay(self, winner: int | None) -> Script[None]:
        for owner in self.table.dice.get(self.gold, {}):
            self.table.reward(int(owner[len("seat-") :]), 60_000)
        yield from ()


SIDES: dict[str, type[Tile]] = {
    "A1": LuckyPunch,
    "A2": Jackpot,
    "B1": PrimeTime,
    "B2": FiftyFifty,
    "C1": HighFive,
    "C2": BadLuck,
    "D1": PayDay,
    "D2": PowerPlay,
    "E1": NoEntry,
    "E2": Knockout,
    "F1": BlockIt,
    "F2": Handicap,
    "G1": BlackBox,
    "G2": DoubleDown,
    "H1": NiceDice,
    "H2": MyChoice,
}


# ---------------------------------------------------------------- time


class Clock:
    """How much time everybody has, by the times of the commits."""

    def __init__(self) -> None:
        self.asked = ""
        self.left = list[int]()
        # Of those who left while they were asked, as long as that is.
        self.taken: dict[int, int] = {}
        self.before: tuple[str, int] = ("", 0)
        self.fresh = True
        self.running = False

    def check(self, table: Table, commit: Json) -> None:
        """It answers for nobody before their time is over."""
        command = commit["command"]
        if commit["by"] != "clock" or command["type"] != "choose":
            return
        own = table.seats[command["seat"]].seconds
        turn = table.options["turn_seconds"]
        limits = [seconds * 1000 for seconds in (own, turn) if seconds]
        limits += [self.left[command["seat"]]] if self.left else []
        hold(limits, "the clock answers there for somebody who has all the time there is")
        early = self.since(commit["at"]) < min(limits)
        hold(not early, "the clock answers there before the time is over")

    def since(self, at: str) -> int:
        """Milliseconds from the ask."""
        return (moment(at) - moment(self.asked)) // timedelta(milliseconds=1)

    def note(self, table: Table, command: Json) -> None:
        """What counts later, before the command changes it; who is away has no clock running."""
        self.before = (table.game, table.ask_id)
        self.fresh = table.status == "lobby"
        seat = command.get("seat", 0)
        self.running = seat in table.waiting() and table.seats[seat].is_there

    def move(self, table: Table, commit: Json) -> None:
        total = table.options.get("total_seconds", 0)
        if total and (self.fresh or self.before[0] != table.game):
            self.left = [total * 1000] * table.players
            self.taken = {}
        elif total:
            self.spend(table, commit)
        if not self.asked or self.before != (table.game, table.ask_id):
            self.asked = commit["at"]
            self.taken = {}

    def spend(self, table: Table, commit: Json) -> None:
        """Thinking counts, also of who leaves; who comes back to the same ask thinks as if they had not."""
        kind = commit["command"]["type"]
        seat = commit["command"].get("seat", 0)
        spent = min(self.left[seat], self.since(commit["at"])) if self.running else 0
        if kind == "choose" and self.running:
            self.left[seat] += table.options["increment_seconds"] * 1000 - spent
        elif kind == "leave" and self.running:
            self.left[seat] -= spent
            self.taken[seat] = spent
        elif kind == "return":
            self.left[seat] += self.taken.pop(seat, 0)


# ---------------------------------------------------------------- a file


def lay_table(command: Json, rules: str, events: list[Json]) -> Table:
    table = Table(command, rules)
    told = events[0].get("options") if events else None
    tiles = table.complete(command.get("options", {}), told).get("tiles")
    return TileTable(command, rules) if tiles else table


class Game:
    """Goes through the commits twice: once for the chain and the seeds, once for the rest.

    There is one seed, or where the game was forked off another, the other's and then its own.
    """

    def __init__(
        self, header: Json | None, lines: Sequence[bytes], keys: Mapping[str, bytes] | None = None
    ) -> None:
        self.header = header
        self.keys = keys
        self.lines = lines
        self.seeds = list[str]()
        self.promised = ""
        self.game = ""
        self.ended = 0
        self.head = GENESIS
        self.began = ""
        self.at = ""
        self.version = 0
        self.end = dict[str, Any]()
        self.fork = dict[str, Any]()
        self.table: Table | None = None
        self.clock = Clock()

    def verify(self) -> str:
        hold(self.lines, "it holds no commits")
        for version, line in enumerate(self.lines, 1):
            self.version = version
            self.check_chain(parse(line))
        hold(self.ended, "the game is not over, or its end is missing")
        for version, line in enumerate(self.lines, 1):
            self.version = version
            self.check_commit(parse(line))
        self.version = 0
        self.check_header(parse(self.lines[0])["events"][0])
        counted = f"{len(self.lines)} commits.{self.luck}"
        return f"verified. Game {say(self.game)}: {counted} Head {self.head} {self.signed}"

    @property
    def signature(self) -> Json | None:
        """The signature of the header, if it has one."""
        return self.header.get("signature") if self.header else None

    @property
    def signed(self) -> str:
        """What is to be said of the signature, which was checked if there are keys."""
        if self.signature is None:
            return "Not signed."
        key = self.signature["key"]
        unchecked = ", not checked: --key takes the public key of the service"
        return f"Signed by key {key}{'' if self.keys else unchecked}."

    def check_signature(self) -> None:
        """It is formed like one, and by one of the given keys if there are any."""
        told = self.signature
        if told is None:
            return
        hold(set(told) == {"key", "value"}, "its signature is none")
        hold(re.fullmatch("[0-9a-f]{16}", str(told["key"])), "its signature names no key")
        hold(re.fullmatch("[0-9a-f]{128}", str(told["value"])), "its signature is none")
        if self.keys:
            public = self.keys.get(told["key"])
            hold(public is not None, "its signature is by another key than those that were given")
            assert public is not None
            message = f"croupier game {self.head}".encode()
            hold(
                verifies(public, message, bytes.fromhex(told["value"])), "its signature does not fit its head"
            )

    @property
    def luck(self) -> str:
        """What is to be said of dice that were not drawn for this game alone."""
        assert self.table is not None
        if self.table.sandbox:
            return " SANDBOX: the creator of this game chose its dice, so it proves nothing about luck."
        if self.fork and self.table.dice_name != self.game:
            return " SAME DICE: this fork has the dice of a finished game, so it proves nothing about luck."
        return ""

    def check_chain(self, commit: Any) -> None:
        check_link(commit, self.version, self.head, self.at)
        command = commit["command"]
        self.head = commit["hash"]
        self.at = commit["at"]
        if command.get("type") == "fork":
            self.check_origin(command.get("origin"), commit["prev"])
        for event in commit["events"]:
            if event.get("type") in ("game_ended", "game_closed", "game_forked"):
                hold(not self.ended, "the game ends twice")
                self.take_seed(str(event.get("seed")))
            if event.get("type") in ("game_ended", "game_closed"):
                self.ended = self.version
                self.end = event
        if self.version == 1 or command.get("type") == "fork":
            self.promised = str(command.get("commitment"))
            self.game = str(command.get("game"))
            self.began = self.at
        after = self.ended and self.version > self.ended
        hold(not after or command.get("type") == "rematch", "it comes after the end of the game")

    def check_origin(self, origin: Any, head: str) -> None:
        """Just the table before, and the game that this is of."""
        table = {"game": self.game, "at": self.version - 1, "head": head}
        hold(isinstance(origin, dict), "it does not say what it is forked off")
        told = {**origin, "game": self.game}
        hold(dump(told) == dump(table), "it is forked off another version or hash than it says")
        why = f"it says it is forked off {say(str(origin.get('game')))}, and what is before is of {self.game}"
        hold(dump(origin) == dump(table), why)
        self.fork = table

    def take_seed(self, seed: str) -> None:
        """Each one that is revealed was committed to before its first roll."""
        hold(re.fullmatch("[0-9a-f]{64}", seed), "the revealed seed is none")
        true = sha256(bytes.fromhex(seed)).hexdigest() == self.promised
        hold(true, "the seed is not the one that was committed to")
        self.seeds.append(seed)

    @property
    def seed(self) -> str:
        return self.seeds[0]

    def check_commit(self, commit: Json) -> None:
        command = commit["command"]
        events = commit["events"]
        hold(
            (self.version == 1) == (command.get("type") == "create"), "a game is created once, to begin with"
        )
        if self.version == 1:
            self.table = lay_table(command, commit["rules"], events)
        table = self.table
        assert table is not None
        hold(commit["rules"] == table.rules, "it names another release than the game")
        table.check_command(command)
        table.check_author(commit)
        self.clock.check(table, commit)
        self.clock.note(table, command)
        self.check_events(table, command, events)
        self.clock.move(table, commit)
        if command["type"] == "fork":
            del self.seeds[0]

    def check_events(self, table: Table, command: Json, events: list[Json]) -> None:
        expected = table.play(command, events, self.seed)
        for number, (ours, theirs) in enumerate(zip(expected, events, strict=False), 1):
            ours = match_cover(ours, theirs)
            hold(dump(ours) == dump(theirs), f"event {number} should be {say(dump(ours).decode())}")
        hold(len(expected) == len(events), f"it has {len(events)} events where {len(expected)} follow")

    def check_header(self, created: Json) -> None:
        if self.header is None:
            return
        closed = {"closed": self.end["reason"]} if self.end["type"] == "game_closed" else {}
        result = closed or {"winners": self.end["winners"], "totals": self.end["totals"]}
        true = {
            "format": FILE_FORMAT if self.signature is None else SIGNED_FORMAT,
            "game": self.game,
            "edition": created["edition"],
            "release": created["rules"],
            "options": created["options"],
            "seats": len(created["seats"]),
            "created": self.began,
            "ended": self.at,
            "commits": len(self.lines),
            "head": self.head,
            "result": result,
            "verify": way if (way := self.header.get("verify")) in WAYS_TO_VERIFY else WAYS_TO_VERIFY[0],
            **({"fork": {"game": self.fork["game"], "at": self.fork["at"]}} if self.fork else {}),
            **({} if self.signature is None else {"signature": self.signature}),
        }
        for name in {**true, **self.header}:
            same = name in self.header and name in true and dump(self.header[name]) == dump(true[name])
            hold(same, f"its header says of {say(name)} what its commits do not say")
        self.check_signature()


# ---------------------------------------------------------------- signatures: Ed25519 (RFC 8032)

Point = tuple[int, int, int, int]
FIELD = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, -1, FIELD) % FIELD
ROOT_OF_MINUS_ONE = pow(2, (FIELD - 1) // 4, FIELD)


def add(one: Point, other: Point) -> Point:
    """The sum of two points, in extended coordinates."""
    a = (one[1] - one[0]) * (other[1] - other[0]) % FIELD
    b = (one[1] + one[0]) * (other[1] + other[0]) % FIELD
    c = 2 * one[3] * other[3] * CURVE % FIELD
    d = 2 * one[2] * other[2] % FIELD
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % FIELD, g * h % FIELD, f * g % FIELD, e * h % FIELD


def multiply(times: int, point: Point) -> Point:
    total = (0, 1, 1, 0)
    while times:
        if times & 1:
            total = add(total, point)
        point = add(point, point)
        times >>= 1
    return total


def is_same_point(one: Point, other: Point) -> bool:
    across = (one[0] * other[2] - other[0] * one[2]) % FIELD
    return not across and not (one[1] * other[2] - other[1] * one[2]) % FIELD


def read_point(written: bytes) -> Point | None:
    """The point that 32 bytes stand for; None if there is none, or they are not its shortest form."""
    y = int.from_bytes(written, "little")
    sign = y >> 255
    y &= 2**255 - 1
    if y >= FIELD:
        return None
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, FIELD) % FIELD
    x = pow(square, (FIELD + 3) // 8, FIELD)
    if (x * x - square) % FIELD:
        x = x * ROOT_OF_MINUS_ONE % FIELD
    if (x * x - square) % FIELD or (x == 0 and sign):
        return None
    x = FIELD - x if x & 1 != sign else x
    return x, y, 1, x * y % FIELD


BASE = read_point((4 * pow(5, -1, FIELD) % FIELD).to_bytes(32, "little"))


def verifies(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the owner of a public key has signed a message."""
    owner = read_point(public)
    nonce = read_point(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if owner is None or nonce is None or BASE is None or scalar >= ORDER:
        return False
    challenge = int.from_bytes(sha512(signature[:32] + public + message).digest(), "little") % ORDER
    return is_same_point(multiply(scalar, BASE), add(nonce, multiply(challenge, owner)))


def read_keys(given: str) -> dict[str, bytes]:
    """Public keys by their ids: one in hex, or those of a file."""
    if re.fullmatch("[0-9a-f]{64}", given):
        listed = [given]
    else:
        with open(given, "rb") as file:
            told = parse(file.read(LARGEST_LINE))
        try:
            listed = [str(key["public"]) for key in told["keys"]]
        except (LookupError, TypeError) as fault:
            raise Fault("it has no list of keys") from fault
    for key in listed:
        hold(re.fullmatch("[0-9a-f]{64}", key), "a public key is 64 hex digits")
    public = [bytes.fromhex(key) for key in listed]
    return {sha256(key).hexdigest()[:16]: key for key in public}


def verify_lines(
    header: Json | None, lines: Sequence[bytes], keys: Mapping[str, bytes] | None = None
) -> tuple[bool, str]:
    """Whether they hold, and a sentence."""
    game = Game(header, lines, keys)
    try:
        return True, game.verify()
    except Fault as fault:
        why = say(fault.why)
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as fault:
        # Whatever somebody wrote there, it is not what a server writes.
        why = f"it is not formed like a game ({type(fault).__name__})"
    return False, f"NOT verified: {f'commit {game.version}: ' if game.version else ''}{why}"


def verify_file(path: str, keys: Mapping[str, bytes] | None = None) -> tuple[bool, str]:
    try:
        return verify_lines(*read_lines(path), keys)
    except Fault as fault:
        return False, f"NOT verified: {say(fault.why)}"
    except Exception as fault:
        # Whatever it is, the other files are still looked at.
        return False, f"NOT verified: it cannot be read: {type(fault).__name__}: {say(str(fault))}"


def main(paths: Sequence[str]) -> int:
    wants_help = "--help" in paths or "-h" in paths
    if wants_help or not paths:
        print(f"usage: verify.py [--key KEY] FILE…\n\n{__doc__}" if wants_help else __doc__)
        return 0 if wants_help else 1
    keys = None
    if paths[0] == "--key":
        try:
            keys = read_keys(paths[1])
        except (Fault, OSError, IndexError) as fault:
            print(f"--key: {say(str(fault))}")
            return 1
        paths = paths[2:]
    good = True
    for path in paths:
        holds, sentence = verify_file(path, keys)
        good = good and holds
        encoding = sys.stdout.encoding or "ascii"
        print(f"{say(path)}: {sentence}".encode(encoding, "backslashreplace").decode(encoding))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
