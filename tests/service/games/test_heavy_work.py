"""Whoever does something long in the process that serves everybody lets others have their turn."""

import subprocess
import sys

from service.games.heavy_work import CooperativeIterator

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
