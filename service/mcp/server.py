"""The server of the Model Context Protocol: tools, prompts and resources, on any transport.

It is a client of the HTTP API and nothing more: the service decides what a player may see and do. Whose token
is used, the transport knows; no tool takes one, and no result, refusal or log line has one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

import anyio
import anyio.to_thread
from anyio import CapacityLimiter
from croupier_client import Croupier, NoAnswer, Refused
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.types import (
    CallToolResult,
    GetPromptResult,
    InputRequiredResult,
    Prompt,
    PromptMessage,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import Field, ValidationError
from starlette.requests import Request

from service.mcp import tools

# One call asks the service for so long at most, so that a stop never waits longer.
_SLICE_SECONDS = 5
LONGEST_WAIT = 50
# How long a request is repeated that the service does not answer.
PATIENCE_SECONDS = 10.0
# Threads for calls that are answered at once, and for those that wait for a turn.
_CALLS = 40
_WAITS = 200
_MOST_FAULTS = 5

GameId = Annotated[
    str, Field(pattern=r"^g_[A-Za-z0-9_-]{22}$", description="The id of a game, which begins with g_.")
]
EditionId = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9_-]{1,40}$",
        description="Which game is played: classic, modern, royale or cards. A prompt has the rules of each.",
    ),
]
Version = Annotated[int, Field(ge=0, le=1_000_000, description="The number of a commit in the log.")]

INSTRUCTIONS = """Croupier hosts the Las Vegas dice games. You play for one player.

1. create_game against bots, or list_games and sit_down.
2. wait_for_turn until you are asked. It returns after a while in any case, and says so: then call it again.
3. The table ends with your options. Each is a line that begins with its exact choice. Call choose with the
   number of the ask and one of these choices. The reply is the table after it.
4. Go on with 2 until the table says that the game is over.

Legal choices need no rules, good ones do: the prompts have the rules of each edition."""

_RULINGS = "croupier://rulings"
_RULES = "rules-"
# An entry of the rulings: its id in bold at the beginning of an item.
_RULING = re.compile(r"^- \*\*(\w+)\*\*.*?(?=^- \*\*|^#|\Z)", re.M | re.S)

T = TypeVar("T")


class Clients:
    """Makes clients of the service: for the player of a request, and for no player."""

    def __init__(
        self, url: str, find_token: Callable[[Context[Any, Any]], str], patience: float = PATIENCE_SECONDS
    ) -> None:
        """Use the service at `url`; `find_token` returns the token of the player who sent a request."""
        self._url = url
        self._find_token = find_token
        self._patience = patience

    def public(self) -> Croupier:
        """Return a client without a token."""
        return connect(self._url, patience=self._patience)

    def of_player(self, context: Context[Any, Any]) -> Croupier:
        """Return a client that acts for the player who sent this request."""
        request = context.request_context.request
        addresses = "" if request is None else find_addresses(request)
        return connect(self._url, self._find_token(context), addresses, self._patience)


def connect(
    url: str, token: str | None = None, forwarded: str = "", patience: float = PATIENCE_SECONDS
) -> Croupier:
    """Return a client of the service; `forwarded` are the addresses that a request came through."""
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    return Croupier(url, token, patience=patience, headers=headers)


def find_addresses(request: Request) -> str:
    """Return the addresses through which a request came here, the nearest last."""
    nearest = request.client.host if request.client else ""
    earlier = request.headers.get("x-forwarded-for", "")
    return ", ".join(filter(None, (earlier, nearest)))


class TableServer(MCPServer[Any]):
    """Refuses arguments that no tool has, and reads rules and rulings from the service."""

    def __init__(self, clients: Clients, version: str) -> None:
        super().__init__(
            "croupier",
            title="Croupier",
            description="Play the Las Vegas dice games.",
            instructions=INSTRUCTIONS,
            version=version,
            log_level="WARNING",
            subscriptions=False,
        )
        self.clients = clients
        self._calls = CapacityLimiter(_CALLS)
        self._waits = CapacityLimiter(_WAITS)

    async def ask(self, context: Context[Any, Any], work: Callable[[Croupier], T]) -> T:
        """Run work that asks the service for the player of this request. Raises ToolError."""
        return await self._run(self.clients.of_player(context), work, self._calls)

    async def wait(self, context: Context[Any, Any], work: Callable[[Croupier], T]) -> T:
        """Run work that waits at the service, beside the threads of other calls. Raises ToolError."""
        return await self._run(self.clients.of_player(context), work, self._waits)

    async def ask_public(self, work: Callable[[Croupier], T]) -> T:
        """Run work that needs no player. Raises ToolError."""
        return await self._run(self.clients.public(), work, self._calls)

    @property
    def is_crowded(self) -> bool:
        """Whether as many callers wait for a turn as can."""
        return self._waits.available_tokens == 0

    async def _run(self, croupier: Croupier, work: Callable[[Croupier], T], limiter: CapacityLimiter) -> T:
        try:
            # Not abandoned on cancellation: it ends soon, and its thread must be counted until then.
            return await anyio.to_thread.run_sync(work, croupier, limiter=limiter)
        except Refused as refusal:
            raise ToolError(format_refusal(refusal)) from None
        except NoAnswer:
            raise ToolError("The service did not answer in time. Call this again.") from None
        finally:
            croupier.close()

    async def list_tools(self) -> list[Tool]:
        """Return the tools; their schemas allow no further arguments."""
        found = await super().list_tools()
        for tool in found:
            tool.input_schema = {**tool.input_schema, "additionalProperties": False}
        return found

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. Raises ToolError with a sentence that repeats no value of an argument."""
        known = {tool.name: tool.input_schema["properties"] for tool in await super().list_tools()}
        if name not in known:
            raise ToolError(f"Unknown tool. The tools are {', '.join(known)}.")
        if not known[name].keys() >= arguments.keys():
            expected = ", ".join(known[name])
            raise ToolError(f"The tool {name} has no such argument. Its arguments are {expected}.")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(_format_faults(error.__cause__)) from None
            raise

    async def list_prompts(self) -> list[Prompt]:
        """Return a prompt with the rules of each edition that the service offers."""
        editions = await self.ask_public(lambda croupier: croupier.editions())
        return [
            Prompt(
                name=f"{_RULES}{edition['id']}",
                title=f"Rules of {edition['title']}",
                description=edition["text"],
            )
            for edition in editions
        ]

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult:
        """Return the rules of an edition. Raises ValueError."""
        edition = name.removeprefix(_RULES)
        if edition == name or not re.fullmatch(r"[a-z0-9_-]{1,40}", edition):
            raise ValueError("Unknown prompt. `prompts/list` has all prompts.")
        try:
            rules = await self.ask_public(lambda croupier: croupier.text(f"/v1/editions/{edition}/rules"))
        except ToolError as error:
            raise ValueError(str(error)) from None
        told = f"These are the rules of the edition `{edition}`. Play by them, and play to win.\n\n{rules}"
        message = PromptMessage(role="user", content=TextContent(type="text", text=told))
        return GetPromptResult(description=f"Rules of {edition}", messages=[message])

    async def read_rulings(self) -> str:
        """Return where the service decides what the rulebooks leave open. Raises ResourceError."""
        try:
            return await self.ask_public(lambda croupier: croupier.text("/docs/rulings"))
        except ToolError as error:
            raise ResourceError(str(error)) from None


def format_refusal(refusal: Refused) -> str:
    """Return a refusal of the service as text: its sentence, its faults and its code."""
    problem = refusal.problem
    parts = [str(problem.get("detail") or f"The service refused this with status {refusal.status}.")]
    faults = problem.get("errors") or []
    parts += [str(fault["detail"]) for fault in faults[:_MOST_FAULTS] if fault.get("detail")]
    if problem.get("rule_text"):
        parts.append(str(problem["rule_text"]))
    if refusal.code:
        parts.append(f"(code {refusal.code})")
    return " ".join(dict.fromkeys(parts))


def _format_faults(error: ValidationError) -> str:
    """Return what is wrong with arguments, without their values."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    told = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}." for fault in faults[:_MOST_FAULTS]]
    return " ".join(["Arguments are not valid.", *told])


_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)


def make_server(clients: Clients, version: str) -> TableServer:
    """Return the server with its tools and resources."""
    server = TableServer(clients, version)
    _add_table_tools(server)
    _add_review_tools(server)
    _add_rulings(server)
    return server


def _add_table_tools(server: TableServer) -> None:
    """Add the tools that a game is played with."""

    @server.tool(annotations=_READS, structured_output=False)
    async def list_games(
        context: Context[Any, Any],
        which: Annotated[
            Literal["mine", "my_turn", "lobby", "playing", "over"],
            Field(
                description="mine, my_turn (those that wait for me), or public ones: lobby, playing, over."
            ),
        ] = "mine",
        edition: EditionId | None = None,
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> str:
        """List games, a line each: id, edition, status and seats. `lobby` has games with open seats."""
        return await server.ask(context, lambda croupier: tools.list_games(croupier, which, edition, limit))

    @server.tool(annotations=_WRITES, structured_output=False)
    async def create_game(
        context: Context[Any, Any],
        edition: EditionId,
        bots: Annotated[
            list[Annotated[str, Field(max_length=40)]],
            Field(max_length=7, description="A bot for each further seat: random, greedy, steady or expert."),
        ] = [],  # noqa: B006
        remote_bots: Annotated[
            list[Annotated[str, Field(pattern=r"^p_[A-Za-z0-9_-]{22}$")]],
            Field(max_length=7, description="Ids of bots of other players, one for each further seat."),
        ] = [],  # noqa: B006
        open_seats: Annotated[int, Field(ge=0, le=7, description="Seats for others to take.")] = 0,
        options: Annotated[
            dict[str, Any],
            Field(max_length=32, description="Options of the edition; its rules name them."),
        ] = {},  # noqa: B006
        visibility: Literal["public", "unlisted", "private"] = "public",
    ) -> str:
        """Create a game and take its first seat. It starts when no seat is open. Returns the table."""
        return await server.ask(
            context,
            lambda croupier: tools.create_game(
                croupier,
                edition,
                bots=bots,
                remote_bots=remote_bots,
                open_seats=open_seats,
                options=options,
                visibility=visibility,
            ),
        )

    @server.tool(annotations=_WRITES, structured_output=False)
    async def sit_down(
        context: Context[Any, Any],
        game: GameId,
        code: Annotated[str | None, Field(max_length=100, description="Only for a private game.")] = None,
    ) -> str:
        """Take an open seat in a game that has not started. Returns the table as text."""
        return await server.ask(context, lambda croupier: tools.sit_down(croupier, game, code))

    @server.tool(annotations=_READS, structured_output=False)
    async def show_table(context: Context[Any, Any], game: GameId, at: Version | None = None) -> str:
        """Show the table as text, now or `at` an earlier version. My options are its last lines."""
        return await server.ask(context, lambda croupier: croupier.table_text(game, at))

    @server.tool(annotations=_WRITES, structured_output=False)
    async def choose(
        context: Context[Any, Any],
        game: GameId,
        ask: Annotated[int, Field(ge=0, le=1_000_000, description="The number of the ask that is mine.")],
        choice: Annotated[
            str, Field(min_length=1, max_length=200, description="The first word of the line of an option.")
        ],
    ) -> str:
        """Answer an ask with one of my options. A repeat is harmless. Returns the table after it."""
        return await server.ask(context, lambda croupier: tools.choose(croupier, game, ask, choice))

    @server.tool(annotations=_READS, structured_output=False)
    async def wait_for_turn(
        context: Context[Any, Any],
        game: GameId,
        seconds: Annotated[int, Field(ge=1, le=LONGEST_WAIT, description="How long to wait at most.")] = 25,
    ) -> str:
        """Wait until I am asked or the game is over, but never longer than `seconds`. Returns the table.

        If it is not my turn by then, the first line says so: call this again.
        """
        return await _wait_for_turn(server, context, game, seconds)


async def _wait_for_turn(server: TableServer, context: Context[Any, Any], game: str, seconds: int) -> str:
    end = anyio.current_time() + seconds
    while True:
        table = await server.ask(context, lambda croupier: croupier.table(game))
        if table["you"] is None:
            raise ToolError("You have no seat in this game, so there is no turn to wait for.")
        left = end - anyio.current_time()
        if tools.is_due(table) or left <= 0:
            break
        if server.is_crowded:
            raise ToolError("Too many players wait here at the moment. Call this again in some seconds.")
        await _wait_once(server, context, game, table["version"], max(1, min(_SLICE_SECONDS, int(left))))
    text = await server.ask(context, lambda croupier: croupier.table_text(game))
    if tools.is_due(table):
        return text
    return f"It is not your turn yet, after {seconds} seconds. Call wait_for_turn again.\n{text}"


async def _wait_once(
    server: TableServer, context: Context[Any, Any], game: str, version: int, seconds: int
) -> None:
    await server.wait(context, lambda croupier: croupier.seat(game).wait(version, seconds))


def _add_review_tools(server: TableServer) -> None:
    """Add the tools that say what is good and what happened."""

    @server.tool(annotations=_READS, structured_output=False)
    async def ask_advice(context: Context[Any, Any], game: GameId) -> str:
        """Ask a bot which of my options are best, where the game allows advice.

        A game in which a bot gave advice counts for no rating.
        """
        return await server.ask(context, lambda croupier: tools.ask_advice(croupier, game))

    @server.tool(annotations=_READS, structured_output=False)
    async def explain(context: Context[Any, Any], game: GameId, version: Version | None = None) -> str:
        """Explain in sentences what the commit of a version did and by which rules; the newest by default."""
        return await server.ask(context, lambda croupier: tools.explain(croupier, game, version))

    @server.tool(annotations=_READS, structured_output=False)
    async def show_history(
        context: Context[Any, Any],
        game: GameId,
        after: Version = 0,
        limit: Annotated[int, Field(ge=1, le=100, description="How many commits at most.")] = 30,
    ) -> str:
        """Tell what happened in a game after a version, a line for each commit."""
        return await server.ask(context, lambda croupier: tools.show_history(croupier, game, after, limit))


def _add_rulings(server: TableServer) -> None:
    """Add what the service decides where the rulebooks are silent, as resources."""

    @server.resource(
        _RULINGS,
        name="rulings",
        title="Rulings",
        description="What Croupier decides where the rulebooks leave something open, by edition.",
        mime_type="text/markdown",
    )
    async def list_rulings() -> str:
        return await server.read_rulings()

    @server.resource(
        f"{_RULINGS}/{{ruling}}",
        name="ruling",
        title="One ruling",
        description="A ruling by its id, such as P1, as refusals and explanations cite it.",
        mime_type="text/markdown",
    )
    async def show_ruling(ruling: str) -> str:
        for found in _RULING.finditer(await server.read_rulings()):
            if found[1] == ruling:
                return found[0].strip() + "\n"
        raise ResourceError("There is no ruling with this id.")
