"""Several people at play at once, through everything that happens to the house."""

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from types import TracebackType

from tests.support.http_player import HttpPlayer, HttpService
from tests.support.waiting import wait_until

EDITIONS = ("classic", "modern", "royale", "cards")
MORE_ANSWERS = 3


class ParallelPlayers:
    """One regular an edition, each in a thread of its own."""

    def __init__(self, door: HttpService) -> None:
        self.door = door
        self._closing = Event()
        self.regulars = [HttpPlayer(door, edition, self._closing) for edition in EDITIONS]
        self._pool = ThreadPoolExecutor(len(EDITIONS))
        self._playing: list[Future[None]] = []

    def __enter__(self) -> "ParallelPlayers":
        self._playing = [self._pool.submit(regular.play_on) for regular in self.regulars]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._pool.shutdown()

    def play_further(self) -> None:
        """Until everybody has got a few more answers in, with those of the bots between them."""
        goals = [len(regular.promises) + MORE_ANSWERS for regular in self.regulars]

        def reached() -> bool:
            self._raise_faults()
            promised = (len(regular.promises) for regular in self.regulars)
            return all(count >= goal for count, goal in zip(promised, goals, strict=True))

        wait_until(reached, "everybody playing on")

    def await_answering(self) -> None:
        """Until somebody's answer is under way."""
        wait_until(lambda: any(regular.answering for regular in self.regulars), "an answer of anybody")

    def finish(self) -> None:
        """Everybody plays the game at hand to its end."""
        self._closing.set()
        wait_until(lambda: all(future.done() for future in self._playing), "the end of every game")
        self._raise_faults()

    def _raise_faults(self) -> None:
        for future in self._playing:
            if future.done():
                future.result()
