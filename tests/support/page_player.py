"""A person at the page: looks at what stands there, and has a mouse, or a keyboard."""

from __future__ import annotations

from random import Random

from playwright.sync_api import Locator, Page

OPTIONS = ".option:not([disabled])"
OVER = "[role=status] .winner"
MOST_TABS = 120
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
        ask = self.page.locator("[data-ask]")
        number = ask.get_attribute("data-ask")
        option = self._random.choice(ask.locator(OPTIONS).all()[: FIRST if self._keys else None])
        name = option.get_attribute("aria-label") or ""
        self.press(option)
        self.page.locator(f"[data-ask='{number}'] {OPTIONS}").first.wait_for(state="detached")
        self.moves += 1
        return name

    def press(self, control: Locator) -> None:
        if self._keys:
            tab_to(self.page, control)
            self.page.keyboard.press("Enter")
        else:
            control.click()


def tab_to(page: Page, control: Locator) -> None:
    """As somebody without a mouse gets there."""
    for _ in range(MOST_TABS):
        if control.evaluate("it => it === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{control} cannot be reached by Tab")
