"""Where statistics are kept: among what `Lobby.clear` drops."""

_PREFIX = "croupier:{lobby}:stats:"
COUNTS, GAMES, RESULTS, WAITING, PLACED = (
    _PREFIX + name for name in ("counts", "games", "results", "waiting", "placed")
)
RATINGS, RATED, BOARDS, BOARD = (_PREFIX + name for name in ("ratings", "rated", "boards", "board:"))
