"""Levels that fail, each in its own way, above one that does not."""

from __future__ import annotations

import os
import signal
from threading import Event

from workers.bots import load_bot
from workers.bots.protocol import Decision, Level, Question


def _raise(question: Question) -> Decision:
    raise ZeroDivisionError


def _hang(question: Question) -> Decision:
    Event().wait()
    raise AssertionError


def _brood(question: Question) -> Decision:
    while True:
        pass


def _die(question: Question) -> Decision:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def _cheat(question: Question) -> Decision:
    return Decision("place-9", ())


BOTS = {
    "random": load_bot("random"),
    "greedy": load_bot("greedy"),
    "raising": Level("raising", "test", 7, _raise),
    "hanging": Level("hanging", "test", 7, _hang),
    "brooding": Level("brooding", "test", 7, _brood),
    "dying": Level("dying", "test", 7, _die),
    "cheating": Level("cheating", "test", 7, _cheat),
}
