"""The `croupier` command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import click

from service.config import Misconfigured, Settings, read_dotenv, say
from service.ops import run
from service.ops.disk import FolderTaken
from service.ops.preflight import await_free_port, await_redis
from service.ops.redis_server import NoRedis, RedisServer, find_running_url

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; faults that a user can mend become one line."""
    try:
        code: int = croupier.main(args=arguments, prog_name="croupier", standalone_mode=False)
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    except click.Abort:
        return INTERRUPTED
    except (Misconfigured, NoRedis, FolderTaken, OSError) as problem:
        say(str(problem))
        return 1
    return code


class CommandsInOrder(click.Group):
    """Lists commands in the order of this file: first what most people need."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=CommandsInOrder, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="croupier", message="%(prog)s %(version)s")
def croupier() -> None:
    """Run and operate Croupier, a server for the Las Vegas dice games.

    Settings are read from the environment and from .env; docs/operating.md lists them.
    """


@croupier.command("run")
def run_everything() -> int:
    """Run the whole service.

    Starts the API, the projector, the reconciler and the bot workers, and a Redis of its own under DATA_DIR
    unless REDIS_URL names one. Restarts processes that fail.
    """
    from service.lobby.rebuild import adopt_all_archived

    def prepare(settings: Settings) -> None:
        adopt_all_archived(settings)
        _ensure_signing_key(settings)

    return run.run(_settings(), prepare)


@croupier.command("serve")
def serve_api() -> int:
    """Run only the API, on a Redis that is already there."""
    settings = _settings()
    url = settings.redis_url or find_running_url(settings.data_dir)
    if url is None:
        raise NoRedis("no Redis to serve from: set REDIS_URL, or use `croupier run`")
    await_redis(url)
    await_free_port(settings)
    _ensure_signing_key(settings)
    # Replaces this process, so that signals and the exit code are gunicorn's own.
    os.execve(sys.executable, run.API, {**os.environ, **settings.environment(), "REDIS_URL": url})


@croupier.command("doctor")
def examine_service() -> int:
    """Say what this service runs on, and what is wrong with it.

    Tells what /readyz keeps from strangers: versions, folders and addresses. Exits with 1 if games cannot be
    stored.
    """
    from service.ops.doctor import main

    return main(_settings())


@croupier.command("verify")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--key",
    default="",
    metavar="KEY",
    help="Check signatures by this public key, or by those of a file like /.well-known/croupier-keys.",
)
def verify_files(files: tuple[str, ...], key: str) -> int:
    """Check exported games, offline.

    FILE is a game from /export or /events. Exits with 0 if all games are verified, with 1 if one is not, and
    with 3 if one was played by rules that this version does not know.
    """
    # Commands import their parts when they run, so that each needs only its own.
    from service.fairness.verify_files import main

    return main(files, key)


@croupier.command("export")
@click.argument("folder")
@click.option(
    "--server",
    default="http://127.0.0.1:8000",
    show_default=True,
    metavar="URL",
    help="Address of the service.",
)
@click.option("--edition", default="", help="Only games of this edition.")
@click.option(
    "--finished-after", default="", metavar="TIME", help="Only games that ended later: 2026-11-15T12:00:00Z."
)
@click.option("--csv", is_flag=True, help="Also write choices.csv and rolls.csv.")
def export_games(folder: str, server: str, edition: str, finished_after: str, csv: bool) -> int:
    """Download all finished public games of a service.

    Writes each game to a file in FOLDER. Called again with the same options, it continues where it stopped.
    """
    from service.history.download import main

    return main(server, folder, edition, finished_after, csv)


_SAMPLE = click.option(
    "--verify",
    "sample",
    default=50,
    show_default=True,
    type=click.IntRange(0),
    help="How many games, drawn at random, are verified at the end.",
)


@croupier.command("backup")
@click.argument("folder")
@_SAMPLE
def back_up_store(folder: str, sample: int) -> int:
    """Copy all games and players into a folder.

    The service may run meanwhile. FOLDER must be new or empty; the copy holds secrets. Exits with 0 if the
    backup is complete, with 1 if none was made, and with 3 if it is complete but a game in it is not
    verified.
    """
    from service.ops.backup import main

    with _find_redis(_settings()) as url:
        return main(url, folder, sample)


@croupier.command("restore")
@click.argument("folder")
@_SAMPLE
def restore_store(folder: str, sample: int) -> int:
    """Write a backup into an empty Redis.

    A Redis that has the same games gets what is missing there. Checks the whole backup before it writes
    anything, and can be repeated if it breaks off. Exits with 0 if all is restored, with 1 if not, and with 3
    if a restored game is not verified.
    """
    from service.ops.restore import main

    with _find_redis(_settings()) as url:
        return main(url, folder, sample)


@croupier.command("rebuild")
def rebuild_derived_data() -> int:
    """Rebuild the lobby and the statistics from the log."""
    from service.lobby.rebuild import main

    with _find_redis(_settings()) as url:
        os.environ["REDIS_URL"] = url
        return main()


@croupier.group("games")
def games() -> None:
    """Look after single games."""


@games.command("list")
@click.option("--status", type=click.Choice(["lobby", "playing", "over"]), help="Only games in this state.")
@click.option("--edition", default="", help="Only games of this edition.")
@click.option("--all", "everything", is_flag=True, help="Also private and imported games, in no order.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), help="How many at most.")
def list_games(status: str | None, edition: str, everything: bool, limit: int) -> int:
    """List games, newest first."""
    from service.ops.operator import list_games

    with _find_redis(_settings()) as url:
        return list_games(url, status or "", edition, everything, limit)


@games.command("show")
@click.argument("game", metavar="ID")
def show_game(game: str) -> int:
    """Show a game, who sits there, and whether it is verified."""
    from service.ops.operator import show_game

    with _find_redis(_settings()) as url:
        return show_game(url, game)


@games.command("close")
@click.argument("game", metavar="ID")
def close_game(game: str) -> int:
    """End a game without winners, as the service does with games that are abandoned."""
    from service.ops.operator import close_game

    with _find_redis(_settings()) as url:
        return close_game(url, game)


@games.command("remove")
@click.argument("game", metavar="ID")
@click.option("--reason", default="", help="Why; it goes into the log.")
@click.option("--force", is_flag=True, help="Also remove a game that is not over.")
def remove_game(game: str, reason: str, force: bool) -> int:
    """Remove a game with all that was derived from it, for ever.

    For an import that is not what it says. Prints a line of the log to standard error.
    """
    from service.lobby.removal import main

    with _find_redis(_settings()) as url:
        return main(url, game, reason, force)


@croupier.group("players")
def players() -> None:
    """Look after single players."""


@players.command("show")
@click.argument("player", metavar="ID")
def show_player(player: str) -> int:
    """Show a player and the games of the list in which they sit."""
    from service.ops.operator import show_player

    with _find_redis(_settings()) as url:
        return show_player(url, player)


@players.command("erase")
@click.argument("player", metavar="ID")
def erase_player(player: str) -> int:
    """Erase a player as DELETE /v1/me does: name and token are gone, and every seat is left for good."""
    from service.ops.operator import erase_player

    with _find_redis(_settings()) as url:
        return erase_player(url, player)


@croupier.group("keys")
def keys() -> None:
    """Make and end API keys, for servers that play for many users."""


@keys.command("create")
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    required=True,
    type=click.Choice(["play", "players", "webhooks", "export"]),
    help="What the key may do; once for each scope.",
)
@click.option("--expires", type=click.FloatRange(0, min_open=True), metavar="DAYS", help="When it ends.")
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=VALUE",
    help='A limit of its own, such as creating="600 per minute" or open_games=5000.',
)
def create_key(name: str, scopes: tuple[str, ...], expires: float | None, limits: tuple[str, ...]) -> int:
    """Make an API key and print it, once, on the last line."""
    from service.keys.commands import create_key

    with _find_redis(_settings()) as url:
        return create_key(url, name, scopes, expires, limits)


@keys.command("list")
def list_keys() -> int:
    """List API keys with scopes, expiry and last use; never the keys themselves."""
    from service.keys.commands import list_keys

    with _find_redis(_settings()) as url:
        return list_keys(url)


@keys.command("rotate")
@click.argument("name")
@click.option(
    "--grace",
    default=0.0,
    show_default=True,
    type=click.FloatRange(0),
    metavar="HOURS",
    help="How long the former key still works.",
)
def rotate_key(name: str, grace: float) -> int:
    """Replace an API key and print the new one, once, on the last line. Its players and limits stay."""
    from service.keys.commands import rotate_key

    with _find_redis(_settings()) as url:
        return rotate_key(url, name, grace)


@keys.command("revoke")
@click.argument("name")
def revoke_key(name: str) -> int:
    """End an API key for ever, within a second. Its players and games stay."""
    from service.keys.commands import revoke_key

    with _find_redis(_settings()) as url:
        return revoke_key(url, name)


@croupier.group("signing-keys")
def signing_keys() -> None:
    """Look after the keys that sign finished games."""


@signing_keys.command("list")
def list_signing_keys() -> int:
    """List the public keys, as /.well-known/croupier-keys publishes them."""
    from service.keys.commands import list_signing_keys

    with _find_redis(_settings()) as url:
        return list_signing_keys(url)


@signing_keys.command("rotate")
def rotate_signing_key() -> int:
    """Sign with a new key from now on; games that were signed by the former one still verify."""
    from service.keys.commands import rotate_signing_key

    with _find_redis(_settings()) as url:
        return rotate_signing_key(url)


@signing_keys.command("revoke")
@click.argument("key", metavar="ID")
def revoke_signing_key(key: str) -> int:
    """Publish a key no more, because its private part is known to others."""
    from service.keys.commands import revoke_signing_key

    with _find_redis(_settings()) as url:
        return revoke_signing_key(url, key)


@croupier.command("replay-all")
@click.option("--release", default="", help="Release of the rules; each game's own by default.")
@click.option("--edition", default="", help="Only games of this edition.")
@click.option("--resume", default="", metavar="FILE", help="Keep the progress in FILE and continue from it.")
def replay_all_games(release: str, edition: str, resume: str) -> int:
    """Decide every stored game again and report differences.

    By its own release of the rules nothing may differ; with --release, see what another one would change.
    """
    from service.history.replay_all import main

    with _find_redis(_settings()) as url:
        return main(url, release, edition, resume)


@croupier.command("load")
@click.argument("url")
@click.option("--games", default=8, show_default=True, type=click.IntRange(1, 1000), help="Games at a time.")
@click.option(
    "--seconds", default=30.0, show_default=True, type=click.FloatRange(0.1), help="How long to play."
)
@click.option("--editions", default="", help="Editions with commas between; all by default.")
@click.option(
    "--players", default=3, show_default=True, type=click.IntRange(1, 8), help="People at each table."
)
@click.option("--bots", default=0, show_default=True, type=click.IntRange(0, 7), help="Bots at each table.")
@click.option("--level", default="random", show_default=True, help="Which bots.")
@click.option("--seed", default=1, show_default=True, help="What choices are drawn from.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def play_load(
    url: str,
    games: int,
    seconds: float,
    editions: str,
    players: int,
    bots: int,
    level: str,
    seed: int,
    as_json: bool,
) -> int:
    """Play against a service and measure it.

    URL is its address, such as http://127.0.0.1:8000. Choices that get no reply, or 503, are sent again with
    the same key; in the end all logs are compared with what was acknowledged. Turn off the rate limits of the
    service. Exits with 0 if nothing is lost or doubled, with 1 if something is, and with 2 if it cannot play.
    """
    from service.load.load import LoadPlan, main

    plan = LoadPlan(
        url=url.rstrip("/"),
        games=games,
        seconds=seconds,
        editions=tuple(name for name in editions.replace(",", " ").split()),
        players=players,
        bots=bots,
        level=level,
        seed=seed,
    )
    return main(plan, as_json)


@croupier.command("mcp")
@click.option(
    "--port", type=click.IntRange(1, 65_535), metavar="N", help="Serve streamable HTTP at /mcp on this port."
)
def serve_models(port: int | None) -> int:
    """Let language models play, over the Model Context Protocol.

    Speaks on standard input and output for the player of CROUPIER_TOKEN. With --port every request brings the
    token of its player. CROUPIER_URL is the address of the service. Needs the extra croupier[mcp].
    """
    if find_spec("mcp") is None:
        raise Misconfigured("the package mcp is missing: install croupier[mcp]")
    from service.mcp.command import main

    settings = _settings()
    return main({**read_dotenv(Path(".env")), **os.environ}, settings.log_level, port)


@croupier.command("openapi")
def render_contract() -> int:
    """Write openapi.yaml, the contract of the API."""
    from service.http.openapi.document import main

    return main()


@croupier.command(
    "arena",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", metavar="[OPTIONS]", nargs=-1, type=click.UNPROCESSED)
def open_arena(arguments: tuple[str, ...]) -> int:
    """Measure bots; see `croupier arena --help`."""
    # Started by name: the service imports nothing of the workers. The arena reads its options itself.
    os.execv(sys.executable, [sys.executable, "-m", "workers.arena", *arguments])


def _ensure_signing_key(settings: Settings) -> None:
    """Make a signing key if there is none; a service that cannot keep one signs no games."""
    from service.keys.signing import ensure_key_file

    try:
        ensure_key_file(settings.signing_key_path)
    except OSError as problem:
        say(f"games are not signed: the signing key cannot be written ({problem})")


def _settings() -> Settings:
    return Settings.from_env(os.environ)


@contextmanager
def _find_redis(settings: Settings) -> Iterator[str]:
    """Yield the address of the configured Redis, of the one that runs in DATA_DIR, or of a new one there."""
    url = settings.redis_url or find_running_url(settings.data_dir)
    if url:
        await_redis(url)
        yield url
        return
    with RedisServer(settings.data_dir, settings.redis_server) as server:
        yield server.url
