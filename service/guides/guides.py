"""The guides: which there are, in which order, and each as a page.

The sources are Markdown in `docs`, which a wheel has beside this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from html import escape
from pathlib import Path
from posixpath import normpath

from msgspec import Struct

from service.games.heavy_work import HEAVY_WORK_LOCK
from service.guides.markdown import Page, render_markdown
from service.http.static_files import HTML, StaticFile, make_file
from service.page.files import build

_SHIPPED = Path(__file__).parent / "docs"
FOLDER = _SHIPPED if _SHIPPED.is_dir() else Path(__file__).parents[2] / "docs"
_TEMPLATE = Path(__file__).parent / "page.html"
INDEX = "guides/README.md"
# Where `make run` serves: in the sources, examples call this address.
ADDRESS = "http://127.0.0.1:8000"


class Guide(Struct, frozen=True):
    """A guide: its address is `/docs/` and `name`; `source` is its file in `docs`."""

    name: str
    title: str
    source: str

    @property
    def address(self) -> str:
        return f"/docs/{self.name}" if self.name else "/docs"


START = Guide("", "Overview", INDEX)
# In the order in which a newcomer needs them.
GUIDES = (
    Guide("quickstart", "Quickstart", "guides/quickstart.md"),
    Guide("tokens-and-players", "Tokens and players", "guides/tokens-and-players.md"),
    Guide("play-a-turn", "Play a turn", "guides/play-a-turn.md"),
    Guide("follow-a-game", "Follow a game", "guides/follow-a-game.md"),
    Guide("webhooks", "Webhooks", "guides/webhooks.md"),
    Guide("retries", "Retries and idempotency", "guides/retries.md"),
    Guide("errors", "Errors", "guides/errors.md"),
    Guide("limits", "Limits", "guides/limits.md"),
    Guide("verify-a-game", "Verify a game", "guides/verify-a-game.md"),
    Guide("host-opponents", "Host opponents", "guides/host-opponents.md"),
    Guide("bring-a-bot", "Bring a bot", "guides/bring-a-bot.md"),
    Guide("let-a-model-play", "Let a model play", "guides/let-a-model-play.md"),
    Guide("test-your-frontend", "Test your frontend", "guides/test-your-frontend.md"),
    Guide("versioning", "Versioning and deprecation", "guides/versioning.md"),
)
BACKGROUND = (
    Guide("keys", "API keys", "keys.md"),
    Guide("bots", "The bots", "bots.md"),
    Guide("advice", "Advice and analysis", "advice.md"),
    Guide("fairness", "Fairness", "fairness.md"),
    Guide("rulings", "Rulings", "rulings.md"),
    Guide("glossary", "Glossary", "glossary.md"),
    Guide("operating", "Operating", "operating.md"),
    Guide("scale", "Scale", "scale.md"),
)
REFERENCE = Guide("reference", "Reference", "")
_ALL = (START, *GUIDES, *BACKGROUND)
_BY_NAME = {guide.name: guide for guide in _ALL}
_BY_SOURCE = {guide.source: guide for guide in _ALL}
# Files of the repository that the service has at an address of its own.
_ELSEWHERE = {"../openapi.yaml": "/openapi.yaml"}


def find_guide(name: str, origin: str) -> StaticFile | None:
    """Return the page of a guide by its name, "" for the list of all; None if there is no such guide.

    Its examples call the service at the `origin` that the page was asked for at.
    """
    guide = _BY_NAME.get(name)
    if guide is None:
        return None
    with HEAVY_WORK_LOCK:
        return _make_page_at(guide, origin)


@lru_cache(128)
def _make_page_at(guide: Guide, origin: str) -> StaticFile:
    page = _make_page(guide).content
    return make_file(page.replace(ADDRESS.encode(), escape(origin).encode()), HTML)


def read_source(name: str) -> bytes | None:
    """Return the Markdown of a guide by its name; None if there is no such guide."""
    guide = _BY_NAME.get(name)
    return None if guide is None else (FOLDER / guide.source).read_bytes()


@cache
def _make_page(guide: Guide) -> StaticFile:
    """Return a guide as HTML, made once for each process."""
    return fill_page(guide, render_guide(guide))


def fill_page(guide: Guide, page: Page) -> StaticFile:
    """Return a page with the navigation beside it."""
    values = {
        "build": build(),
        "title": escape(page.title),
        "summary": escape(page.summary),
        "guides": "".join(_list_links(GUIDES, guide, page)),
        "background": "".join(_list_links(BACKGROUND, guide, page)),
        "overview": _link(START, guide),
        "content": page.html,
        "neighbours": _link_neighbours(guide),
    }
    text = _TEMPLATE.read_text("utf-8")
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value, -1 if name == "build" else 1)
    return make_file(text.encode(), HTML)


def render_guide(guide: Guide) -> Page:
    """Return the document of a guide."""
    source = (FOLDER / guide.source).read_text("utf-8")
    return render_markdown(source, lambda link: resolve_link(guide, link))


def resolve_link(guide: Guide, link: str) -> str | None:
    """Return the address that a link of a guide leads to; None if the service does not have it."""
    if link.startswith(("#", "/", "https://", "http://")):
        return link
    path, mark, anchor = link.partition("#")
    source = normpath(f"{Path(guide.source).parent.as_posix()}/{path}")
    if source in _BY_SOURCE:
        return f"{_BY_SOURCE[source].address}{mark}{anchor}"
    return _ELSEWHERE.get(source)


def _list_links(guides: Sequence[Guide], current: Guide, page: Page) -> Iterator[str]:
    """Yield the entries of the navigation, with the sections of the current page below its own."""
    for guide in guides:
        sections = "".join(
            f'<li><a href="#{heading.anchor}">{escape(heading.text)}</a></li>'
            for heading in page.headings
            if heading.level == 2 and guide == current
        )
        yield f"<li>{_link(guide, current)}{f'<ol>{sections}</ol>' if sections else ''}</li>\n"


def _link(guide: Guide, current: Guide) -> str:
    mark = ' aria-current="page"' if guide == current else ""
    return f'<a href="{guide.address}"{mark}>{escape(guide.title)}</a>'


def _link_neighbours(guide: Guide) -> str:
    """Return links to the guides before and after this one."""
    if guide not in GUIDES:
        return ""
    at = GUIDES.index(guide)
    before = "" if at == 0 else f'<a rel="prev" href="{GUIDES[at - 1].address}">← {GUIDES[at - 1].title}</a>'
    last = at == len(GUIDES) - 1
    after = "" if last else f'<a rel="next" href="{GUIDES[at + 1].address}">{GUIDES[at + 1].title} →</a>'
    return f'<p class="neighbours">{before}{after}</p>'
