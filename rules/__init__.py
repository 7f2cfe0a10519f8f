"""The games as pure functions: no I/O, no clock, no randomness of their own.

`decide` turns a command into events, `evolve` applies one event to a state, `legal` lists what a seat
may answer, and `view` is the state without what a viewer may not see. `EDITIONS` are the games that can be
played, `TILES` the tiles that an edition may lay out.

Three of these functions have the name of their module. Code outside imports from here; modules inside
`rules` import from each other (`from rules.decide import run_command`) and never from this one.
"""

from rules.decide import decide
from rules.editions import EDITIONS
from rules.errors import Rejected
from rules.evolve import evolve
from rules.legal import legal
from rules.state import State, view
from rules.tiles import TILES

__all__ = ["EDITIONS", "TILES", "Rejected", "State", "decide", "evolve", "legal", "view"]
