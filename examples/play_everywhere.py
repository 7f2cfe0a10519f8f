"""Plays in all games of a player at once and hears of its turns over one connection.

    python examples/play_everywhere.py http://127.0.0.1:8000 TOKEN FILE

TOKEN is the player's, from POST /v1/players. FILE keeps how far it has come: killed and started again, it
misses no turn and answers none twice.
"""

import json
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

if len(sys.argv) != 4:
    sys.exit(
        "usage: play_everywhere.py ADDRESS TOKEN FILE, as http://127.0.0.1:8000, a player's and any file"
    )
HOST, PLACE = urlsplit(sys.argv[1]).netloc, Path(sys.argv[3])
HEADERS = {"Authorization": f"Bearer {sys.argv[2]}", "Content-Type": "application/json"}


def call(line: HTTPConnection, method: str, address: str, body: Any = None) -> Any:
    line.request(method, address, body and json.dumps(body), HEADERS)
    return json.loads(line.getresponse().read())


def listen(after: str) -> Iterator[Any]:
    line = HTTPConnection(HOST, timeout=60)
    line.request("GET", f"/v1/me/events?after={after}", headers=HEADERS | {"Accept": "text/event-stream"})
    reply = line.getresponse()
    if 400 <= reply.status < 500:
        sys.exit(reply.read().decode())
    yield from (json.loads(text[6:]) for text in reply if text.startswith(b"data: "))


def answer(line: HTTPConnection, game: str) -> None:
    for ask in call(line, "GET", game)["asks"]:
        if ask["yours"]:  # Not if it was answered before the kill. As many dice as possible.
            best = max(ask["options"], key=lambda option: sum((option.get("dice") or {}).values()))
            call(line, "POST", f"{game}/choices", {"ask": ask["ask"], "choice": best["choice"]})


while True:
    try:
        line = HTTPConnection(HOST, timeout=60)
        for news in listen(PLACE.read_text() if PLACE.exists() else "0"):
            if news.get("what") == "asked":
                answer(line, f"/v1/games/{news['game']}")
            if news.get("what") == "left":  # We were too slow, and a bot plays for us until we are back.
                call(line, "POST", f"/v1/games/{news['game']}/return")
            PLACE.with_suffix(".new").write_text(news.get("id") or news["next"])
            PLACE.with_suffix(".new").replace(PLACE)
    except (OSError, HTTPException, ValueError):
        time.sleep(0.5)  # The service restarts, or the line is down.
