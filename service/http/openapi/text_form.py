"""Writes the contract as YAML that people can review: short things on one line, and nothing twice."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from typing import Any

import yaml

WIDTH = 118
# How deep the parts lie that are written one by one: `components`, `schemas` and each of them.
PARTS_DEPTH = 3
# Shorter ones are easier to read than their names.
SHORTEST_SHARED = 40
_QUOTED = re.compile(r"^[^A-Za-z^/]|[{}\[\],]|: | #|^(true|false|null)$")
_MANY_LINES = 10_000
Json = dict[str, Any]


def write_yaml(document: Json) -> Iterator[str]:
    """Yield the document in pieces, which take a few milliseconds each."""
    shared = _SharedParts(document)
    for name, part in document.items():
        yield from _write_parts((name,), part, shared)


def _write_parts(path: tuple[str, ...], part: Any, shared: _SharedParts) -> Iterator[str]:
    if len(path) == PARTS_DEPTH or not isinstance(part, dict) or not part:
        yield _write_at(path, shared.replace(part))
        return
    yield _write_at(path, None).removesuffix(" null\n") + "\n"
    for name, inner in part.items():
        yield from _write_parts((*path, name), inner, shared)


def _write_at(path: tuple[str, ...], part: Any) -> str:
    """Return the YAML of a part, indented as at this path."""
    for name in reversed(path):
        part = {name: part}
    stream = StringIO()
    writer = _Writer(stream, len(path))
    writer.open()
    writer.represent(part)
    writer.close()
    return stream.getvalue().split("\n", len(path) - 1)[-1]


class _Anchored(Json):
    """A part that comes again, with the name under which it does."""

    anchor: str


class _Alias(str):
    """The name of a part that was written before."""


class _AnchoredNode(yaml.MappingNode):
    anchor: str


class _SharedParts:
    """Finds properties of schemas and lists of headers that the document holds more than once."""

    def __init__(self, document: Json) -> None:
        self._names: dict[str, str] = {}
        self._taken: Counter[str] = Counter()
        self._seen: set[str] = set()
        self._find(document, "")
        self._written: set[str] = set()

    def _find(self, part: Any, name: str) -> None:
        for key, inner in _members(part, name):
            if not _can_be_shared(inner, key, name):
                self._find(inner, key)
                continue
            text = json.dumps(inner)
            if text not in self._seen:
                self._seen.add(text)
                self._find(inner, key)
            elif text not in self._names:
                self._taken[key] += 1
                self._names[text] = key if self._taken[key] == 1 else f"{key}-{self._taken[key]}"

    def replace(self, part: Any, name: str = "", holder: str = "") -> Any:
        """Return the part with a name for everything in it that comes again or was written before."""
        if isinstance(part, list):
            return [self.replace(inner, name, holder) for inner in part]
        if not isinstance(part, dict):
            return part
        text = json.dumps(part) if _can_be_shared(part, name, holder) else ""
        if text in self._written:
            return _Alias(self._names[text])
        made = _Anchored() if text in self._names else {}
        made.update((key, self.replace(inner, key, name)) for key, inner in part.items())
        if isinstance(made, _Anchored):
            made.anchor = self._names[text]
            self._written.add(text)
        return made


def _members(part: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the members of a part, those of a list under the name of the list."""
    if isinstance(part, dict):
        yield from part.items()
    elif isinstance(part, list):
        for inner in part:
            yield name, inner


def _can_be_shared(part: Any, name: str, holder: str) -> bool:
    """Whether a part is worth a name: a property, not a mere reference, or the headers of a reply."""
    if not isinstance(part, dict) or not (holder == "properties" or name == "headers"):
        return False
    return "$ref" not in part and len(json.dumps(part)) >= SHORTEST_SHARED


class _Writer(yaml.SafeDumper):
    """Writes on one line what fits there or holds plain values only."""

    def __init__(self, stream: StringIO, outer: int) -> None:
        super().__init__(stream, width=WIDTH, allow_unicode=True, sort_keys=False)
        self._outer = outer

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def serialize(self, node: yaml.Node) -> None:
        self._fold(node, 0, 0)
        super().serialize(node)

    def anchor_node(self, node: yaml.Node) -> None:
        super().anchor_node(node)
        if isinstance(node, _AnchoredNode):
            self.anchors[node] = node.anchor

    def serialize_node(self, node: yaml.Node, parent: yaml.Node | None, index: Any) -> None:
        if node.tag == _ALIAS:
            self.emit(yaml.AliasEvent(node.value))
        else:
            super().serialize_node(node, parent, index)

    def _fold(self, node: yaml.Node, depth: int, before: int) -> int:
        """Choose the style of a node with so much before it on its line; return its length on one line."""
        if isinstance(node, yaml.MappingNode):
            inner = [(len(key.value) + 2, value) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            inner = [(0, value) for value in node.value]
        else:
            return _length(node.value)
        length = 2 + sum(name + self._fold(value, depth + 1, name) + 2 for name, value in inner)
        plain = all(isinstance(value, yaml.ScalarNode) and "\n" not in value.value for _, value in inner)
        fits = 2 * depth + before + length <= WIDTH
        node.flow_style = depth >= self._outer and (plain or fits)
        return length


def _length(value: str) -> int:
    """Return about how long a plain value is when it is written; one of several lines fits on none."""
    if "\n" in value:
        return _MANY_LINES
    return len(value) + 2 if _QUOTED.search(value) else len(value)


_ALIAS = "!alias"


def _represent_anchored(writer: _Writer, part: _Anchored) -> yaml.Node:
    plain = writer.represent_dict(part)
    node = _AnchoredNode(plain.tag, plain.value)
    node.anchor = part.anchor
    return node


def _represent_text(writer: _Writer, text: str) -> yaml.Node:
    """Keep lines as they are. Empty ones at the end would end the document."""
    as_lines = "\n" in text and not text.endswith("\n\n")
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style="|" if as_lines else None)


_Writer.add_representer(str, _represent_text)
_Writer.add_representer(_Anchored, _represent_anchored)
_Writer.add_representer(_Alias, lambda writer, name: writer.represent_scalar(_ALIAS, name))
