"""Serves the guides: the list at `/docs`, and each at an address of its own."""

from __future__ import annotations

from events.text import Text
from service.games.heavy_work import HEAVY_WORK_LOCK
from service.guides.guides import BACKGROUND, GUIDES, find_guide, read_source
from service.guides.reference import make_reference
from service.http.auth import PUBLIC_ACCESS
from service.http.headers import HTML, MARKDOWN, TEXT
from service.http.limits import UNLIMITED
from service.http.operation import Call, operation
from service.http.problems import Problem
from service.http.responses import Reply
from service.page.files import PAGE_HEADERS


@operation(
    "GET /docs",
    "The guides: what there is, and where to begin",
    {"text/html": str},
    access=PUBLIC_ACCESS,
    query=None,
    rate_limit=UNLIMITED,
)
def show_docs(call: Call[None]) -> Reply:
    """Reply with the list of the guides."""
    return _send("", call)


@operation(
    "GET /docs/reference",
    "Every operation on one page, to read and to search",
    {"text/html": str},
    access=PUBLIC_ACCESS,
    query=None,
    rate_limit=UNLIMITED,
)
def show_reference(call: Call[None]) -> Reply:
    """Reply with the reference, made of the contract."""
    contract = call.services.contract().json.content
    with HEAVY_WORK_LOCK:
        return make_reference(contract).reply(PAGE_HEADERS)


@operation(
    "GET /docs/{guide}",
    "A guide with code that works as it stands there, as a page or as Markdown",
    {HTML: str, MARKDOWN: str},
    access=PUBLIC_ACCESS,
    query=None,
    errors=("not_found",),
    rate_limit=UNLIMITED,
    any_accept=True,
)
def show_guide(call: Call[None]) -> Reply:
    """Reply with a guide. Raises Problem if there is none of this name."""
    if call.media == HTML:
        return _send(call.path["guide"], call)
    source = read_source(call.path["guide"])
    if source is None:
        raise _unknown_guide()
    return Reply(source, media=f"{MARKDOWN}; charset=utf-8")


# What llms.txt links to beside the guides.
_FOR_MODELS = """# Croupier

> A server for the Las Vegas dice games. People, bots and language models play over HTTP. The table lists
> every legal answer, so that a player needs no rules.

To play: `POST /v1/players` with `{"name": "…"}` gives you a token. Send it as `Authorization: Bearer …`.
`POST /v1/games` with `{"edition": "classic", "seats": [{"me": true}, {"bot": "greedy"}]}` creates a game.
`GET /v1/games/{id}` with `Accept: text/plain` is the table as short text: each of your options is a line that
begins with its `choice`. Answer with `POST /v1/games/{id}/choices` and `{"ask": 9, "choice": "place-3"}`.
While others play, `GET /v1/games/{id}/events?after={version}&wait=25` waits for the next move.
With tools of the Model Context Protocol you need none of this: `/docs/let-a-model-play` says how.
Every guide comes as Markdown with `Accept: text/markdown`.

## Reference

- [Contract as JSON](/openapi.json): every operation, with examples
- [Contract as YAML](/openapi.yaml): the same document
- [Operations](/v1): the addresses of all operations, by group
- [Editions](/v1/editions): what can be played; `/v1/editions/{edition}/rules` has the rules of each
- [Error codes](/v1/problems): every refusal, and what to do about it

## Guides

"""


@operation(
    "GET /llms.txt",
    "What a language model should read first, with links to the rest",
    {TEXT: str},
    access=PUBLIC_ACCESS,
    query=None,
    rate_limit=UNLIMITED,
)
def show_model_index(call: Call[None]) -> Reply:
    """Reply with a summary and the addresses of contract and guides."""
    links = "".join(f"- [{guide.title}]({guide.address})\n" for guide in (*GUIDES, *BACKGROUND))
    return Reply((_FOR_MODELS + links).encode(), media=f"{TEXT}; charset=utf-8")


def _send(name: str, call: Call[None]) -> Reply:
    file = find_guide(name, call.request.host_url.rstrip("/"))
    if file is None:
        raise _unknown_guide()
    return file.reply(PAGE_HEADERS)


def _unknown_guide() -> Problem:
    return Problem("not_found", Text("There is no guide of this name. `/docs` lists the guides."))
