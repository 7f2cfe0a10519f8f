"""Chooses the language of a reply, from the parameter `language` or the header `Accept-Language`."""

from __future__ import annotations

from functools import lru_cache

from flask import Request
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from service.http.headers import is_short
from service.languages.catalogue import ENGLISH, LANGUAGES, Language

# The query parameter, of every operation.
LANGUAGE = "language"
DESCRIPTION = (
    "The language of labels, prompts, sentences and refusals; wins over `Accept-Language`. "
    f"One of {', '.join(LANGUAGES)}."
)


def choose_language(request: Request) -> Language:
    """Return the language of the reply: that of the query, the best of those accepted, or English."""
    environ = request.environ
    if LANGUAGE in environ.get("QUERY_STRING", ""):
        named = LANGUAGES.get(request.args.get(LANGUAGE, ""))
        if named is not None:
            return named
    accepted = environ.get("HTTP_ACCEPT_LANGUAGE")
    if not accepted or not is_short(request, "HTTP_ACCEPT_LANGUAGE"):
        return ENGLISH
    return _match(accepted)


@lru_cache(256)
def _match(accepted: str) -> Language:
    """Return the language that fits a header best; English fits where no other does."""
    for tag, quality in parse_accept_header(accepted, LanguageAccept):
        # `de-AT` wants German before any other language; werkzeug would prefer an exact match.
        language = LANGUAGES.get(tag.lower().partition("-")[0])
        if quality > 0 and (language is not None or tag == "*"):
            return language or ENGLISH
    return ENGLISH
