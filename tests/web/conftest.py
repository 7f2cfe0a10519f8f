"""The whole service, and a real browser to look at it with."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.browser import Tab, open_browser, open_tab
from tests.support.service_process import run_service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address; the tests of all pages share it."""
    with run_service(tmp_path_factory.mktemp("service") / "data") as (base, _):
        yield base


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    with open_tab(browser) as tab:
        yield tab
