"""Every edition in all its releases: a game stays under the one it was created under."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from rules.ruleset import Options, Ruleset, merge_unique
from rules.state import State


class UnknownRules(LookupError):
    """A game names a release, an option or a tile that is not among the known ones."""


class _Known(Struct, frozen=True):
    """A release and the names that its games may use; `coded` are the options whose values are tile codes."""

    ruleset: Ruleset
    options: frozenset[str]
    coded: tuple[str, ...]
    codes: frozenset[str]

    def has(self, options: Options, tiles: Sequence[str]) -> bool:
        """Whether the release has these options and tiles; `tiles` are those that came out of the box.

        It is called for every answer and every view, so it takes the shortest way.
        """
        if not self.options.issuperset(options):
            return False
        if tiles or not self.coded:
            # Tiles that the options name are among those that came out of the box.
            return self.codes.issuperset(tiles)
        return all(self.codes.issuperset(_codes_in(options, name)) for name in self.coded)


class Editions:
    """Takes the releases of each edition, oldest first; games name theirs by its number, as text."""

    __slots__ = ("_known", "_last", "newest", "releases")

    def __init__(self, *editions: tuple[Ruleset, ...]) -> None:
        self.releases = tuple(ruleset for releases in editions for ruleset in releases)
        newest = (releases[-1] for releases in editions)
        self.newest: Mapping[str, Ruleset] = merge_unique((ruleset.id, ruleset) for ruleset in newest)
        self._known = {(ruleset.id, str(ruleset.release)): _know(ruleset) for ruleset in self.releases}
        self._last: tuple[Options, Sequence[str], str, str, Ruleset] | None = None

    def of(self, state: State) -> Ruleset:
        """The release that the game is played by. Raises UnknownRules."""
        options = state.options
        tiles = state.tile_box
        last = self._last
        # One command looks a game up several times, a bot hundreds of times; its options stay one object.
        if last is not None and last[0] is options and last[1] is tiles:
            _, _, edition, release, ruleset = last
            if edition == state.edition and release == state.release:
                return ruleset
        ruleset = self.find(state.edition, state.release, options, tiles)
        self._last = (options, tiles, state.edition, state.release, ruleset)
        return ruleset

    def knows(self, state: State) -> bool:
        """Whether the release of a game, its options and its tiles are known."""
        known = self._known.get((state.edition, state.release))
        return known is not None and known.has(state.options, state.tile_box)

    def find(self, edition: str, release: str, options: Options, tiles: Sequence[str] = ()) -> Ruleset:
        """The release, if it has these options and tiles. Raises UnknownRules."""
        known = self._known.get((edition, release))
        if known is None:
            raise UnknownRules(f"release {release} of {edition}")
        if not known.has(options, tiles):
            raise UnknownRules(f"{next(_missing(known, options, tiles))} of {edition}")
        return known.ruleset


def _know(ruleset: Ruleset) -> _Known:
    coded = [spec for spec in ruleset.options if spec.codes]
    return _Known(
        ruleset,
        frozenset(spec.name for spec in ruleset.options),
        tuple(spec.name for spec in coded),
        codes=frozenset((*ruleset.tiles, *(code for spec in coded for code in spec.codes))),
    )


def _missing(known: _Known, options: Options, tiles: Sequence[str]) -> Iterator[str]:
    yield from (f"the option {name}" for name in options if name not in known.options)
    for codes in (tiles, *(_codes_in(options, name) for name in known.coded)):
        yield from (f"the tile {code}" for code in codes if code not in known.codes)


def _codes_in(options: Options, name: str) -> tuple[str, ...]:
    codes = options.get(name)
    return codes if isinstance(codes, tuple) else ()


def restrict(ruleset: Ruleset, options: Options, tiles: Sequence[str]) -> Ruleset:
    """Return the rules without what was added to the release after a game with these options was begun.

    When that game is decided again, it must not name what did not exist yet. What the release began with
    is kept.
    """
    specs = tuple(spec for spec in ruleset.options if not spec.added or spec.name in options)
    there = {*ruleset.first_tiles, *tiles}
    return replace(
        ruleset, options=specs, tiles={code: tile for code, tile in ruleset.tiles.items() if code in there}
    )
