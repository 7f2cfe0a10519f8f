"""How long commands show their progress."""

from __future__ import annotations

from io import StringIO

from service.progress import Progress, count_things, describe_count


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_moves_on_a_terminal_and_stays_at_the_end_of_a_step() -> None:
    stream = Terminal()
    progress = Progress(stream, clock=lambda: 7.0)
    progress.show("100 of 200 games")
    progress.show("this comes too soon")
    progress.finish("200 games")
    progress.finish("done")
    assert stream.getvalue() == "\r100 of 200 games\r200 games       \n\rdone\n"


def test_without_a_terminal_lines_are_plain_and_few() -> None:
    stream = StringIO()
    seconds = iter(range(100))
    progress = Progress(stream, clock=lambda: next(seconds))
    for number in range(20):
        progress.show(f"{number} games")
    progress.finish("20 games")
    assert stream.getvalue().splitlines() == ["4 games", "9 games", "14 games", "19 games", "20 games"]


def test_counts_are_told_with_their_share_and_their_noun() -> None:
    assert describe_count(1_200, 4_000, "games") == "1,200 of 4,000 games, 30 %"
    assert describe_count(0, 0, "games") == "0 of 0 games, 100 %"
    assert (count_things(1, "game"), count_things(1_000, "game")) == ("1 game", "1,000 games")
