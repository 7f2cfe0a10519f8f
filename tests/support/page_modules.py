"""The page's own modules in a real browser, without a service: what they make of files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from playwright.sync_api import Browser, Page

from tests.support.browser import open_tab
from tests.support.page_server import serve_folder

FOLDER = Path(__file__).parents[2] / "service" / "page"
Raws = Sequence[dict[str, Any]]
Json = dict[str, Any]
# Texts and how many times each: what is large need not travel.
Parts = Sequence[tuple[str, int]]

VERIFY = """async (files) => {
    const {readExport} = await import("/proof/exported.js");
    const {verify} = await import("/proof/verify.js");
    const check = async (parts) => {
        const file = parts.map(([text, times]) => text.repeat(times)).join("");
        try {
            return await verify(readExport(new TextEncoder().encode(file)));
        } catch ({what, values, version}) {
            return {ok: false, fault: {what, values, version}};
        }
    };
    return Promise.all(files.map(check));
}"""
FOLD = """async ([file, edition, wanted]) => {
    const {readExport} = await import("/proof/exported.js");
    const {tableAt} = await import("/fold/table.js");
    const {commits} = readExport(new TextEncoder().encode(file));
    return wanted.map(([version, viewer]) => tableAt(commits, version, viewer, edition));
}"""


def lines(raws: Raws) -> str:
    return "".join(msgspec.json.encode(raw).decode() + "\n" for raw in raws)


class PageModules:
    def __init__(self, page: Page) -> None:
        self.page = page

    def verify(self, *files: str | Parts) -> list[Json]:
        """The page's verdict on each."""
        parts = [[(file, 1)] if isinstance(file, str) else file for file in files]
        verdicts: list[Json] = self.page.evaluate(VERIFY, parts)
        return verdicts

    def fold(self, raws: Raws, edition: Json, wanted: Sequence[tuple[int, object]]) -> list[Json]:
        """The table at each version, for a seat, nobody or `everything`."""
        tables: list[Json] = self.page.evaluate(FOLD, [lines(raws), edition, wanted])
        return tables


@contextmanager
def open_modules(browser: Browser) -> Iterator[PageModules]:
    with serve_folder(FOLDER) as base, open_tab(browser) as tab:
        tab.page.goto(base)
        yield PageModules(tab.page)
