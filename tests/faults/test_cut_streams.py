"""Lines are cut at random while a game is played; `make faults ATTACK=cut` does it 500 times."""

from tests.support.faults import read_with_cuts
from tests.support.service_process import RunningService


def test_what_arrived_before_and_after_each_cut_is_the_log(running: RunningService) -> None:
    """Pages, lines and streams, of a game's private view and of all of a player's games."""
    cuts, is_whole = read_with_cuts(running.http.base, seed=1)
    assert is_whole
    assert cuts > 20
