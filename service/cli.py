"""The `croupier` command."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version

from service.config import Misconfigured, Settings, say
from service.ops import run
from service.ops.disk import FolderTaken
from service.ops.preflight import await_free_port, await_redis
from service.ops.redis_server import NoRedis, RedisServer, find_running_url


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    given, rest = parser.parse_known_args(arguments)
    if rest and given.task is not _arena:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    given.rest = rest
    task: Callable[[argparse.Namespace], int] = given.task
    try:
        return task(given)
    except (Misconfigured, NoRedis, FolderTaken, OSError) as problem:
        say(str(problem))
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="croupier", description="The Las Vegas dice games as a service.")
    parser.add_argument("--version", action="version", version=f"croupier {version('croupier')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, task, summary in TASKS:
        # What the arena is told it reads itself, its help included.
        command = commands.add_parser(
            name, help=summary, description=summary, add_help=task is not _arena, allow_abbrev=False
        )
        command.set_defaults(task=task)
    commands.choices["verify"].add_argument(
        "paths", metavar="FILE", nargs="+", help="a game as exported by /export or /events"
    )
    _add_export_arguments(commands.choices["export"])
    _add_replay_arguments(commands.choices["replay-all"])
    return parser


def _add_export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", metavar="FOLDER", help="where each game becomes a file; goes on if it is there"
    )
    parser.add_argument(
        "--server", default="http://127.0.0.1:8000", help="the service, by default this machine's"
    )
    parser.add_argument("--edition", default="", help="games of this edition only")
    parser.add_argument("--finished-after", default="", metavar="MOMENT", help="as 2026-11-15T12:00:00Z")
    parser.add_argument("--csv", action="store_true", help="also write choices.csv and rolls.csv")


def _add_replay_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--release", default="", help="of the rules; by default each game's own")
    parser.add_argument("--edition", default="", help="games of this edition only")
    parser.add_argument(
        "--resume", default="", metavar="FILE", help="where it is noted how far this has come"
    )


def _run(given: argparse.Namespace) -> int:
    return run.run(_settings())


def _serve(given: argparse.Namespace) -> int:
    settings = _settings()
    url = settings.redis_url or find_running_url(settings.data_dir)
    if url is None:
        raise NoRedis("no Redis to serve from: set REDIS_URL, or use `croupier run`")
    await_redis(url)
    await_free_port(settings)
    # Replaces this process, so that signals and the exit code are gunicorn's own.
    os.execve(sys.executable, run.API, {**os.environ, **settings.environment(), "REDIS_URL": url})


def _verify(given: argparse.Namespace) -> int:
    # The tasks are loaded when asked for, so that each needs only its own parts.
    from service.fairness.verify_files import main

    return main(given.paths)


def _export(given: argparse.Namespace) -> int:
    from service.history.download import main

    return main(given.server, given.folder, given.edition, given.finished_after, given.csv)


def _rebuild(given: argparse.Namespace) -> int:
    from service.lobby.rebuild import main

    with _redis_at_hand(_settings()) as url:
        os.environ["REDIS_URL"] = url
        return main()


def _replay_all(given: argparse.Namespace) -> int:
    from service.history.replay_all import main

    with _redis_at_hand(_settings()) as url:
        return main(url, given.release, given.edition, given.resume)


def _openapi(given: argparse.Namespace) -> int:
    from service.http.openapi.document import main

    return main()


def _arena(given: argparse.Namespace) -> int:
    # Started by name, as all that the workers do: the service imports nothing above it.
    os.execv(sys.executable, [sys.executable, "-m", "workers.arena", *given.rest])


TASKS = (
    ("run", _run, "serve everything: API, projector, reconciler, bots and a Redis of its own"),
    ("serve", _serve, "serve the API alone"),
    (
        "verify",
        _verify,
        "check exported games offline; exits with 0 if they hold, 1 if one does not, 3 if rules are unknown",
    ),
    ("export", _export, "fetch all public games of a service that are over, each as a file"),
    ("rebuild", _rebuild, "drop what is derived and make it anew from the log"),
    (
        "replay-all",
        _replay_all,
        "decide every stored game again, by its own release of the rules or to see what another would change",
    ),
    ("openapi", _openapi, "render openapi.yaml"),
    ("arena", _arena, "play bots against each other and tell how strong they are; --help tells more"),
)


def _settings() -> Settings:
    return Settings.from_env(os.environ)


@contextmanager
def _redis_at_hand(settings: Settings) -> Iterator[str]:
    """The one that is configured, else the one that runs over the data folder, else one for this task."""
    url = settings.redis_url or find_running_url(settings.data_dir)
    if url:
        await_redis(url)
        yield url
        return
    with RedisServer(settings.data_dir, settings.redis_server) as server:
        yield server.url
