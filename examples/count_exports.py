"""Counts what `GET /v1/stats` counts, from exported games alone and with nothing but Python.

    python3 examples/count_exports.py FILE_OR_FOLDER…

Takes files of one game (`croupier export`, `GET /v1/games/{id}/export`) and of many (`GET /v1/exports`), and
prints tables, tiles and rolls as JSON. Forks are left out: they begin with the luck of others.
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

STEP, CHIP = 25, 10_000
# Between two of these a payment goes on.
SILENT = ("agenda_changed", "chosen")
Game = tuple[dict[str, Any], list[dict[str, Any]]]


def read_games(paths: Iterable[Path]) -> Iterator[Game]:
    """The header of each and its commits; a game that comes twice counts once."""
    known = set[str]()
    for path in paths:
        lines = [json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
        starts = [at for at, line in enumerate(lines) if line.get("format") in ("croupier/1", "croupier/2")]
        for at, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            header, commits = lines[at], [line for line in lines[at + 1 : end] if "events" in line]
            if header["game"] not in known and "fork" not in header and "result" in header:
                known.add(header["game"])
                yield header, commits


def events_of(commits: list[dict[str, Any]], kind: str) -> Iterator[dict[str, Any]]:
    return (event for commit in commits for event in commit["events"] if event["type"] == kind)


def find_bots(commits: list[dict[str, Any]]) -> list[str]:
    """Of each seat at the end; empty for people."""
    bots = [seat.get("bot", "") for seat in next(events_of(commits, "game_created"))["seats"]]
    for commit in commits:
        for event in commit["events"]:
            if event["type"] == "seat_taken":
                bots[event["seat"]] = event.get("bot", "")
            if event["type"] == "seat_left" and event.get("for_good"):
                bots[event["seat"]] = event["bot"]
    return bots


def count_faces(commits: list[dict[str, Any]]) -> Counter[int]:
    faces = Counter[int]()
    for roll in events_of(commits, "dice_rolled"):
        faces.update(face for kind in ("own", "neutral", "black") for face in roll.get(kind, ()))
        faces.update([roll["big"]] if "big" in roll else [])
    return faces


# Tiles


def number_of(place: str) -> int | None:
    """Of a casino."""
    kind, _, number = place.partition("-")
    return int(number) if kind == "casino" else None


class Payments:
    """Follows a game and says which tile paid what."""

    def __init__(self) -> None:
        self.tiles: list[str] = []
        self.ask: dict[str, Any] = {}
        self.acting = self.paying = ""
        # Of the payment that is being made: whose, what came in all, whether anything came yet, and the tile.
        self.purse, self.sum, self.came, self.giver = "", 0, False, ""

    def follow(self, commits: list[dict[str, Any]]) -> Iterator[tuple[str, int]]:
        for commit in commits:
            self.acting, self.paying = self._find_acting(commit["command"]), ""
            for event in commit["events"]:
                yield from self._follow(event)
            yield from self._end()

    def _find_acting(self, command: dict[str, Any]) -> str:
        """The tile that asked, or the one at the casino that the answer names."""
        choice = command.get("choice")
        if self.ask.get("prompt") in ("H2.tile", "D2.turn") and isinstance(choice, str):
            number = choice.rpartition("-")[2]
            return self._tile_at(int(number) if number.isdigit() else None)
        return str(self.ask.get("tile", ""))

    def _tile_at(self, number: int | None) -> str:
        return self.tiles[number - 1] if number and number <= len(self.tiles) else ""

    def _follow(self, event: dict[str, Any]) -> Iterator[tuple[str, int]]:
        kind, start_token = event["type"], event.get("token") == "start"
        if kind in ("notes_moved", "chips_moved") and "bank" in (event["source"], event["target"]):
            yield from self._move(event)
            return
        if kind not in SILENT and not start_token:
            yield from self._end()
        if kind == "agenda_changed":
            top = event["agenda"][-1] if event["agenda"] else {}
            self.ask = top if top.get("kind") == "ask" else {}
        if kind == "tiles_laid":
            self.tiles = event["tiles"]
        if kind == "dice_placed":
            self.acting = self._tile_at(number_of(event["target"]))
        if kind == "notes_moved" and number_of(event["source"]):
            self.paying = self._tile_at(number_of(event["source"]))
        if kind == "round_started":
            self.acting = self.paying = ""

    def _move(self, event: dict[str, Any]) -> Iterator[tuple[str, int]]:
        """Whoever hands something over after something came begins another payment."""
        worth = sum(event.get("notes", ())) + CHIP * event.get("chips", 0)
        comes = event["source"] == "bank"
        purse = event["target"] if comes else event["source"]
        if not purse.startswith("purse-"):
            return
        if purse != self.purse or (self.came and not comes):
            yield from self._end()
        self.purse, self.came, self.giver = purse, self.came or comes, self.paying or self.acting
        self.sum += worth if comes else -worth

    def _end(self) -> Iterator[tuple[str, int]]:
        if self.sum > 0 and self.giver:
            yield self.giver, self.sum
        self.purse, self.sum, self.came, self.giver = "", 0, False, ""


# All games together


class Count:
    def __init__(self) -> None:
        self.tables: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
        self.lengths: dict[tuple[str, int], Counter[int]] = defaultdict(Counter)
        self.bots: dict[tuple[str, int], dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        self.tiles: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.faces: dict[str, Counter[int]] = defaultdict(Counter)

    def add(self, header: dict[str, Any], commits: list[dict[str, Any]]) -> None:
        table = header["edition"], header["seats"]
        winners = header["result"].get("winners") or []
        self.faces[header["edition"]].update(count_faces(commits))
        self.tables[table]["finished" if winners else "broken_off"] += 1
        if winners:
            self._add_result(table, winners, commits)
            self._add_tiles(header["edition"], commits)

    def _add_result(self, table: tuple[str, int], winners: list[int], commits: list[dict[str, Any]]) -> None:
        length = sum(commit["command"]["type"] == "choose" for commit in commits)
        self.tables[table]["answers"] += length
        self.tables[table].update(f"seat {seat}" for seat in winners)
        self.lengths[table][length // STEP * STEP] += 1
        for seat, bot in enumerate(find_bots(commits)):
            if bot:
                self.bots[table][bot]["seats"] += 1
                self.bots[table][bot]["won"] += seat in winners

    def _add_tiles(self, edition: str, commits: list[dict[str, Any]]) -> None:
        for laid in events_of(commits, "tiles_laid"):
            for code in laid["tiles"]:
                self.tiles[edition, code]["laid"] += 1
        for code, dollars in Payments().follow(commits):
            self.tiles[edition, code]["paid"] += 1
            self.tiles[edition, code]["dollars"] += dollars

    def tell(self) -> dict[str, list[dict[str, Any]]]:
        return {
            "tables": [self._tell_table(*table) for table in sorted(self.tables)],
            "tiles": [
                {
                    "edition": edition,
                    "code": code,
                    **{name: count[name] for name in ("laid", "paid", "dollars")},
                }
                for (edition, code), count in sorted(self.tiles.items())
            ],
            "rolls": [
                {"edition": edition, "dice": faces.total(), "faces": [faces[face] for face in range(1, 7)]}
                for edition, faces in sorted(self.faces.items())
                if faces
            ],
        }

    def _tell_table(self, edition: str, players: int) -> dict[str, Any]:
        table = edition, players
        counts, finished = self.tables[table], self.tables[table]["finished"]
        return {
            "edition": edition,
            "players": players,
            "finished": finished,
            "broken_off": counts["broken_off"],
            "answers": round(counts["answers"] / finished, 2) if finished else 0.0,
            "lengths": {str(length): number for length, number in sorted(self.lengths[table].items())},
            "won_by_seat": [counts[f"seat {seat}"] for seat in range(players)],
            "bots": [
                {"bot": bot, "seats": count["seats"], "won": count["won"]}
                for bot, count in sorted(self.bots[table].items())
            ],
        }


def main(names: list[str]) -> None:
    paths = [
        path for name in map(Path, names) for path in (name.glob("*.ndjson") if name.is_dir() else [name])
    ]
    count = Count()
    for header, commits in read_games(paths):
        count.add(header, commits)
    json.dump(count.tell(), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
