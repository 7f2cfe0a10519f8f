"""Looking back at a game: every version from one reading of its log."""

from collections.abc import Sequence

from msgspec.structs import replace

from events.commit import Commit
from events.store import MemoryStore
from service.games.snapshots import EMPTY_SNAPSHOT, fold_commits
from tests.support.games import make_games, play_answers, start_game

ANSWERS = 60


class CountingStore(MemoryStore):
    """Says how many commits were read."""

    def __init__(self) -> None:
        super().__init__()
        self.commits_read = 0

    def read(self, game: str, after: int = 0, limit: int | None = None) -> Sequence[Commit]:
        found = super().read(game, after, limit)
        self.commits_read += len(found)
        return found


def test_a_scrub_through_all_versions_costs_two_readings_of_the_log_at_most() -> None:
    store = CountingStore()
    game = start_game(make_games(store), "royale", players=3)
    assert len(list(play_answers(make_games(store), game, ANSWERS))) == ANSWERS
    commits, viewer = store.read(game), make_games(store)
    viewer.snapshot(game)
    store.commits_read = 0
    for version in range(1, len(commits) + 1):
        found = viewer.snapshot(game, version)
        assert replace(found, log_epoch=0, game="") == fold_commits(EMPTY_SNAPSHOT, commits[:version])
    assert store.commits_read <= 2 * len(commits) + 2


def test_looking_back_goes_on_with_the_game() -> None:
    store = CountingStore()
    games = make_games(store)
    game = start_game(games)
    for _ in range(3):
        *_, last = play_answers(games, game, 4)
        before = games.snapshot(game, last.version - 1)
        assert replace(before, log_epoch=0, game="") == fold_commits(
            EMPTY_SNAPSHOT, store.read(game, 0, last.version - 1)
        )
