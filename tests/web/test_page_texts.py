"""Every language says everything, about the same things."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.browser import FOLDER, PageModules, open_modules

LANGUAGES = sorted(path.stem for path in (FOLDER / "texts").glob("*.js"))
# A text is a string with {places}, or a function, which is watched as it looks for what it is given.
PLACES = """async (language) => {
    const texts = (await import(`/texts/${language}.js`)).default;
    const placesIn = (text) => {
        if (typeof text === "string") return [...text.matchAll(/\\{(\\w+)\\}/g)].map(([, name]) => name);
        const names = new Set();
        const given = new Proxy({}, {get: (_, name) => (names.add(String(name)), 1)});
        if (typeof text(given) !== "string") throw new Error(text);
        return [...names];
    };
    return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, placesIn(text).sort()]));
}"""


@pytest.fixture(scope="module")
def modules(browser: Browser) -> Iterator[PageModules]:
    with open_modules(browser) as modules:
        yield modules


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_the_keys_and_places_of_english(language: str, modules: PageModules) -> None:
    assert modules.page.evaluate(PLACES, language) == modules.page.evaluate(PLACES, "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_said_twice(language: str) -> None:
    """Of two texts with the same key the second would be shown, and the first be mended in vain."""
    keys = Counter(keys_of(language))
    assert [key for key, number in keys.items() if number > 1] == []
    assert len(keys) > 100


def test_every_text_is_said_somewhere() -> None:
    """By its whole key, or by a key that begins like it and ends with a value."""
    modules = [path for path in FOLDER.rglob("*.js") if path.parent.name not in ("texts", "vendor")]
    code = "\n".join(path.read_text() for path in modules)
    said = set(re.findall(r'"(\w+(?:\.[\w.-]+)+)"', code))
    beginnings = tuple(re.findall(r"`(\w+\.[\w.-]*)\$\{", code))
    assert [key for key in keys_of("en") if key not in said and not key.startswith(beginnings)] == []


def keys_of(language: str) -> list[str]:
    lines = (FOLDER / "texts" / f"{language}.js").read_text().splitlines()
    return [match[1] for line in lines if (match := re.match(r'\s*"([^"]+)":', line))]


def test_english_has_a_companion() -> None:
    assert LANGUAGES == ["de", "en"]
