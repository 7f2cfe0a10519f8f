"""How long a person waits for a bot, beside a job that does nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any

from redis import Redis
from redis.client import PubSub
from rq import Queue
from rq.serializers import JSONSerializer

from bench.noop import QUEUE, nothing
from bench.ratio import Ratio
from bench.servers import run, serve
from events.redis_store import BELL
from service.ops.redis_server import RedisServer
from tests.support.http_client import HttpClient

CREW = (
    "workers.projector",
    "workers.reconciler",
    "workers.worker",
    "workers.worker",
    "bench.noop",
    "bench.noop",
)
PLAN = {"edition": "classic", "seats": [{"name": "Anna"}, {"bot": "random"}]}
SAMPLES = 150
PATIENCE = 20


def turns(caller: HttpClient) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """A person's turns, in one game after the other: the game's address, the token and the table."""
    while True:
        game = caller.post("/v1/games", PLAN)
        address = f"/v1/games/{game['id']}"
        token = game["seats"][0]["token"]
        while (table := caller.get(address, token))["status"] != "over":
            if table["asks"][0]["yours"]:
                yield address, token, table
            sleep(0.005)


def bot_seconds(caller: HttpClient, bell: PubSub) -> Iterator[float]:
    """From the reply to a person's choice until the commit of the bot that is asked next."""
    for address, token, table in turns(caller):
        (ask,) = table["asks"]
        body = {"ask": ask["ask"], "choice": ask["options"][0]["choice"]}
        reply = caller.post(f"{address}/choices", body, token)
        start = perf_counter()
        if any(ask["seats"] == [1] for ask in reply["table"]["asks"]):
            _await(bell, f"{table['id']}|{reply['version'] + 1}")
            yield perf_counter() - start


def _await(bell: PubSub, rung: str) -> None:
    end = perf_counter() + PATIENCE
    while perf_counter() < end:
        message = bell.get_message(ignore_subscribe_messages=True, timeout=1.0)
        if message and message["data"].decode() == rung:
            return
    raise TimeoutError("the bot does not answer")


def noop_seconds(queue: Queue) -> float:
    start = perf_counter()
    result = queue.enqueue(nothing).latest_result(timeout=PATIENCE)
    if result is None:
        raise TimeoutError("the job is not done")
    return perf_counter() - start


def compare(base: str, client: Redis) -> Ratio:
    queue = Queue(QUEUE, connection=client, serializer=JSONSerializer)
    with closing(client.pubsub()) as bell:  # type: ignore[no-untyped-call]
        bell.subscribe(BELL)
        waited = bot_seconds(HttpClient(base), bell)
        pairs = [(next(waited) * 1000, noop_seconds(queue) * 1000) for _ in range(SAMPLES)]
    ours, noop = (median(side) for side in zip(*pairs[10:], strict=True))
    return Ratio("bot's answer, against a no-op job", ours, noop, "ms", 2.0, at_most=True)


def measure() -> Ratio:
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="croupier-bench-"))
        url = stack.enter_context(RedisServer(folder)).url
        for module in CREW:
            stack.enter_context(run([sys.executable, "-m", module], url))
        client = stack.enter_context(Redis.from_url(url))
        return compare(stack.enter_context(serve(url)).base, client)
