"""Serves the contract and its reference page."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from service.http.auth import PUBLIC_ACCESS
from service.http.operation import Call, operation
from service.http.problems import problem_of_status
from service.http.responses import Reply

_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_TYPES = {"js": "text/javascript", "css": "text/css", "png": "image/png"}
_FILES = ("swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png")
_START = b"""SwaggerUIBundle({url: "/openapi.yaml", dom_id: "#page", deepLinking: true, validatorUrl: null,
  defaultModelsExpandDepth: 0});
"""
_PAGE = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Croupier</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
"""


@operation("GET /openapi.yaml", "This document", {"application/yaml": str}, access=PUBLIC_ACCESS, query=None)
def show_contract(call: Call[None]) -> Reply:
    return Reply(call.services.contract(), media="application/yaml")


@operation(
    "GET /docs", "This document as a page to try it on", {"text/html": str}, access=PUBLIC_ACCESS, query=None
)
def show_docs(call: Call[None]) -> Reply:
    return Reply(_PAGE, media="text/html; charset=utf-8", headers={"Content-Security-Policy": _CSP})


@operation(
    "GET /docs/{name}",
    "A file of that page",
    {"*/*": str},
    access=PUBLIC_ACCESS,
    query=None,
    errors=("not_found",),
)
def show_file(call: Call[None]) -> Reply:
    name = call.path["name"]
    if name not in (*_FILES, "start.js"):
        raise problem_of_status(404)
    media = _TYPES[name.rpartition(".")[2]]
    return Reply(_read_file(name), media=media, headers={"Cache-Control": "max-age=3600"})


@cache
def _read_file(name: str) -> bytes:
    """Return a file of the Swagger UI package."""
    return _START if name == "start.js" else files("flask_swagger_ui").joinpath("dist", name).read_bytes()
