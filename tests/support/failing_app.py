"""An application below gunicorn that fails where Flask would have caught it."""

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any


class FailingApp:
    def __init__(self) -> None:
        self.extensions = {"doorbell": SimpleNamespace()}

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/raise":
            raise RuntimeError("the application failed")
        headers = [("X-Broken", "two\r\nlines")] if environ["PATH_INFO"] == "/header" else []
        start_response("200 OK", headers)
        return [b"fine"]


app = FailingApp()
