"""The contract, and a page to read and try it; every file comes from this server."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from flask import Blueprint, Response, abort

from service.api.openapi import rendered
from service.api.parts import content

blueprint = Blueprint("docs", __name__)

_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_TYPES = {"js": "text/javascript", "css": "text/css", "png": "image/png"}
_FILES = ("swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png")
_START = b"""SwaggerUIBundle({url: "/openapi.yaml", dom_id: "#page", deepLinking: true, validatorUrl: null});
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


@blueprint.get("/openapi.yaml")
def show_contract() -> Response:
    return content(rendered(), "application/yaml")


@blueprint.get("/docs")
def show_docs() -> Response:
    return content(_PAGE, "text/html; charset=utf-8", {"Content-Security-Policy": _CSP})


@blueprint.get("/docs/<name>")
def show_file(name: str) -> Response:
    if name not in (*_FILES, "start.js"):
        abort(404)
    kind = _TYPES[name.rpartition(".")[2]]
    return content(_file(name), kind, {"Cache-Control": "max-age=3600"})


@cache
def _file(name: str) -> bytes:
    """Swagger UI as its package brings it."""
    return _START if name == "start.js" else files("flask_swagger_ui").joinpath("dist", name).read_bytes()
