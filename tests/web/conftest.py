"""The whole service, and a real browser to look at it with."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.browser import Tab, open_browser, open_tab
from tests.support.service_process import RunningService


@pytest.fixture(scope="session")
def service(running: RunningService) -> str:
    """Its address."""
    return running.http.base


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with open_browser(chromium) as browser:
        yield browser


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    with open_tab(browser) as tab:
        yield tab
