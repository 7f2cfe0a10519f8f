"""Serves the contract as YAML and JSON, the list of its operations, and the page to try it on."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from service.http.auth import PUBLIC_ACCESS
from service.http.openapi.contract import ApiIndex, OpenApiDocument
from service.http.operation import Call, operation
from service.http.problems import problem_of_status
from service.http.responses import Reply
from service.http.static_files import ASK_AGAIN, HTML, StaticFile, make_file

# The contract changes with the release of the service.
KEPT = {"Cache-Control": f"public, {ASK_AGAIN}"}

_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_TYPES = {"js": "text/javascript", "css": "text/css", "png": "image/png"}
_FILES = ("swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png")
_START = b"""SwaggerUIBundle({url: "/openapi.json", dom_id: "#page", deepLinking: true, validatorUrl: null,
  defaultModelsExpandDepth: -1, persistAuthorization: true});
const theme = JSON.parse(localStorage.getItem("croupier.theme") ?? "null") ?? "system";
const isDark = theme === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
document.documentElement.classList.toggle("dark-mode", isDark);
"""
_STYLE = b"""body { margin: 0; }
.bar { display: flex; gap: 1.2rem; padding: .8rem 1.2rem; font: 600 1rem system-ui, sans-serif;
  background: #0b1220; }
.bar a { color: #8fd3ff; }
.bar a:first-child { color: #ff4d8d; text-decoration: none; }
html.dark-mode body { background: #0b1220; }
"""
TRY = "try"
_OWN_FILES = {"start.js": _START, "bar.css": _STYLE}
_PAGE = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Reference \xc2\xb7 Croupier</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/docs/reference/favicon-32x32.png">
<link rel="stylesheet" href="/docs/reference/swagger-ui.css">
<link rel="stylesheet" href="/docs/reference/bar.css">
<nav class="bar"><a href="/">Croupier</a><a href="/docs">Guides</a><a href="/docs/reference">Reference</a>
<a href="/openapi.json">openapi.json</a></nav>
<div id="page"></div>
<script src="/docs/reference/swagger-ui-bundle.js"></script>
<script src="/docs/reference/start.js"></script>
</html>
"""


@operation(
    "GET /openapi.yaml",
    "This document as YAML",
    {"application/yaml": str},
    access=PUBLIC_ACCESS,
    query=None,
)
def show_contract(call: Call[None]) -> Reply:
    return call.services.contract().yaml.reply(KEPT)


@operation(
    "GET /openapi.json",
    "This document as JSON",
    OpenApiDocument,
    access=PUBLIC_ACCESS,
    query=None,
)
def show_json_contract(call: Call[None]) -> Reply:
    return call.services.contract().json.reply(KEPT)


@operation("GET /v1", "The addresses of all operations, by group", ApiIndex, access=PUBLIC_ACCESS)
def show_index(call: Call[None]) -> Reply:
    return Reply(call.services.contract().index, headers=KEPT)


@operation(
    "GET /docs/reference/{name}",
    "The page to try operations on, which is `try`, or one of its files",
    {"*/*": str},
    access=PUBLIC_ACCESS,
    query=None,
    errors=("not_found",),
)
def show_reference_file(call: Call[None]) -> Reply:
    name = call.path["name"]
    if name == TRY:
        return Reply(_PAGE, media=HTML, headers={"Content-Security-Policy": _CSP, "Cache-Control": ASK_AGAIN})
    if name not in (*_FILES, *_OWN_FILES):
        raise problem_of_status(404)
    return _read_file(name).reply({"Cache-Control": "max-age=3600"})


@cache
def _read_file(name: str) -> StaticFile:
    """Return a file of the Swagger UI package, or one of ours."""
    media = _TYPES[name.rpartition(".")[2]]
    found = _OWN_FILES.get(name) or files("flask_swagger_ui").joinpath("dist", name).read_bytes()
    return make_file(found, media, is_dense=name.endswith(".png"))
