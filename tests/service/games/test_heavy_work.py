"""Whoever does something long in the process that serves everybody lets others have their turn."""

import subprocess
import sys
from collections.abc import Iterator
from threading import Event, Thread

from service.games.heavy_work import YIELD_SECONDS, CooperativeIterator, PacedReplies

# As in the API: everybody shares a thread, and whoever waits for something lets others go on.
SCRIPT = """
from gevent import monkey; monkey.patch_all()
import gevent, socket, time
from service.games.heavy_work import CooperativeIterator

ours, theirs = socket.socketpair()
heard = []

def ask():
    while True:
        ours.send(b"?")
        heard.append(ours.recv(1))

def answer():
    while True:
        theirs.send(theirs.recv(1))

def work(things):
    for _ in things:
        end = time.perf_counter() + 0.003
        while time.perf_counter() < end:
            pass

gevent.spawn(ask), gevent.spawn(answer)
gevent.sleep(0.001)
counts = []
for things in ([None] * 100, CooperativeIterator([None] * 100)):
    before = len(heard)
    gevent.spawn(work, things).join()
    counts.append(len(heard) - before)
print(*counts)
"""


def test_requests_go_on_while_a_long_game_is_read() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True)
    hurried, unhurried = map(int, done.stdout.split())
    assert hurried < 5
    assert unhurried > 20


def test_the_things_are_as_they_were() -> None:
    things = CooperativeIterator("abc")
    assert (list(things), len(things), things[1], things[1:], "c" in things) == (
        ["a", "b", "c"],
        3,
        "b",
        "bc",
        True,
    )


class Pieces:
    """Pieces that take a second each, by a clock that only they move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.rests: list[float] = []

    def clock(self) -> float:
        return self.now

    def rest(self, seconds: float) -> None:
        if seconds > YIELD_SECONDS:
            self.rests.append(seconds)

    def make(self, count: int) -> Iterator[bytes]:
        for _ in range(count):
            self.now += 1
            yield b"piece"


def test_a_single_long_reply_does_not_rest() -> None:
    pieces = Pieces()
    paced = PacedReplies(pieces.clock, pieces.rest)
    assert list(paced.pace(pieces.make(3))) == [b"piece"] * 3
    assert pieces.rests == []


def test_of_many_long_replies_each_piece_is_followed_by_a_rest() -> None:
    pieces = Pieces()
    paced = PacedReplies(pieces.clock, pieces.rest)
    replies = [paced.pace(pieces.make(1)) for _ in range(6)]
    for reply in replies:
        next(reply)
    assert pieces.rests == [1, 2, 3, 3, 3]


def test_a_reply_that_is_given_up_no_longer_counts() -> None:
    pieces = Pieces()
    paced = PacedReplies(pieces.clock, pieces.rest)
    first, second = (paced.pace(pieces.make(2)) for _ in range(2))
    next(first)
    next(second)
    first.close()
    next(second)
    assert pieces.rests == [1]


def test_one_piece_is_made_at_a_time() -> None:
    at_work = 0
    most = 0

    def make() -> Iterator[bytes]:
        nonlocal at_work, most
        for _ in range(20):
            at_work += 1
            most = max(most, at_work)
            # As long as a piece takes; the other threads may run meanwhile.
            Event().wait(YIELD_SECONDS)
            at_work -= 1
            yield b"piece"

    paced = PacedReplies(rest=lambda seconds: None)
    threads = [Thread(target=list, args=(paced.pace(make()),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
