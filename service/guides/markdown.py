"""Turns the Markdown of the guides into HTML: headings with anchors, code in several languages side by side.

Markup that stands in a document is shown as text, except comments, which are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec import Struct

from service.games.heavy_work import Stretch

# The names of the languages in which one thing is shown side by side, by what stands after the fence.
LANGUAGES = {"bash": "curl", "sh": "Shell", "js": "JavaScript", "ts": "TypeScript", "python": "Python"}
# The second word after a fence whose block is what the block before it prints.
OUTPUT = "output"
_COMMENT = re.compile(r"\s*<!--.*-->\s*", re.S)
# Of all languages at once: a comment, a string, a number or word that stands for itself.
_INK = re.compile(
    r"(?P<comment>(?:(?<=\s)|(?<![^\n]))(?:#|//) [^\n]*)"
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)"
    r"|(?P<word>\b(?:true|false|null|None|True|False|\d+)\b)"
)
# The id at the beginning of an entry, as rulings have it, gets an anchor: `**W2** ·`.
_ENTRY = re.compile(r"^<strong>(?=([A-Z](?:-[A-Z])?\d+)</strong> ·)")
Resolve = Callable[[str], str | None]


class Heading(Struct, frozen=True):
    """A heading of a page: its level from 1, its anchor and its text."""

    level: int
    anchor: str
    text: str


class Page(Struct, frozen=True):
    """A document as HTML, with its headings and its first paragraph as plain text."""

    html: str
    headings: tuple[Heading, ...]
    summary: str

    @property
    def title(self) -> str:
        return self.headings[0].text


def make_anchor(text: str) -> str:
    """Return the anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-")


def render_markdown(source: str, resolve: Resolve) -> Page:
    """Return a document as HTML.

    `resolve` returns the address that a link leads to, or None where there is nothing to lead to; such a link
    is shown as text.
    """
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(source)
    headings = tuple(_name_headings(tokens))
    _resolve_links(tokens, resolve)
    html = "".join(_render_blocks(parser, tokens))
    return Page(html, headings, _find_summary(tokens))


def _name_headings(tokens: Sequence[Token]) -> Iterator[Heading]:
    """Give each heading its anchor, and yield it."""
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            text = _plain_text(inline)
            opening.attrSet("id", make_anchor(text))
            yield Heading(int(opening.tag[1:]), make_anchor(text), text)


def _find_summary(tokens: Sequence[Token]) -> str:
    """Return the text of the first paragraph."""
    pairs = pairwise(tokens)
    return next((_plain_text(inline) for opening, inline in pairs if opening.type == "paragraph_open"), "")


def _plain_text(inline: Token) -> str:
    parts = (" " if part.type == "softbreak" else part.content for part in inline.children or ())
    return "".join(parts)


def _resolve_links(tokens: Sequence[Token], resolve: Resolve) -> None:
    """Point each link to an address of the service; one that leads nowhere becomes text."""
    for token in tokens:
        leads_nowhere = False
        for part in token.children or ():
            if part.type == "link_open":
                address = resolve(str(part.attrGet("href")))
                leads_nowhere = address is None
                part.attrSet("href", address or "")
            if part.type in ("link_open", "link_close") and leads_nowhere:
                part.type = "text"
                part.content = ""


def _render_blocks(parser: MarkdownIt, tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the HTML of a document, code in several languages in one group; lets other requests run."""
    stretch = Stretch()
    at = 0
    while at < len(tokens):
        stretch.pause()
        fences = _take_group(tokens[at:])
        if fences:
            yield _render_group(fences)
            at += len(fences)
            continue
        yield _render_token(parser, tokens, at)
        at += 1


def _take_group(tokens: Sequence[Token]) -> list[Token]:
    """Return the blocks of code at the beginning that show one thing in different languages."""
    group: list[Token] = []
    for token in tokens:
        labels = [_label(fence) for fence in group]
        is_output = OUTPUT in token.info.split()
        if token.type != "fence" or (group and (is_output or not _label(token) or _label(token) in labels)):
            break
        group.append(token)
        if is_output or not _label(token):
            break
    return group


def _label(fence: Token) -> str:
    """Return the name of a block's language; empty for one that is not shown beside others."""
    words = fence.info.split()
    return "" if not words or OUTPUT in words else LANGUAGES.get(words[0], "")


def _render_group(fences: Sequence[Token]) -> str:
    """Return blocks of code; a script of the page makes tabs of several."""
    figures = "".join(map(_render_code, fences))
    return f'<div class="code-group">{figures}</div>\n' if len(fences) > 1 else f"{figures}\n"


def _render_code(fence: Token) -> str:
    words = fence.info.split()
    kind = "output" if OUTPUT in words else "code"
    label = "Output" if OUTPUT in words else _label(fence)
    caption = f"<figcaption>{label}</figcaption>" if label else ""
    code = f'<pre tabindex="0"><code>{_colour(fence.content)}</code></pre>'
    return f'<figure class="{kind}" data-label="{label}">{caption}{code}</figure>'


def _colour(code: str) -> str:
    """Return code as HTML in which comments, strings, numbers and constants are marked."""
    pieces = []
    end = 0
    for found in _INK.finditer(code):
        pieces.append(escape(code[end : found.start()]))
        pieces.append(f'<span class="{found.lastgroup}">{escape(found[0])}</span>')
        end = found.end()
    return "".join([*pieces, escape(code[end:])])


def _render_token(parser: MarkdownIt, tokens: Sequence[Token], at: int) -> str:
    """Return the HTML of one token."""
    token = tokens[at]
    environment: dict[str, Any] = {}
    match token.type:
        case "inline":
            html = "".join(_render_inline(parser, token.children or [], environment))
            return _ENTRY.sub(lambda entry: f'<strong id="{entry[1].lower()}">', html)
        case "html_block":
            return "" if _COMMENT.fullmatch(token.content) else f"<p>{escape(token.content)}</p>"
        case "table_open":
            return '<div class="wide" tabindex="0"><table>'
        case "table_close":
            return "</table></div>\n"
        case "heading_close":
            anchor = tokens[at - 2].attrGet("id")
            return (
                f'<a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a></{token.tag}>\n'
            )
    return str(parser.renderer.render([token], parser.options, environment))


def _render_inline(parser: MarkdownIt, parts: Sequence[Token], environment: dict[str, Any]) -> Iterator[str]:
    """Yield the HTML of a line of text; markup in it is text, too."""
    for part in parts:
        if part.type == "html_inline":
            yield "" if _COMMENT.fullmatch(part.content) else escape(part.content)
        else:
            yield str(parser.renderer.render([part], parser.options, environment))
