"""What `croupier doctor` tells an operator."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis

from service.config import Settings
from service.ops.doctor import main
from service.ops.preflight import address_of
from service.ops.redis_server import RedisServer


def test_it_names_the_server_its_version_and_its_settings(
    spare_redis: RedisServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(Settings(redis_url=spare_redis.url, data_dir=tmp_path)) == 0
    told = capsys.readouterr().out
    with redis.Redis.from_url(spare_redis.url) as client:
        info = client.info()
    server = str(info.get("server_name", "redis"))
    assert f"{address_of(spare_redis.url)}, {server} {info[f'{server}_version']}, master" in told
    assert "appendonly yes, appendfsync always, maxmemory-policy noeviction" in told
    assert str(tmp_path) in told
    assert "games can be stored" in told


def test_it_names_what_is_wrong(spare_redis: RedisServer, capsys: pytest.CaptureFixture[str]) -> None:
    with redis.Redis.from_url(spare_redis.url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
    assert main(Settings(redis_url=spare_redis.url)) == 1
    told = capsys.readouterr().out
    assert "FAULT: maxmemory-policy is allkeys-lru" in told
    assert "cause: evicting" in told


def test_it_names_the_address_of_a_server_that_is_away(
    spare_redis: RedisServer, capsys: pytest.CaptureFixture[str]
) -> None:
    spare_redis.stop()
    assert main(Settings(redis_url=spare_redis.url)) == 1
    told = capsys.readouterr().out
    assert f"Redis: {address_of(spare_redis.url)}" in told
    assert "FAULT: " in told


def test_without_a_server_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(Settings(data_dir=tmp_path)) == 1
    assert "no Redis runs in that folder" in capsys.readouterr().out
