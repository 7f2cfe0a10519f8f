"""docs/scale.md lists every key that the service has, and the partitions and files as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from redis import Redis

from events.layout import LAYOUTS
from service.container import build_backend
from service.lobby.rebuild import rebuild_lobby
from service.ops.redis_server import RedisServer
from tests.support.api_client import ApiClient, PlayerClient, long_key, project
from tests.support.app import open_app_on

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "docs" / "scale.md").read_text("utf-8")
WORDS = {
    "NN": r"\d\d",
    "{P}": r"\{(?:players|p[0-7]{2})\}",
    "GAME": r"g_[\w-]{22}",
    "PLAYER": r"p_[\w-]{22}",
    "HASH": r"[0-9a-f]{32,64}",
    "…": ".*",
}


def read_patterns() -> list[re.Pattern[str]]:
    """The keys in the first column of the table, as patterns."""
    rows = [line for line in GUIDE.splitlines() if line.startswith(("| `croupier:", "| `rq:"))]
    names = [name for row in rows for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])]
    words = "|".join(map(re.escape, WORDS))
    return [
        re.compile("".join(WORDS.get(part, re.escape(part)) for part in re.split(f"({words})", name)))
        for name in names
    ]


def test_guide_lists_every_key(redis_server: RedisServer, real_redis: Redis) -> None:
    with open_app_on(redis_server.url) as app:
        api = ApiClient(app.test_client())
        anna = PlayerClient(api, "Anna")
        api.post("/v1/players", {"name": "Ben"}, Idempotency_Key=long_key("Ben"))
        game = anna.set_up({"name": "Ben"}, {"name": "Carla"})
        game.play()
        anna.set_up({"bot": "random"}, {"open": True})
        api.send("PATCH", "/v1/me", {"name": "Anne"}, anna.token, Idempotency_Key=long_key("Anne"))
        api.post("/v1/tickets", {"game": game.id}, anna.token, Idempotency_Key=long_key("ticket"))
        project(real_redis)
        rebuild_lobby(build_backend(real_redis))
    keys = {key.decode() for key in real_redis.scan_iter()}
    patterns = read_patterns()
    assert len(keys) > 20
    assert [key for key in sorted(keys) if not any(each.fullmatch(key) for each in patterns)] == []


def test_guide_names_the_partitions_and_the_files_that_there_are() -> None:
    for layout in LAYOUTS.values():
        assert f"`{layout.tag(0)}` to `{layout.tag(layout.partitions - 1)}`" in GUIDE
    files = re.findall(r"`(deploy/[\w.]+)`", GUIDE)
    assert files
    assert [name for name in files if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("mark", ["[M]", "[C]", "[A]"])
def test_guide_marks_its_numbers(mark: str) -> None:
    assert f"**{mark}**" in GUIDE
    assert GUIDE.count(mark) > 2
