import os
import stat
import sys
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.ops.disk import FolderTaken
from service.ops.redis_server import NoRedis, RedisServer, find_binary, find_running_url, stop_orphan
from tests.support.waiting import wait_until

BINARY = os.environ.get("CROUPIER_REDIS_SERVER")


def client(server: RedisServer) -> redis.Redis:
    return redis.Redis.from_url(server.url, decode_responses=True)


def kill(server: RedisServer) -> None:
    assert server.process is not None
    server.process.kill()
    server.process.wait()


def test_every_write_is_on_disk_before_it_is_acknowledged(real_redis: redis.Redis) -> None:
    wanted = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction", "save": ""}
    assert real_redis.config_get(*wanted) == wanted


def test_data_survives_a_kill_and_a_restart(tmp_path: Path) -> None:
    with RedisServer(tmp_path, BINARY) as server, client(server) as writer:
        writer.set("note", "60000")
        kill(server)
        assert not server.is_alive()
        server.start()
        assert writer.get("note") == "60000"
    with RedisServer(tmp_path, BINARY) as again, client(again) as reader:
        assert reader.get("note") == "60000"


def test_it_listens_on_no_port_and_wants_its_password(tmp_path: Path) -> None:
    with (
        RedisServer(tmp_path, BINARY) as server,
        redis.Redis(unix_socket_path=str(server.socket), retry=Retry(NoBackoff(), 0)) as stranger,
    ):
        with pytest.raises(redis.AuthenticationError):
            stranger.ping()
        with client(server) as ours:
            assert ours.config_get("port") == {"port": "0"}


def test_the_password_is_in_no_command_line_and_in_no_readable_file(tmp_path: Path) -> None:
    with RedisServer(tmp_path, BINARY) as server:
        assert server.process is not None
        assert server.process.args == [server.binary, "-"]
        assert stat.S_IMODE((tmp_path / "redis" / "url").stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "redis").stat().st_mode) == 0o700


def test_a_second_server_over_the_same_folder_is_refused(tmp_path: Path) -> None:
    with RedisServer(tmp_path, BINARY) as first:
        with pytest.raises(FolderTaken, match=rf"in use by another Croupier \(process {os.getpid()}\)"):
            RedisServer(tmp_path, BINARY).start()
        assert first.is_alive()


def test_a_running_server_is_found_by_its_folder(tmp_path: Path) -> None:
    assert find_running_url(tmp_path) is None
    with RedisServer(tmp_path, BINARY) as server:
        assert find_running_url(tmp_path) == server.url
    assert find_running_url(tmp_path) is None


def test_an_orphan_is_shut_down_before_another_opens_the_log(tmp_path: Path) -> None:
    with RedisServer(tmp_path, BINARY) as server:
        assert server.process is not None
        stop_orphan(server.folder)
        wait_until(
            lambda: server.process is not None and server.process.poll() is not None, "the orphan's end"
        )


def test_a_folder_too_deep_for_a_socket_gets_one_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e e" * 20)
    with RedisServer(deep, BINARY) as server:
        assert server.is_alive()
        elsewhere = server.socket.parent
        assert deep not in server.socket.parents
    assert not elsewhere.exists()


def test_a_log_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with RedisServer(tmp_path, BINARY) as server, client(server) as writer:
        writer.set("a", "b" * 1000)
    for file in (tmp_path / "redis" / "appendonlydir").glob("*.incr.aof"):
        file.write_bytes(b"not a log\r\n" * 10)
    with pytest.raises(NoRedis, match="did not start"):
        RedisServer(tmp_path, BINARY).start()
    with pytest.raises(NoRedis, match="did not start"):
        RedisServer(tmp_path, BINARY).start()


def test_a_program_that_is_no_redis_is_refused() -> None:
    with pytest.raises(NoRedis, match="is not a Redis or Valkey server"):
        find_binary(sys.executable)


def test_without_a_name_the_bundled_server_is_found() -> None:
    assert Path(find_binary()).name in {"valkey-server", "redis-server"}
