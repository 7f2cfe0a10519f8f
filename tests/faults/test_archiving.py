"""A game whose process is killed while it is archived is whole, in one place or the other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from service.ops.redis_server import RedisServer
from tests.support.s3_server import BUCKET, open_s3

KILLS = 10


def kill(redis_url: str, archive_url: str, **environ: str) -> int:
    """In a process without threads, which can be copied."""
    command = [sys.executable, "-m", "tests.support.killed_archiving", redis_url, archive_url, str(KILLS)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_a_game_in_a_folder_survives_every_kill(spare_redis: RedisServer, tmp_path: Path) -> None:
    assert kill(spare_redis.url, f"file://{tmp_path}/archive") == KILLS


@pytest.mark.long
def test_a_game_in_a_bucket_survives_every_kill(spare_redis: RedisServer) -> None:
    with open_s3() as server:
        environ = {
            "AWS_ENDPOINT_URL": server.url,
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "eu-central-1",
        }
        assert kill(spare_redis.url, f"s3://{BUCKET}/archive", **environ) == KILLS
