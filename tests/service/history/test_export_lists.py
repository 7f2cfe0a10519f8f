"""Lists of exports: what they promise to whoever reads on, whatever happens to Redis or the log."""

from collections.abc import Callable
from typing import Any

import fakeredis
import pytest
from redis import Redis

from service.container import build_backend
from service.games.cursors import game_in
from service.lobby.lobby import Lobby, Unlisted
from service.lobby.rebuild import rebuild_lobby
from tests.support.finished_games import ends_apart, put_finished

BEGIN = b"000000000000000|-"


def games_in(lobby: Lobby, edition: str = "") -> list[str]:
    return [game_in(member) for member in lobby.list_exports(edition, BEGIN, 100)]


class Interrupted(fakeredis.FakeRedis):
    """After each of its commands somebody else does something."""

    def __init__(self, server: fakeredis.FakeServer, interrupt: Callable[[], Any]) -> None:
        super().__init__(server=server)
        self.interrupt = interrupt

    def execute_command(self, *command: Any, **options: Any) -> Any:
        answer = super().execute_command(*command, **options)  # type: ignore[no-untyped-call]
        self.interrupt()
        return answer


def test_a_list_is_read_as_it_was_when_it_was_said_to_be_whole() -> None:
    """What is lost in between would be taken for its end."""
    server = fakeredis.FakeServer()
    with fakeredis.FakeRedis(server=server) as other:
        game = put_finished(other)
        with Interrupted(server, other.flushall) as client:
            assert games_in(Lobby(client)) == [game]


def test_a_list_that_was_dropped_is_not_whole_until_it_is_rebuilt(memory: Redis) -> None:
    tables = [*ends_apart()]
    games = [put_finished(memory, *table) for table in tables]
    backend = build_backend(memory)
    before = backend.lobby.list_exports("", BEGIN, 100)
    memory.delete(*memory.scan_iter("croupier:{lobby}:exports:*"))
    with pytest.raises(Unlisted):
        games_in(backend.lobby)
    rebuild_lobby(backend)
    assert backend.lobby.list_exports("", BEGIN, 100) == before
    assert games_in(backend.lobby, tables[2][0]) == games[2:]


def test_games_that_were_taken_out_of_a_list_come_last_after_a_rebuild(memory: Redis) -> None:
    lost, kept = [put_finished(memory, edition) for edition in ("classic", "cards")]
    memory.zrem("croupier:{lobby}:exports:*", lost)
    backend = build_backend(memory)
    assert games_in(backend.lobby) == [kept]
    rebuild_lobby(backend)
    assert games_in(backend.lobby) == [kept, lost]


def test_a_game_that_went_back_is_listed_anew_when_it_is_over_again(memory: Redis) -> None:
    """After a restore and a rebuild no line says any more where the game stood."""
    back, other = [put_finished(memory, edition) for edition in ("classic", "cards")]
    backend = build_backend(memory)
    over = backend.games.snapshot(back)
    backend.lobby.clear()
    backend.lobby.update(backend.games.snapshot(back, over.version - 1))
    assert games_in(backend.lobby) == [other]
    assert games_in(backend.lobby, "classic") == []
    backend.lobby.update(over)
    assert games_in(backend.lobby) == [other, back]
