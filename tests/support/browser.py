"""A real browser, and what it was told while it showed a page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response, expect, sync_playwright

from tests.support.programs import find_browser
from tests.support.waiting import PATIENCE

# As patient as everything else: a busy machine is no fault.
expect.set_options(timeout=PATIENCE * 1000)
# It is to call the pages that are tested and nobody else.
SWITCHES = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
)


@contextmanager
def open_browser(program: str | None = None) -> Iterator[Browser]:
    """`program` is the path of a Chromium; without one, it is looked for."""
    path = program or find_browser()
    assert path, "There is no browser; `python -m tests.install_programs` installs one"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=SWITCHES)
        yield browser
        browser.close()


class Tab:
    """A page in a browser of its own memory, with all that went wrong in it.

    `refused` are the replies from 400 on, `broken` the requests that got none, `errors` what the page's
    scripts and the browser complained of, and `hosts` where the page called.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.refused: list[str] = []
        self.broken: list[str] = []
        self.errors: list[str] = []
        self.hosts: set[str] = set()
        page.set_default_timeout(PATIENCE * 1000)
        page.on("request", self._note_host)
        page.on("response", self._note_reply)
        page.on("requestfailed", self._note_failure)
        page.on("console", self._note_message)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _note_host(self, request: Request) -> None:
        self.hosts.add(urlsplit(request.url).netloc)

    def _note_reply(self, response: Response) -> None:
        if response.status >= 400:
            self.refused.append(f"{response.status} {response.request.method} {response.url}")

    def _note_failure(self, request: Request) -> None:
        self.broken.append(f"{request.failure} {request.method} {request.url}")

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)


@contextmanager
def open_tab(browser: Browser, **options: Any) -> Iterator[Tab]:
    """`options` are the browser's, such as `reduced_motion`."""
    with browser.new_context(**options) as context:
        yield Tab(context.new_page())
