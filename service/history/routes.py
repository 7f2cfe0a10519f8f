"""HTTP operations on the history of games: events, timeline, explanations, exports, imports, forks, audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Annotated, Any
from urllib.parse import urlencode
from zlib import crc32

import msgspec
from flask import Response
from msgspec import Meta, Raw, Struct
from msgspec.structs import replace

from events.commit import Commit
from events.store import Unavailable
from events.text import Text
from events.values import MOST_SEATS, PRIVATE, PUBLIC, GameId, Moment, seat_of
from rules import Rejected
from rules.explain.scene import Fact
from rules.explain.sentences import format_facts
from service.analysis.thinking import tell_later
from service.fairness.export_file import CURSOR_FORMAT, LARGEST_FILE, ExportCursor, ExportHeader
from service.fairness.verify import Verdict
from service.games.cache import BrokenLog
from service.games.cursors import BadCursor, age_in, decode_cursor, encode_cursor, game_in, to_milliseconds
from service.games.heavy_work import (
    HEAVY_WORK_LOCK,
    IMPORT_LOCK,
    IMPORT_REST,
    PACED_EXPORTS,
    CooperativeIterator,
    Stretch,
)
from service.games.idempotency import KeyedRequest, WeakKey, identify_request, is_weak
from service.games.schemas import (
    BOT_REFUSALS,
    EventsQuery,
    ExportsQuery,
    GameReply,
    MyExportQuery,
    NewFork,
    check_consent,
    game_reply,
    plan_seat,
)
from service.games.seating import Seating
from service.games.snapshots import LogReplaced, SeatIdentity, Snapshot, UnknownGame
from service.games.table_view import TableShown, render_snapshot
from service.history.audits import JUDGED
from service.history.export import ExportedGame
from service.history.import_tasks import TooManyImports
from service.history.imports import BadFile, ImportReply, check_outline, is_small
from service.history.timeline import (
    AskMark,
    Change,
    CommitContext,
    CommitMark,
    PayoutMark,
    RoundMark,
    TurnMark,
    ViewerScope,
    find_changes,
    look_at,
    mark_commits,
    read_contexts,
)
from service.http.auth import (
    KEY_OPTIONAL,
    PLAYER_REQUIRED,
    PUBLIC_ACCESS,
    SPECTATOR_ALLOWED,
    STREAM_VIEWER,
    check_access,
    use_up_ticket,
)
from service.http.compression import CHUNK, compress_for
from service.http.doorbell import Listener
from service.http.fields import NumberText, Strict
from service.http.headers import (
    IMPORT_KEY,
    JSON,
    LAST_EVENT_ID,
    LONG_KEY,
    NDJSON,
    SSE,
    WRITTEN,
    LogPosition,
    read_last_event_id,
)
from service.http.languages import LANGUAGE
from service.http.limits import ARCHIVING, CREATING, IMPORTING, REVIEWING, STREAMING, check_room
from service.http.names import list_at_once, name_for
from service.http.operation import Call, operation, read_version
from service.http.problems import FORK_REFUSALS, Fault, Problem, explain_rejection
from service.http.requests import bad_query, read_raw
from service.http.responses import VARY, Reply
from service.http.streaming import BATCH, STREAM_HEADERS, Opening
from service.lobby.lobby import Unlisted
from service.players.names import Names
from service.players.players import Player

NOTHING_LEFT = {204: "The game is over and there is nothing left to stream."}


class EventsReply(Struct, frozen=True):
    """`next` is where the log goes on, now or later: at its beginning where it does not reach `after`."""

    commits: tuple[Raw, ...]
    next: str


@operation(
    "GET /v1/games/{game}/events",
    "The log of a game: in pages, as lines, or as a stream",
    {JSON: EventsReply, NDJSON: Commit, SSE: Commit},
    access=STREAM_VIEWER,
    query=EventsQuery,
    headers=(LAST_EVENT_ID,),
    errors=("unknown_version", "too_many_streams", "stream_quota"),
    extra_responses=NOTHING_LEFT,
    rate_limit=STREAMING,
)
def show_events(call: Call[SeatIdentity | Player | None]) -> Reply | Response:
    """Reply with the log of a game as a page, as NDJSON or as a stream of server-sent events."""
    left_at = read_last_event_id(call.request)
    if call.media == SSE:
        return _stream(call, left_at)
    return _send_lines(call) if call.media == NDJSON else _send_page(call)


def _send_page(call: Call[SeatIdentity | Player | None]) -> Reply:
    """Return a page of events as JSON; waits for new ones as long as the query says."""
    streams = call.services.streams
    limit = call.query.get("limit")
    opening = _open_log(call, limit or BATCH)
    tail = streams.await_tail(opening.reader, opening.tail, call.query["wait"], call.network)
    newest = call.services.games.head(call.game) if tail.off else (opening.version, opening.head)
    newest = max(newest, (tail.version, tail.head))
    place = {"after": tail.version} | ({"limit": limit} if limit else {})
    place |= {"head": tail.head[:WRITTEN]} if opening.reader.marked else {}
    if opening.reader.language:
        place |= {"sentences": "true"}
        place |= {LANGUAGE: opening.reader.language} if LANGUAGE in call.request.args else {}
    following = f"/v1/games/{call.game}/events?{urlencode(place)}"
    reply = EventsReply(tuple(map(Raw, tail.lines)), following)
    # Sentences change with the names of players, so the tag is that of the content.
    return Reply(reply, None if opening.reader.language else call.tag(*newest))


def _open_log(
    call: Call[SeatIdentity | Player | None], limit: int | None, left_at: LogPosition | None = None
) -> Opening:
    """Open the log after the version of the query, or where a stream was left, and read the first events.

    If the caller names the hash of that version, the log must have it. Raises Problem.
    """
    after = call.query["after"]
    head = call.query.get("head")
    if left_at is not None:
        after = left_at.version
        head = left_at.head or (None if head is None else "")
    opening = call.services.streams.open_log(
        call.game,
        call.seat,
        after,
        limit=limit,
        log_epoch=call.log_epoch,
        head=head,
        language=_language_of_sentences(call),
    )
    if left_at is None and head is None and after > opening.version:
        _refuse_beyond(call, opening.version)
    return opening


def _language_of_sentences(call: Call[SeatIdentity | Player | None]) -> str:
    """Return the tag of the language that commits are told in; empty if no sentences are wanted."""
    return call.language.tag if call.query["sentences"] else ""


def _headers_of(opening: Opening, usual: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of lines or frames, which name the language of their sentences."""
    language = opening.reader.language
    return {**usual, "Content-Language": language} if language else dict(usual)


def _refuse_beyond(call: Call[SeatIdentity | Player | None], newest: int) -> None:
    """Refuse a version that the game has not reached, unless the log was longer before a restore."""
    if not call.services.games.has_moved(call.game):
        detail = Text("the log ends with version {newest}; read on after that", newest=newest)
        raise Problem("unknown_version", detail, version=newest)


def _send_lines(call: Call[SeatIdentity | Player | None]) -> Response:
    """Return the events as NDJSON; waits for new ones as long as the query says."""
    streams = call.services.streams
    opening = _open_log(call, call.query.get("limit"))
    tail = streams.await_tail(opening.reader, opening.tail, call.query["wait"], call.network)
    lines, encoding = compress_for(call.request, streams.lines(opening.reader, tail))
    return Response(lines, content_type=NDJSON, headers=_headers_of(opening, VARY | encoding))


def _stream(call: Call[SeatIdentity | Player | None], left_at: LogPosition | None) -> Response:
    """Return a stream of events; it holds its listener until it is closed."""
    listener = call.services.streams.doorbell.listen(call.game, call.network)
    try:
        response = _begin_stream(call, listener, left_at)
    except Exception:
        listener.close()
        raise
    response.call_on_close(listener.close)
    return response


def _begin_stream(
    call: Call[SeatIdentity | Player | None], listener: Listener, left_at: LogPosition | None
) -> Response:
    """Return the response whose body is the stream, or 204 if the game is over and all was read."""
    streams = call.services.streams
    opening = _open_log(call, call.query.get("limit"), left_at)
    if opening.reader.over and opening.reader.after >= opening.version and not _has_strayed(call, opening):
        # 204 tells a browser's EventSource not to reconnect.
        return Response(status=204)
    use_up_ticket(call.request, call.services, call.game)
    frames = streams.frames(opening.reader, opening.tail, listener, partial(_is_welcome, call))
    return Response(frames, content_type=SSE, headers=_headers_of(opening, STREAM_HEADERS))


def _is_welcome(call: Call[SeatIdentity | Player | None]) -> bool:
    """Return whether the player's token that opened a stream is still valid.

    A seat's own token ends by an event in the log, which the stream reads anyway.
    """
    caller = call.caller
    if not isinstance(caller, SeatIdentity) or not caller.player:
        return True
    return call.services.players.is_current(caller.player, caller.credential)


def _has_strayed(call: Call[SeatIdentity | Player | None], opening: Opening) -> bool:
    """Return whether the caller has read another log than this one, as far as the hash tells."""
    told = opening.reader.marked or call.services.games.has_moved(call.game)
    return opening.tail.off and told


Viewer = SeatIdentity | Player | None


class TimelineReply(Struct, frozen=True):
    """Versions for a scrubber: `commits` are all of them, the others mark what happened where."""

    id: GameId
    version: int
    rounds: tuple[RoundMark, ...]
    turns: tuple[TurnMark, ...]
    asks: tuple[AskMark, ...]
    payouts: tuple[PayoutMark, ...]
    commits: tuple[CommitMark, ...]
    ended: Annotated[int | None, Meta(description="The version it ended with; null while it goes on.")]


class KnowledgeQuery(Strict):
    seat = NumberText(0, MOST_SEATS - 1, metadata={"description": "Whose; the caller's own unless said."})
    at = NumberText(1, metadata={"description": "At which version; the newest unless said."})


class KnowledgeReply(Struct, frozen=True):
    """What a seat could know: its table as it stood, and the notes that it had not seen yet."""

    seat: int
    version: int
    table: Annotated[TableShown, Meta(description="What was sealed for the seat is `hidden` here.")]
    unseen_notes: Annotated[
        tuple[int, ...],
        Meta(description="All that may still come, in falling order; their order is not known."),
    ]


@operation(
    "GET /v1/games/{game}/timeline",
    "Rounds, turns, asks and payouts of a game with their versions",
    TimelineReply,
    access=SPECTATOR_ALLOWED,
    rate_limit=REVIEWING,
)
def show_timeline(call: Call[Viewer]) -> Reply:
    """Reply with the timeline of a game."""
    games = call.services.games
    newest, _ = look_at(games, call.game, call.seat, call.log_epoch)
    marks = mark_commits(CooperativeIterator(games.commits(call.game, 0, newest.version)))
    reply = TimelineReply(
        id=call.game,
        version=newest.version,
        rounds=marks.rounds,
        turns=marks.turns,
        asks=marks.asks,
        payouts=marks.payouts,
        commits=marks.commits,
        ended=marks.ended,
    )
    return Reply(reply, call.tag(newest.version, newest.head))


@operation(
    "GET /v1/games/{game}/knowledge",
    "What a seat could know at a version: its own while the game goes on, everybody's after the end",
    KnowledgeReply,
    access=SPECTATOR_ALLOWED,
    query=KnowledgeQuery,
    errors=("unknown_version", "unknown_rules", "not_yours"),
    uncached=True,
    rate_limit=REVIEWING,
)
def show_knowledge(call: Call[Viewer]) -> Reply:
    """Reply with what a seat could know at a version."""
    newest, seen = look_at(call.services.games, call.game, call.seat, call.log_epoch)
    seat = call.query.get("seat", seen.viewer)
    if seat is None or seat >= len(newest.state.seats):
        raise bad_query([Fault("must be the number of a seat in this game", parameter="seat")])
    if seat != seen.viewer and not seen.opened:
        raise Problem("not_yours", "What another seat knows is shown when the game is over.")
    snapshot = call.services.games.snapshot(call.game, call.query.get("at"), seen.log_epoch)
    table = render_snapshot(name_for(call.services, call.game, call.services.names)(snapshot), seat)
    unseen = tuple(sorted(snapshot.state.unseen, reverse=True))
    return Reply(KnowledgeReply(seat, snapshot.version, table, unseen))


# More than any game of the service has that people do not draw out (W14).
MOST_COMMITS = 1_000


class DiffQuery(Strict):
    first = NumberText(1, data_key="from", metadata={"description": "The one before `to` unless said."})
    last = NumberText(
        1, data_key="to", metadata={"description": "The newest unless said; at most 1,000 after `from`."}
    )


class ExplainReply(Struct, frozen=True):
    """The amounts that `won` and `paid` facts give to a seat add up to what it received.

    With what its chip cards come to, told by `chip_cards_count` when the game is over, that is its total.
    """

    version: int
    sentences: tuple[str, ...]
    facts: tuple[Fact, ...]


class DiffReply(Struct, frozen=True, rename={"first": "from", "last": "to"}):
    """`changes` lead from the first table to the second, each at its JSON pointer."""

    first: Annotated[int, Meta(description="The earlier version.")]
    last: Annotated[int, Meta(description="The later version.")]
    sentences: tuple[str, ...]
    changes: tuple[Change, ...]


@operation(
    "GET /v1/games/{game}/explain/{version}",
    "What a commit did and by which rule: who ranked where, who was tied, which note went to whom",
    ExplainReply,
    access=SPECTATOR_ALLOWED,
    errors=("unknown_version", "unknown_rules"),
    rate_limit=REVIEWING,
)
def explain_version(call: Call[Viewer]) -> Reply:
    """Reply with sentences about one commit."""
    version = read_version(call.path["version"])
    newest, seen = look_at(call.services.games, call.game, call.seat, call.log_epoch)
    names = call.services.names.for_one_reply()
    naming = name_for(call.services, call.game, names)
    (passage,) = read_contexts(call.services.games, call.game, version, version, seen, naming)
    facts = tuple(replace(fact, owner_seat=seat_of(fact.owner)) for fact in passage.facts)
    reply = ExplainReply(version, _explain_contexts([passage]), facts)
    return Reply(reply, _mark(call, names, seen, passage.after, newest))


@operation(
    "GET /v1/games/{game}/diff",
    "What changed between two versions of a table, in data and in sentences",
    DiffReply,
    access=SPECTATOR_ALLOWED,
    query=DiffQuery,
    errors=("unknown_version", "unknown_rules"),
    rate_limit=REVIEWING,
)
def show_diff(call: Call[Viewer]) -> Reply:
    """Reply with what changed between two versions."""
    games = call.services.games
    newest, seen = look_at(games, call.game, call.seat, call.log_epoch)
    first, last = _read_span(call, newest.version)
    names = call.services.names.for_one_reply()
    naming = name_for(call.services, call.game, names)
    tables = [games.snapshot(call.game, version, seen.log_epoch) for version in (first, last)]
    shown = [render_snapshot(naming(table), seen.viewer, seen.opened) for table in tables]
    with HEAVY_WORK_LOCK:
        passages = [*read_contexts(games, call.game, first + 1, last, seen, naming)] if first < last else []
    reply = DiffReply(
        first, last, _explain_contexts(passages), find_changes(shown[0], shown[1], call.language)
    )
    return Reply(reply, _mark(call, names, seen, tables[1], tables[0], newest))


def _read_span(call: Call[Viewer], newest: int) -> tuple[int, int]:
    """Return the two versions to compare. Raises Problem."""
    last = call.query.get("last", newest)
    first = call.query.get("first", max(1, last - 1))
    if last < first:
        raise bad_query(
            [Fault(Text("must not be less than `from`, which is {first}", first=first), parameter="to")]
        )
    if last - first > MOST_COMMITS:
        raise bad_query(
            [
                Fault(
                    Text(
                        "must be at most {most} more than `from`, which is {first}",
                        most=MOST_COMMITS,
                        first=first,
                    ),
                    parameter="to",
                )
            ]
        )
    return first, last


def _explain_contexts(passages: list[CommitContext]) -> tuple[str, ...]:
    """Return the sentences about these commits, with the current names of those who sat there then."""
    return tuple(
        sentence for passage in passages for sentence in format_facts(passage.facts, passage.told_of)
    )


def _mark(
    call: Call[Viewer], names: Names, seen: ViewerScope, shown: Snapshot, *others: Snapshot
) -> int | str:
    """Return the entity tag of a reply about earlier tables.

    It changes when the end opens what was sealed, and when a player is renamed.
    """
    marks = dict.fromkeys(names.mark(table) for table in (shown, *others))
    mark = f"{'-opened' if seen.opened else ''}{''.join(marks)}"
    return call.tag(f"{shown.version}{mark}" if mark else shown.version, shown.head)


FOR_EVER = "max-age=31536000, immutable"
EXPORT_BATCH = 50
LISTING = Text(
    "the games are still being listed from the log, and some would be passed over; ask again later"
)
_encoder = msgspec.json.Encoder()


class ExportLine(Struct, frozen=True):
    """A line of a game's file: the header comes first, then every commit."""

    header: ExportHeader
    commit: Commit


class ExportsLine(Struct, frozen=True):
    """A line of many files: headers and commits as in each of them, and a cursor after every game."""

    header: ExportHeader
    commit: Commit
    cursor: ExportCursor


@operation(
    "GET /v1/games/{game}/export",
    "The game as a file that proves itself; once it is over, the same bytes for ever",
    {NDJSON: ExportLine},
    access=SPECTATOR_ALLOWED,
    scope="export",
    rate_limit=REVIEWING,
)
def export_game(call: Call[SeatIdentity | Player | None]) -> Reply:
    """Reply with the export file of a game, as the caller may see it."""
    exported = call.services.files.export(call.game, call.seat, call.log_epoch)
    if not exported.ended:
        return Reply(exported.file, call.tag(exported.version, exported.head), media=NDJSON)
    seen = "private" if exported.visibility == PRIVATE else "public"
    headers = {"Cache-Control": f"{seen}, {FOR_EVER}"}
    return Reply(exported.file, exported.head, media=NDJSON, headers=headers)


@operation(
    "GET /v1/exports",
    "Files of public games that were played here and are over, longest ended first; in gzip where accepted",
    {NDJSON: ExportsLine},
    access=PUBLIC_ACCESS,
    scope="export",
    query=ExportsQuery,
    errors=("unavailable",),
    uncached=True,
    rate_limit=ARCHIVING,
)
def export_games(call: Call[None]) -> Response:
    """Reply with the export files of many finished games, as one stream."""
    lobby = call.services.lobby
    player = call.query.get("player", "")
    edition = call.query.get("edition", "")
    list_games = partial(lobby.list_games_of, player) if player else partial(lobby.list_exports, edition)
    order = player and f"player {player}"
    return _export_many(call, ExportSource(list_games, partial(_write_file, call), order))


@operation(
    "GET /v1/me/export",
    "Files of all games where the player has a seat, private and running ones included, as the player sees "
    "them; longest unchanged first, in gzip where accepted",
    {NDJSON: ExportsLine},
    access=PLAYER_REQUIRED,
    scope="export",
    query=MyExportQuery,
    errors=("unavailable",),
    uncached=True,
    rate_limit=ARCHIVING,
)
def export_my_games(call: Call[Player]) -> Response:
    """Reply with the export files of all games of the caller, as one stream."""
    list_games = partial(call.services.player_reading.list_up, call.caller.id)
    return _export_many(call, ExportSource(list_games, partial(_write_my_file, call), order="mine"))


class ExportSource(Struct, frozen=True):
    """Holds where the games of an export come from, and how each is written; cursors are of its order."""

    list_games: Callable[[bytes, int], Sequence[bytes]]
    write_file: Callable[[str], bytes]
    order: str


def _export_many(call: Call[Any], source: ExportSource) -> Response:
    """Return the stream of files. Raises Problem and Unavailable."""
    place = _read_place(call, source.order)
    limit = call.query["limit"]
    pieces = _write_files(source, place, _list_first(source, place, limit), limit)
    files, encoding = compress_for(call.request, pieces)
    headers = {
        "Vary": "Accept-Encoding" if call.caller is None else "Authorization, Accept-Encoding"
    } | encoding
    return Response(PACED_EXPORTS.pace(files), content_type=NDJSON, headers=headers)


def _read_place(call: Call[Any], order: str) -> bytes:
    """Return where the exports begin: at the cursor, or at the first game that ended late enough.

    Raises Problem.
    """
    since = call.query.get("finished_after")
    start = b"%015d|-" % (to_milliseconds(datetime.fromisoformat(since)) if since else 0)
    try:
        place = decode_cursor(call.query["cursor"], order) if "cursor" in call.query else start
    except BadCursor:
        raise bad_query(
            [
                Fault(
                    "is not a cursor of these exports; send the `cursor` of a line as it is",
                    parameter="cursor",
                )
            ]
        ) from None
    return max(place, start, key=age_in)


def _list_first(source: ExportSource, place: bytes, left: int) -> Sequence[bytes]:
    """Return the first games to send, while a problem can still be sent. Raises Problem and Unavailable."""
    try:
        return source.list_games(place, min(left, EXPORT_BATCH))
    except Unlisted:
        raise Problem("unavailable", LISTING, cause="listing") from None


def _write_files(source: ExportSource, place: bytes, members: Sequence[bytes], left: int) -> Iterator[bytes]:
    """Yield the file of each game and a cursor after it; waits for nothing.

    A reply that breaks off, because Redis or the caller is away, is continued from the last cursor. Games
    that are left out count, too, so that a rare filter does not read all of them.
    """
    try:
        while members:
            for place in members:
                yield source.write_file(game_in(place)) + _write_cursor(place, source.order, more=True)
            left -= len(members)
            if not left:
                return
            members = source.list_games(place, min(left, EXPORT_BATCH))
    except (Unavailable, Unlisted):
        return
    yield _write_cursor(place, source.order, more=False)


def _write_file(call: Call[None], game: str) -> bytes:
    """Return the file of a game; empty if it is not public, imported, ended too early or broken."""
    try:
        exported = call.services.files.export(game)
    except (UnknownGame, BrokenLog):
        return b""
    return exported.file if _is_wanted(call, exported) else b""


def _write_my_file(call: Call[Player], game: str) -> bytes:
    """Return the file of a game of the caller, as their seat sees it; empty if they have none there."""
    player = call.caller
    try:
        holder = call.services.games.find_seat_of(game, player.id, player.credential)
        if holder is None:
            return b""
        return call.services.files.export(game, holder.seat, holder.log_epoch).file
    except (UnknownGame, BrokenLog, LogReplaced):
        return b""


def _is_wanted(call: Call[None], exported: ExportedGame) -> bool:
    """Return whether a game is public, was played here with fair dice, and ended late enough."""
    ours = exported.visibility == PUBLIC and not exported.imported and not exported.sandbox
    fits = call.query.get("edition", exported.edition) == exported.edition
    return ours and fits and exported.ended > call.query.get("finished_after", "")


def _write_cursor(place: bytes, order: str, more: bool) -> bytes:
    """Return the line with the cursor behind a game."""
    return _encoder.encode(ExportCursor(CURSOR_FORMAT, encode_cursor(place, order), more)) + b"\n"


LATER = {202: "A large file is verified in the background; its task at `Location` has the `result`."}
# An import of the caller, or of others, should be done by then.
RETRY_IMPORT = {"Retry-After": "10"}


@operation(
    "POST /v1/imports",
    "Bring a game that is over from elsewhere, as its file: verified first, then read-only. Above 512 KB or "
    "1,000 commits the reply is 202 with a task",
    ImportReply,
    access=KEY_OPTIONAL,
    scope="export",
    needs_key=True,
    status=201,
    raw_body=NDJSON,
    headers=(IMPORT_KEY,),
    errors=("bad_file", "unavailable", "no_room"),
    extra_responses=LATER,
    rate_limit=IMPORTING,
)
def import_game(call: Call[None]) -> Reply | Response:
    """Verify and store a game that was played elsewhere; a large file gets a task."""
    file = read_raw(call.request, NDJSON, LARGEST_FILE)
    stretch = Stretch(rest=IMPORT_REST)
    tasks = call.services.import_tasks
    check_room(call.services.room, lambda: False)
    try:
        check_outline(file, stretch)
        request = _identify(call, file, stretch)
        if not is_small(file):
            # What can be refused cheaply is refused at once.
            with IMPORT_LOCK:
                call.services.files.imports.read(file, stretch)
            return _import_later(call, file, request)
        with IMPORT_LOCK:
            reply, is_repeated = tasks.take_in(file, request, stretch)
    except BadFile as fault:
        raise Problem("bad_file", fault.why, commit=fault.commit) from None
    return Reply(reply.in_words(), reply.version, f"/v1/games/{reply.id}", is_repeated)


def _identify(call: Call[None], file: bytes, stretch: Stretch) -> KeyedRequest:
    """Return what identifies the request. Raises WeakKey: others could use an easy key first."""
    if is_weak(call.sender, call.key):
        raise WeakKey
    digest = sha256()
    for start in range(0, len(file), CHUNK):
        stretch.pause()
        digest.update(file[start : start + CHUNK])
    scope = "import" if call.api_key is None else f"import of {call.api_key.id}"
    return identify_request(scope, call.key, digest.hexdigest())


def _import_later(call: Call[None], file: bytes, request: KeyedRequest) -> Response:
    """Start the import of a large file and return the reply 202. Raises Problem."""
    call.services.stored_results.find(request)
    creator = call.services.creators.identify(call.network)
    try:
        task = call.services.import_tasks.submit(file, request, creator)
    except TooManyImports as fault:
        detail = Text(
            "{count} large files wait to be verified; come again when one of them is done", count=str(fault)
        )
        raise Problem("too_many_requests", detail, RETRY_IMPORT) from None
    return tell_later(task, f"/v1/tasks/{task.id}")


@operation(
    "POST /v1/games/{game}/forks",
    "Play a game that is over on from one of its tables: a new game with seats, tokens and dice of its own",
    GameReply,
    access=SPECTATOR_ALLOWED,
    status=201,
    body=NewFork,
    headers=(LONG_KEY,),
    errors=(
        *FORK_REFUSALS,
        *BOT_REFUSALS,
        "key_required",
        "unknown_version",
        "unknown_rules",
        "too_many_games",
        "no_room",
    ),
    rate_limit=CREATING,
)
def fork_game(call: Call[SeatIdentity | Player | None]) -> Reply:
    """Create a game that goes on from a version of a finished one."""
    if call.seat is None:
        check_access(call.services, call.api_key)
    creator = call.services.creators.identify(call.network)
    forks = call.services.files.forks
    quota = call.services.game_quota
    quota.check(creator, lambda: forks.has_forked(call.key, call.sender), call.api_key)
    seated = _fork(call, creator)
    if not seated.replayed:
        quota.record(creator, seated.game)
        list_at_once(call.services, seated.game)
    reply = game_reply(seated, call.services.names)
    return Reply(reply, seated.version, f"/v1/games/{seated.game}", seated.replayed)


def _fork(call: Call[SeatIdentity | Player | None], creator: str) -> Seating:
    """Fork the game and return its seats. Raises Problem."""
    forks = call.services.files.forks
    at = call.body["at"]
    try:
        if "seats" in call.body:
            seats = [plan_seat(seat, call.player, call.services) for seat in call.body["seats"]]
            check_consent(seats, call.player, call.services, partial(forks.has_forked, call.key, call.sender))
        else:
            seats = forks.plan_seats(call.game, at, call.player)
        return forks.fork(
            call.game,
            at,
            seats,
            key=call.key,
            creator=creator,
            sender=call.sender,
            same_dice=call.body["dice"] == "same",
            api_key=call.api_key.id if call.api_key else "",
        )
    except Rejected as rejected:
        raise explain_rejection(rejected) from None


class AuditReply(Struct, frozen=True):
    """Seed and verification are null until the game is over; `imported` is null of a game played here."""

    id: GameId
    version: int
    head: str
    commitment: str
    seed: str | None
    verified: Verdict | None
    named: Annotated[
        GameId,
        Meta(description="The id that the log names; an import may have another one here."),
    ]
    imported: Moment | None
    namesakes: Annotated[
        tuple[GameId, ...],
        Meta(description="Other games here whose logs name the same id; at most one can be the one played."),
    ]
    judged: Annotated[tuple[str, ...], Meta(description="What a verification judges.")]
    unjudged: Annotated[tuple[str, ...], Meta(description="What it takes as the log says.")]


@operation(
    "GET /v1/games/{game}/audit",
    "What proves the dice; after the end with the seed and a full verification",
    AuditReply,
    access=SPECTATOR_ALLOWED,
    rate_limit=REVIEWING,
)
def show_audit(call: Call[SeatIdentity | Player | None]) -> Reply:
    """Reply with what proves that the dice of a game were fair."""
    audit = call.services.auditor.audit(call.game, call.log_epoch)
    namesakes = call.services.namesakes.find(call.game, audit.named)
    body = AuditReply(
        id=call.game,
        version=audit.version,
        head=audit.head,
        commitment=audit.commitment,
        seed=audit.seed,
        verified=audit.verified,
        named=audit.named,
        imported=audit.imported or None,
        namesakes=namesakes,
        judged=JUDGED,
        unjudged=audit.unjudged,
    )
    # Games may be imported and removed after the last commit of this one.
    version = f"{audit.version}-{crc32(repr(namesakes).encode()):08x}" if namesakes else audit.version
    return Reply(body, call.tag(version, audit.head))
