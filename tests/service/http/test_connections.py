"""Who is waited for, how long, and who has to leave when there are too many."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from service.http.server.connections import Bounds, Connection, ConnectionTimeouts, RequestTimeout, Room
from service.http.server.worker import bound_connections
from service.ops.processes import MOST_CONNECTIONS, RESERVED, plan_capacity
from tests.support.waiting import wait_until

LONG, SHORT = 60.0, 0.05
ANNA, EVE, PROXY = "192.0.2.1", "192.0.2.2", "192.0.2.3"


class Door:
    """A room, and both ends of every connection in it."""

    def __init__(self, stack: ExitStack, bounds: Bounds, patience: ConnectionTimeouts) -> None:
        self._stack, self._patience = stack, patience
        self.room = Room(bounds, lambda address: address == PROXY)

    def enter(self, address: str, sent: bytes = b"") -> tuple[Connection, socket.socket]:
        ours, theirs = socket.socketpair()
        self._stack.enter_context(ours)
        self._stack.enter_context(theirs)
        connection = Connection(ours, address, self.room, self._patience)
        self._stack.enter_context(self.room.admit(connection))
        if sent:
            theirs.sendall(sent)
            assert connection.recv(100) == sent
        return connection, theirs


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def open_door(
    stack: ExitStack, bounds: Bounds, idle: float = LONG, request: float = LONG, reply: float = LONG
) -> Door:
    return Door(stack, bounds, ConnectionTimeouts(idle, request, reply))


ROOMY = Bounds(100, 100, 100)


def test_who_sends_nothing_is_let_go_without_a_word(stack: ExitStack) -> None:
    connection, _ = open_door(stack, ROOMY, idle=SHORT).enter(ANNA)
    assert connection.recv(100) == b""


def test_a_request_has_its_time_as_a_whole_however_it_trickles(stack: ExitStack) -> None:
    connection, theirs = open_door(stack, ROOMY, request=SHORT).enter(ANNA, b"GET")

    def trickle() -> None:
        while True:
            theirs.sendall(b"x")
            connection.recv(1)

    with pytest.raises(RequestTimeout):
        trickle()


def test_a_new_request_has_its_time_again(stack: ExitStack) -> None:
    connection, theirs = open_door(stack, ROOMY, idle=LONG, request=SHORT).enter(ANNA, b"GET")
    with pytest.raises(RequestTimeout):
        connection.recv(1)
    connection.begin_reply()
    connection.end_reply()
    theirs.sendall(b"POST")
    assert connection.recv(100) == b"POST"


def test_who_does_not_take_the_reply_is_given_up(stack: ExitStack) -> None:
    connection, _ = open_door(stack, ROOMY, reply=SHORT).enter(ANNA)
    with pytest.raises(BrokenPipeError):
        connection.sendall(b"x" * 10_000_000)


def test_where_there_are_too_many_the_one_that_waited_longest_leaves(stack: ExitStack) -> None:
    door = open_door(stack, Bounds(2, 100, 100))
    busy, idle = door.enter(ANNA)[0], door.enter(EVE)[0]
    busy.begin_reply()
    newest, _ = door.enter(PROXY)
    assert idle.recv(1) == b""
    door.enter(PROXY, b"hello")
    assert newest.recv(1) == b""


def test_half_a_request_that_leaves_is_told_so(stack: ExitStack) -> None:
    door = open_door(stack, Bounds(1, 100, 100))
    first, _ = door.enter(ANNA, b"GET")
    door.enter(PROXY)
    with pytest.raises(RequestTimeout):
        first.recv(1)


def test_who_has_most_of_the_room_makes_room(stack: ExitStack) -> None:
    door = open_door(stack, Bounds(4, 100, 100))
    others = [door.enter(ANNA)[0] for _ in range(2)]
    crowd = [door.enter(EVE)[0] for _ in range(3)]
    assert crowd[0].recv(1) == b""
    assert door.enter(ANNA, b"hello")
    assert others[0].recv(1) == b""


@pytest.mark.parametrize(("address", "left"), [(EVE, 2), (PROXY, 4)])
def test_of_one_address_only_some_may_be_in_the_middle_of_a_request(
    stack: ExitStack, address: str, left: int
) -> None:
    """Behind a proxy are many callers."""
    door = open_door(stack, Bounds(100, 4, 2))
    begun = [door.enter(address, b"POST") for _ in range(5)]
    for connection, _ in begun:
        door.room.note_incomplete(connection)
    assert [is_heard(theirs) for _, theirs in begun] == [False] * (5 - left) + [True] * left


def test_whoever_sends_on_while_it_is_answered_is_in_the_middle_of_a_request_again(stack: ExitStack) -> None:
    door = open_door(stack, Bounds(100, 1, 1), request=SHORT)
    (first, theirs), (second, _) = (door.enter(EVE, b"POST") for _ in range(2))
    for connection in (first, second):
        connection.begin_reply()
        connection.resume_request()
        with pytest.raises(RequestTimeout):
            connection.recv(1)
    assert not is_heard(theirs)


def is_heard(theirs: socket.socket) -> bool:
    try:
        return bool(theirs.send(b"x"))
    except BrokenPipeError:
        return False


def test_a_slow_reader_gives_way(stack: ExitStack) -> None:
    """His reply is cut off: there are others whose request is whole."""
    door = open_door(stack, Bounds(1, 100, 100))
    slow, _ = door.enter(ANNA)
    slow.begin_reply()
    with ThreadPoolExecutor(1) as pool:
        reply = pool.submit(slow.sendall, b"x" * 10_000_000)
        wait_until(lambda: [door.enter(PROXY), reply.done()][1], "his end")
    with pytest.raises(BrokenPipeError):
        reply.result()


@pytest.mark.parametrize("descriptors", [0, 100, 256, 1024, 20_000, 10**9])
def test_there_is_room_for_requests_beside_all_streams(descriptors: int) -> None:
    capacity = plan_capacity(descriptors)
    assert 0 < capacity.streams < capacity.connections <= MOST_CONNECTIONS
    assert capacity.connections <= max(64, descriptors - RESERVED)
    bounds = bound_connections(capacity)
    assert capacity.streams + bounds.incomplete_of_one < bounds.connections
