"""The bell: who hears what."""

from collections.abc import Iterator

import pytest
import redis

from events.redis_store import BELL
from service.http.doorbell import Doorbell, Listener
from tests.support.waiting import PATIENCE, wait_until


@pytest.fixture
def listener(memory: redis.Redis) -> Iterator[Listener]:
    doorbell = Doorbell(memory)
    with doorbell.listen("g_1") as listener:
        assert listener.wait(PATIENCE), "the subscription stands"
        yield listener
    doorbell.close()


def test_a_listener_hears_how_far_its_game_has_come(memory: redis.Redis, listener: Listener) -> None:
    for news in ("g_1|7", "g_2|9", "g_1|8"):
        memory.publish(BELL, news)
    wait_until(lambda: listener.heard == 8, "the last ring")
    assert listener.wait(0)


@pytest.mark.parametrize(
    "news", [b"", b"g_1", b"g_1|", b"g_1|x", b"\xff|1", b"g_1|1|2", b"g_1|" + b"9" * 5000]
)
def test_what_is_no_news_ends_no_stream(memory: redis.Redis, listener: Listener, news: bytes) -> None:
    memory.publish(BELL, news)
    memory.publish(BELL, b"g_1|2")
    wait_until(lambda: listener.heard == 2, "the ring behind it")
