"""Three verifiers, one corpus of forged games, one contract: none holds what differs in what it judges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import environ

import pytest

from service.fairness.verify import verify
from tests.support.browser import PageModules, lines, open_browser, open_modules
from tests.support.forged_games import GAMES, Forgery, forge, true_game
from tests.support.forgeries import Raws
from tests.support.profiles import sample
from tests.support.second_opinion import second_opinion
from tests.support.tampering import JUDGED_BY_PAGE, LIES, WORD

Judge = Callable[[Sequence[Raws]], list[bool]]
# One of each lie, a third of them in `make test`; the long form tells each of them several times.
# FORGERIES=5000 takes some eight minutes.
SHORT = len(LIES)
LONG = int(environ.get("FORGERIES", "500"))
BATCH = 25
LONG_BATCH = 250


def starts(first: int, last: int, batch: int) -> list[int]:
    return list(range(first, last, batch))


@pytest.fixture(scope="module")
def page(chromium: str) -> Iterator[PageModules]:
    with open_browser(chromium) as browser, open_modules(browser) as modules:
        yield modules


@pytest.fixture(params=["croupier verify", "verify.py", "the page"])
def verifier(request: pytest.FixtureRequest) -> tuple[str, Judge]:
    """Its name, and whether it holds each of some games."""
    if request.param == "croupier verify":
        return request.param, lambda games: [verify(raws).ok is True for raws in games]
    if request.param == "verify.py":
        return request.param, lambda games: [second_opinion(raws)[0] for raws in games]
    modules: PageModules = request.getfixturevalue("page")
    return request.param, lambda games: [told["ok"] is True for told in modules.verify(*map(lines, games))]


def keeps_contract(name: str, forgery: Forgery, held: bool) -> bool:
    """What no file can prove is held, what is judged is refused; the page says that it judges no moves."""
    if forgery.about == WORD:
        return held
    judged = name != "the page" or forgery.about in JUDGED_BY_PAGE
    return not (held and judged)


def find_broken(verifier: tuple[str, Judge], numbers: Sequence[int]) -> list[tuple[int, str, str, str]]:
    name, judge = verifier
    forged = [forge(number) for number in numbers]
    held = judge([forgery.raws for forgery in forged])
    return [
        (forgery.number, forgery.lie, forgery.about, forgery.game)
        for forgery, is_held in zip(forged, held, strict=True)
        if not keeps_contract(name, forgery, is_held)
    ]


@pytest.mark.parametrize("first", sample(starts(0, SHORT, BATCH), 3))
def test_no_verifier_holds_a_forgery(verifier: tuple[str, Judge], first: int) -> None:
    assert find_broken(verifier, range(first, min(first + BATCH, SHORT))) == []


@pytest.mark.long
@pytest.mark.parametrize("first", starts(SHORT, LONG + SHORT, LONG_BATCH))
def test_no_verifier_holds_one_of_many_forgeries(verifier: tuple[str, Judge], first: int) -> None:
    assert find_broken(verifier, range(first, first + LONG_BATCH)) == []


@pytest.mark.long
def test_every_verifier_holds_the_true_games(verifier: tuple[str, Judge]) -> None:
    _, judge = verifier
    held = judge([true_game(game) for game in GAMES])
    assert {game for game, is_held in zip(GAMES, held, strict=True) if not is_held} == set()
