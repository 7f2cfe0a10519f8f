"""The reference: every operation of the contract on one page of plain HTML, folded until it is needed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import escape
from typing import Any

from service.guides.guides import REFERENCE, fill_page
from service.guides.markdown import Heading, Page
from service.http.static_files import StaticFile

Json = Mapping[str, Any]

SUMMARY = "Every operation with its parameters, bodies, replies and refusals."
_INTRODUCTION = (
    "<p>Every operation with its parameters, bodies, replies and refusals. Open one to read it, or "
    '<a href="/docs/reference/try">try them out</a>. The same as a document: '
    '<a href="/openapi.json">openapi.json</a> and <a href="/openapi.yaml">openapi.yaml</a>, OpenAPI 3.1.</p>'
)
OPTIONAL = " <small>optional</small>"
_METHODS = ("get", "post", "patch", "put", "delete")
_CODE = re.compile(r"`([^`]+)`")


@lru_cache(1)
def make_reference(contract: bytes) -> StaticFile:
    """Return the page for a contract, which is given as JSON."""
    return fill_page(REFERENCE, _Reference(json.loads(contract)).page())


class _Reference:
    """Writes the page of one contract."""

    def __init__(self, document: Json) -> None:
        self._document = document
        self._operations: dict[str, list[tuple[str, str, Json]]] = {}
        for path, item in document["paths"].items():
            for method in _METHODS:
                if method in item:
                    found = item[method]
                    self._operations.setdefault(found["tags"][0], []).append((method, path, found))

    def page(self) -> Page:
        groups = [tag for tag in self._document["tags"] if tag["name"] in self._operations]
        content = "".join(part for tag in groups for part in self._group(tag))
        title = Heading(1, "reference", REFERENCE.title)
        return Page(f"<h1>{title.text}</h1>{_INTRODUCTION}{content}", (title,), SUMMARY)

    def _group(self, tag: Json) -> Iterator[str]:
        name = tag["name"]
        yield f'<h2 id="{escape(name.lower())}">{escape(name)}</h2><p>{_put(tag["description"])}</p>'
        for method, path, operation in self._operations[name]:
            yield from self._operation(method, path, operation)

    def _operation(self, method: str, path: str, operation: Json) -> Iterator[str]:
        number = escape(operation["operationId"])
        tag = escape(operation["tags"][0])
        yield (
            f'<details class="operation" id="{number}"><summary><b class="method of-{method}">'
            f"{method.upper()}</b> <code>{escape(path)}</code> <span>{escape(operation['summary'])}</span>"
            f'</summary><p>{_put(operation["description"])} <a href="/docs/reference/try#/{tag}/{number}">'
            "Try it</a></p>"
        )
        yield from self._parameters([self._find(one) for one in operation.get("parameters", ())])
        if "requestBody" in operation:
            yield from self._content("Body", operation["requestBody"]["content"])
        yield from self._replies({status: self._find(one) for status, one in operation["responses"].items()})
        yield "</details>\n"

    def _parameters(self, parameters: list[Json]) -> Iterator[str]:
        if not parameters:
            return
        rows = "".join(
            f"<tr><td><code>{escape(one['name'])}</code></td><td>{_place(one)}</td>"
            f"<td>{self._kind(one['schema'])}</td><td>{_put(one.get('description', ''))}</td></tr>"
            for one in parameters
        )
        yield _table("Parameters", ("name", "in", "type", "meaning"), rows)

    def _content(self, title: str, content: Json) -> Iterator[str]:
        """Describe a body or a reply: the members of its schema, and an example."""
        for media, form in content.items():
            yield f"<h4>{title}: <code>{escape(media)}</code> {self._kind(form.get('schema', {}))}</h4>"
            yield from self._members(self._find(form.get("schema", {})))
            for example in list(form.get("examples", {}).values())[:1]:
                value = self._find(example).get("value")
                if value is not None:
                    yield f"<figure><figcaption>Example</figcaption>{_show_json(value)}</figure>"

    def _members(self, schema: Json) -> Iterator[str]:
        required = schema.get("required", ())
        rows = "".join(
            f"<tr><td><code>{escape(name)}</code>{'' if name in required else OPTIONAL}</td>"
            f"<td>{self._kind(member)}</td>"
            f"<td>{_put(member.get('description') or self._find(member).get('description', ''))}</td></tr>"
            for name, member in schema.get("properties", {}).items()
        )
        if rows:
            yield _table("", ("member", "type", "meaning"), rows)

    def _replies(self, replies: Mapping[str, Json]) -> Iterator[str]:
        for status, reply in replies.items():
            if status.startswith("2"):
                yield from self._content(f"Reply {escape(status)}", reply.get("content", {}))
        others = [(status, reply) for status, reply in replies.items() if not status.startswith("2")]
        rows = "".join(
            f"<tr><td>{escape(status)}</td><td>{_put(reply['description'])}</td></tr>"
            for status, reply in others
        )
        if rows:
            yield _table("Other replies", ("status", "codes"), rows)

    def _kind(self, schema: Json) -> str:
        """Return the type of a schema in a few words."""
        if "$ref" in schema:
            return escape(schema["$ref"].rpartition("/")[2])
        for choice in ("oneOf", "anyOf"):
            if choice in schema:
                return " or ".join(dict.fromkeys(self._kind(one) for one in schema[choice]))
        if "enum" in schema:
            return ", ".join(f"<code>{escape(json.dumps(one))}</code>" for one in schema["enum"][:12])
        kind = schema.get("type", "any")
        if kind == "array":
            return f"array of {self._kind(schema.get('items', {}))}"
        bounds = [f"{schema[name]}" for name in ("minimum", "maximum") if name in schema]
        words = " or ".join(kind) if isinstance(kind, list) else kind
        return escape(f"{words}, {' to '.join(bounds)}" if len(bounds) > 1 else words)

    def _find(self, thing: Json) -> Json:
        """Return what a reference leads to, or the thing itself."""
        if "$ref" not in thing:
            return thing
        found: Any = self._document
        for step in thing["$ref"].removeprefix("#/").split("/"):
            found = found[step.replace("~1", "/").replace("~0", "~")]
        return self._find(found)


def _show_json(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return f"<pre><code>{escape(text)}</code></pre>"


def _place(parameter: Json) -> str:
    return escape(parameter["in"]) + (", required" if parameter.get("required") else "")


def _put(text: str) -> str:
    """Return a text of the contract as HTML: what stands between backticks is code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _table(title: str, names: tuple[str, ...], rows: str) -> str:
    head = "".join(f"<th>{name}</th>" for name in names)
    heading = f"<h4>{title}</h4>" if title else ""
    return f'{heading}<div class="wide"><table><tr>{head}</tr>{rows}</table></div>'
