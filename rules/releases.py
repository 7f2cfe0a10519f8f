"""Every edition in all its releases: a game stays under the one it was created under."""

from __future__ import annotations

from collections.abc import Mapping

from rules.claims import claim
from rules.ruleset import Ruleset
from rules.state import State


class UnknownRelease(LookupError):
    """These rules are not among the known ones."""

    def __init__(self, edition: str, release: str) -> None:
        super().__init__(f"release {release} of {edition}")
        self.edition, self.release = edition, release


class Editions:
    """Takes the releases of each edition, oldest first; games name theirs by its number, as text."""

    __slots__ = ("_numbered", "newest", "releases")

    def __init__(self, *editions: tuple[Ruleset, ...]) -> None:
        self.releases = tuple(ruleset for releases in editions for ruleset in releases)
        newest = (releases[-1] for releases in editions)
        self.newest: Mapping[str, Ruleset] = claim((ruleset.id, ruleset) for ruleset in newest)
        self._numbered = {(ruleset.id, str(ruleset.release)): ruleset for ruleset in self.releases}

    def of(self, state: State) -> Ruleset:
        """What the game is played by. Raises UnknownRelease."""
        return self.find(state.edition, state.release)

    def find(self, edition: str, release: str) -> Ruleset:
        """Raises UnknownRelease."""
        ruleset = self._numbered.get((edition, release))
        if ruleset is None:
            raise UnknownRelease(edition, release)
        return ruleset
