"""A real browser, the page in it, and a person at the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler, make_server
from wsgiref.types import WSGIApplication

import msgspec
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)

from service.page.files import CLIENT
from service.page.files import FOLDER as FOLDER
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


OPTIONS = ".option:not([disabled])"
OVER = "[role=status] .winner"
MOST_TABS = 120
STEP_TAKEN = """([number, step]) => {
  const ask = document.querySelector(`[data-ask="${number}"]`);
  return !ask || ask.dataset.step !== step || !ask.querySelector(".option:not([disabled])");
}"""
# Nobody likes to press Tab twenty times.
FIRST = 4


class PagePlayer:
    """Picks any option that is offered. With `keys` the mouse is never touched."""

    def __init__(self, page: Page, seed: int = 0, keys: bool = False) -> None:
        self.page, self.moves = page, 0
        self._random, self._keys = Random(seed), keys

    def play(self) -> str:
        """To the end; what is announced there."""
        while self.await_turn():
            self.move()
        return self.page.get_by_role("status").inner_text()

    def await_turn(self) -> bool:
        """Whether there is one; else the game is over."""
        self.page.locator(f"{OPTIONS}, {OVER}").first.wait_for()
        return self.page.locator(OVER).count() == 0

    def move(self) -> str:
        """Answers the ask that is shown, and waits until it is gone; what was picked, by its name."""
        number = self.page.locator("[data-ask]").get_attribute("data-ask")
        name = self._take_step(number)
        while self.page.locator(f"[data-ask='{number}'] {OPTIONS}").count():
            name = self._take_step(number)
        self.moves += 1
        return name

    def _take_step(self, number: str | None) -> str:
        """Presses any step of the ask, and waits until it is taken."""
        ask = self.page.locator(f"[data-ask='{number}']")
        step = ask.get_attribute("data-step")
        option = self._random.choice(ask.locator(OPTIONS).all()[: FIRST if self._keys else None])
        name = option.get_attribute("aria-label") or ""
        self.press(option)
        self.page.wait_for_function(STEP_TAKEN, arg=[number, step])
        return name

    def press(self, control: Locator) -> None:
        if self._keys:
            tab_to(self.page, control)
            self.page.keyboard.press("Enter")
        else:
            control.click()


def open_form(page: Page, edition: str) -> None:
    """The whole form for a new table of an edition, which is behind "More options"."""
    page.get_by_role("button", name=edition).click()
    page.locator("summary", has_text="More options").click()


def tab_to(page: Page, control: Locator) -> None:
    """As somebody without a mouse gets there."""
    for _ in range(MOST_TABS):
        if control.evaluate("it => it === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{control} cannot be reached by Tab")


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """The address under which a browser finds them: another origin than any service."""
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, _running(server) as address:
        yield address


class QuietCalls(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@contextmanager
def serve_application(application: WSGIApplication) -> Iterator[str]:
    """The address under which programs find it."""
    server = make_server("127.0.0.1", 0, application, handler_class=QuietCalls)
    with server, _running(server) as address:
        yield address


@contextmanager
def _running(server: HTTPServer) -> Iterator[str]:
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()


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
    with TemporaryDirectory() as made:
        folder = Path(made)
        for path in FOLDER.iterdir():
            (folder / path.name).symlink_to(path)
        (folder / "client").mkdir()
        (folder / "client" / CLIENT.name).symlink_to(CLIENT)
        with serve_folder(folder) as base, open_tab(browser) as tab:
            tab.page.goto(base)
            yield PageModules(tab.page)
