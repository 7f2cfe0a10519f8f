"""Reads the settings of a process from the environment and a .env file."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from ipaddress import ip_network
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import SplitResult, quote, urlsplit

import msgspec
from msgspec import Struct

from events.server_url import is_cluster_url, parse_cluster_url, parse_sentinel_url

# A rate of 0 is allowed, a period of 0 is not.
_PERIOD = r"\d{1,9} per ([1-9]\d{0,4} )?(second|minute|hour|day)s?"
_RATE = re.compile(rf"{_PERIOD}(; {_PERIOD})*", re.ASCII)


class LimitSettings(Struct, frozen=True):
    """Rates for one address by kind of request, `token` for one token over all kinds, and quotas."""

    rate_limits: str = "on"
    playing: str = "10000 per 10 seconds"
    reading: str = "20000 per 10 seconds"
    reviewing: str = "200 per 10 seconds; 600 per minute"
    streaming: str = "10000 per 10 seconds"
    sitting: str = "600 per minute"
    creating: str = "120 per minute; 600 per 10 minutes"
    archiving: str = "20 per minute"
    importing: str = "20 per minute; 100 per day"
    thinking: str = "600 per minute"
    token: str = "20000 per 10 seconds"
    open_games: int = 1_000
    daily_games: int = 2_000
    open_streams: int = 1_000

    @property
    def enabled(self) -> bool:
        return self.rate_limits == "on"

    @property
    def max_open_games(self) -> int:
        """How many open games one address may have; 0 for no limit."""
        return self.open_games if self.enabled else 0

    @property
    def max_daily_games(self) -> int:
        """How many games of one address may end in a day; 0 for no limit."""
        return self.daily_games if self.enabled else 0

    @property
    def max_open_streams(self) -> int:
        """How many open streams one address may have; 0 for no limit."""
        return self.open_streams if self.enabled else 0

    def environment(self) -> dict[str, str]:
        """Return the variables from which `read_limits` reads these settings."""
        return {variable: str(getattr(self, name)) for name, variable in VARIABLES.items()}


QUOTAS = ("open_games", "daily_games", "open_streams")
RATES = (
    "playing",
    "reading",
    "reviewing",
    "streaming",
    "sitting",
    "creating",
    "archiving",
    "importing",
    "thinking",
    "token",
)
VARIABLES = {
    "rate_limits": "RATE_LIMITS",
    **{name: f"LIMIT_{name.upper()}" for name in RATES},
    **{name: name.upper() for name in QUOTAS},
}
UNLIMITED = LimitSettings(rate_limits="off")


def read_limits(given: Mapping[str, str]) -> LimitSettings:
    """Read the limits from variables. Raises ValueError with a message for the operator."""
    named = {name: given[variable] for name, variable in VARIABLES.items() if given.get(variable)}
    read = {name: read_limit(name, text.strip(), VARIABLES[name]) for name, text in named.items()}
    return LimitSettings(**read)  # type: ignore[arg-type]


def read_limit(name: str, text: str, called: str) -> str | int:
    """Return the value of one limit, which the operator knows as `called`. Raises ValueError."""
    if name == "rate_limits" and text not in ("on", "off"):
        raise ValueError(f"{called} must be on or off, not {text!r}")
    if name in RATES and not _RATE.fullmatch(text):
        raise ValueError(
            f"{called} must be a rate such as 60 per minute, several with '; ' between, not {text!r}"
        )
    if name not in QUOTAS:
        return text
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise ValueError(f"{called} must be a whole number, 0 for no limit, not {text!r}")
    return int(text)


# Who may create games and players, import games and ask for advice: everyone, or those with an API key.
Access = Literal["open", "keys"]


class Misconfigured(ValueError):
    """A setting that cannot be used, with a message for the operator."""


def say(text: str) -> None:
    """Print one line for the operator to standard error."""
    print(f"croupier: {text}", file=sys.stderr, flush=True)


@contextmanager
def exit_if_misconfigured(code: int = 1) -> Iterator[None]:
    """Turn Misconfigured into one line for the operator and an exit code, without a traceback."""
    try:
        yield
    except Misconfigured as problem:
        say(str(problem))
        raise SystemExit(code) from None


class Settings(msgspec.Struct, frozen=True):
    """The settings of a service; docs/operating.md explains each."""

    host: str = "127.0.0.1"
    port: int = 8000
    data_dir: Path = Path("data")
    redis_url: str | None = None
    queue_url: str | None = None
    redis_server: str | None = None
    redis_maxmemory: int | None = None
    trust_redis: bool = False
    durable_replicas: int = 0
    workers: int = 2
    api_workers: int = 2
    log_level: str = "info"
    lobby_hours: float = 24
    abandon_hours: float = 168
    player_hours: float = 720
    archive_after: float = 168
    archive_url: str = ""
    clock_hold_seconds: int = 600
    cors_origins: tuple[str, ...] = ("*",)
    trusted_proxies: str = ""
    request_seconds: int = 10
    access: Access = "open"
    signing_key: Path | None = None
    security_contact: str = ""
    webhook_networks: str = ""
    limits: LimitSettings = LimitSettings()

    @classmethod
    def from_env(cls, environ: Mapping[str, str], dotenv_path: str | Path = ".env") -> "Settings":
        """Read the settings from variables and a .env file; variables win. Raises Misconfigured."""
        given = {**read_dotenv(Path(dotenv_path)), **environ}
        return cls(
            host=given.get("HOST") or "127.0.0.1",
            port=_whole_number(given, "PORT", 8000, 1, 65535),
            data_dir=Path(given.get("DATA_DIR") or "data"),
            redis_url=_redis_url(given),
            queue_url=_queue_url(given),
            redis_server=given.get("CROUPIER_REDIS_SERVER") or None,
            redis_maxmemory=_bytes(given, "REDIS_MAXMEMORY"),
            trust_redis=_choice(given, "REDIS_SETTINGS", ("checked", "trusted")) == "trusted",
            durable_replicas=_durability(given),
            workers=_whole_number(given, "WORKERS", 2, 0, 64),
            api_workers=_whole_number(given, "API_WORKERS", 2, 1, 64),
            log_level=_choice(given, "LOG_LEVEL", _LOG_LEVELS),
            lobby_hours=_hours(given, "LOBBY_HOURS", 24),
            abandon_hours=_hours(given, "ABANDON_HOURS", 168),
            player_hours=_hours(given, "PLAYER_HOURS", 720),
            archive_after=_hours(given, "ARCHIVE_AFTER", 168),
            archive_url=_archive_url(given),
            clock_hold_seconds=_whole_number(given, "CLOCK_HOLD_SECONDS", 600, 0, 86_400),
            cors_origins=_origins(given.get("CORS_ORIGINS", "*")),
            trusted_proxies=_proxies(given),
            request_seconds=_whole_number(given, "REQUEST_SECONDS", 10, 1, 600),
            access="keys" if _choice(given, "ACCESS", get_args(Access)) == "keys" else "open",
            signing_key=Path(given["SIGNING_KEY"]) if given.get("SIGNING_KEY") else None,
            security_contact=_security_contact(given),
            webhook_networks=_webhook_networks(given),
            limits=_limits(given),
        )

    def environment(self) -> dict[str, str]:
        """Return the variables from which a child process reads these settings."""
        named = {
            "HOST": self.host,
            "PORT": str(self.port),
            "DATA_DIR": str(self.data_dir),
            "REDIS_URL": self.redis_url or "",
            "QUEUE_URL": self.queue_url or "",
            "CROUPIER_REDIS_SERVER": self.redis_server or "",
            "REDIS_MAXMEMORY": "" if self.redis_maxmemory is None else str(self.redis_maxmemory),
            "REDIS_SETTINGS": "trusted" if self.trust_redis else "checked",
            "DURABILITY": self.durability,
            "WORKERS": str(self.workers),
            "API_WORKERS": str(self.api_workers),
            "LOG_LEVEL": self.log_level,
            "LOBBY_HOURS": str(self.lobby_hours),
            "ABANDON_HOURS": str(self.abandon_hours),
            "PLAYER_HOURS": str(self.player_hours),
            "ARCHIVE_AFTER": str(self.archive_after),
            "ARCHIVE_URL": self.archive_url,
            "CLOCK_HOLD_SECONDS": str(self.clock_hold_seconds),
            "TRUSTED_PROXIES": self.trusted_proxies,
            "REQUEST_SECONDS": str(self.request_seconds),
            "ACCESS": self.access,
            "SIGNING_KEY": str(self.signing_key or ""),
            "SECURITY_CONTACT": self.security_contact,
            "WEBHOOK_NETWORKS": self.webhook_networks,
            **self.limits.environment(),
        }
        # An empty list means no origin, a missing variable the default.
        origins = {"CORS_ORIGINS": ",".join(self.cors_origins)}
        return {name: value for name, value in named.items() if value} | origins

    @property
    def archive_place(self) -> str:
        """The address of the archive."""
        return self.archive_url or f"file://{quote(str(self.data_dir.absolute() / 'archive'))}"

    @property
    def signing_key_path(self) -> Path:
        """The file of the key that signs finished games."""
        return self.signing_key or self.data_dir / "signing-key.json"

    @property
    def durability(self) -> str:
        """The setting DURABILITY, which `durable_replicas` was read from."""
        return f"replicated:{self.durable_replicas}" if self.durable_replicas else "local"

    @property
    def authority(self) -> str:
        """Host and port as they stand in an address."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def read_dotenv(path: Path) -> dict[str, str]:
    """Read KEY=value lines; comments, blank lines, `export` and matching quotes are allowed."""
    if not path.is_file():
        return {}
    lines = (line.strip().removeprefix("export ") for line in path.read_text("utf-8").splitlines())
    pairs = (line.partition("=") for line in lines if "=" in line and not line.startswith("#"))
    return {key.strip(): _unquote(value.strip()) for key, _, value in pairs}


def _unquote(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if quoted else value


_ENCODED = "special characters of USER:PASSWORD@ before the host must be written as %XX"


def _redis_url(given: Mapping[str, str]) -> str | None:
    url = given.get("REDIS_URL") or None
    # The message does not repeat the address: it may hold a password.
    if url is not None and not _is_redis_url(url):
        raise Misconfigured(
            "REDIS_URL must be redis://HOST:PORT/DB, rediss://HOST:PORT/DB, unix:///PATH, "
            f"redis+sentinel://HOST:PORT,HOST:PORT/NAME or redis+cluster://HOST:PORT,HOST:PORT; {_ENCODED}"
        )
    return url


def _queue_url(given: Mapping[str, str]) -> str | None:
    """Read the address of the Redis for the queue and limits; None for the one that holds the games."""
    url = given.get("QUEUE_URL") or None
    if url is not None and (not _is_redis_url(url) or is_cluster_url(url)):
        raise Misconfigured(
            "QUEUE_URL must be redis://HOST:PORT/DB, rediss://HOST:PORT/DB, unix:///PATH or "
            f"redis+sentinel://HOST:PORT,HOST:PORT/NAME; {_ENCODED}"
        )
    if url is None and is_cluster_url(given.get("REDIS_URL") or ""):
        raise Misconfigured(
            "QUEUE_URL is not set: beside a cluster, queue and limits need a Redis of their own, "
            "whose contents may be lost"
        )
    return url


def _is_redis_url(url: str) -> bool:
    # redis-py would check it too, but gunicorn must not import it before gevent has patched sockets.
    try:
        parts = urlsplit(url)
        # A password that is not encoded may end the address early: a part would be taken for the port.
        is_cut = bool(parts.fragment) or (parts.scheme != "unix" and "@" in parts.path + parts.query)
        return parts.scheme in _URL_CHECKS and not is_cut and _URL_CHECKS[parts.scheme](parts)
    except ValueError:
        return False


def _has_host(parts: SplitResult) -> bool:
    database = parts.path.strip("/")
    return bool(parts.hostname) and parts.port != 0 and (not database or database.isdecimal())


_URL_CHECKS: Mapping[str, Callable[[SplitResult], bool]] = {
    "redis": _has_host,
    "rediss": _has_host,
    "unix": lambda parts: parts.path not in ("", "/"),
    "redis+sentinel": lambda parts: bool(parse_sentinel_url(parts.geturl())),
    "rediss+sentinel": lambda parts: bool(parse_sentinel_url(parts.geturl())),
    "redis+cluster": lambda parts: bool(parse_cluster_url(parts.geturl())),
    "rediss+cluster": lambda parts: bool(parse_cluster_url(parts.geturl())),
}


def _archive_url(given: Mapping[str, str]) -> str:
    """Read where archived games are; empty for a folder of the data folder."""
    text = given.get("ARCHIVE_URL") or ""
    if not text:
        return ""
    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme == "file" and not parts.netloc and parts.path not in ("", "/"):
        return text
    if parts.scheme != "s3" or not parts.netloc or parts.query:
        raise Misconfigured(f"ARCHIVE_URL must be file:///FOLDER or s3://BUCKET/PREFIX, not {text!r}")
    if find_spec("obstore") is None:
        raise Misconfigured("ARCHIVE_URL names a bucket: install croupier[s3], which can use one")
    return text


def _security_contact(given: Mapping[str, str]) -> str:
    """Read where vulnerabilities are reported; empty if the service does not tell."""
    text = (given.get("SECURITY_CONTACT") or "").strip()
    if text and not _CONTACT.fullmatch(text):
        raise Misconfigured(
            f"SECURITY_CONTACT must be mailto:ADDRESS, https://PAGE or tel:NUMBER, not {text!r}"
        )
    return text


# A line of security.txt (RFC 9116) holds one of these.
_CONTACT = re.compile(r"mailto:[^\s@]+@[!-~]+|https://[!-~]+|tel:\+?[0-9-]{3,30}", re.ASCII)


def _webhook_networks(given: Mapping[str, str]) -> str:
    """Read the networks that webhooks may go to, beside public addresses; none by default."""
    text = given.get("WEBHOOK_NETWORKS") or ""
    try:
        return ",".join(str(ip_network(name, strict=False)) for name in text.replace(",", " ").split())
    except ValueError:
        raise Misconfigured(
            f"WEBHOOK_NETWORKS must be networks such as 127.0.0.0/8, 10.0.0.0/8, not {text!r}"
        ) from None


def _durability(given: Mapping[str, str]) -> int:
    """Read how many replicas must have a write before it is acknowledged; 0 if the master is enough."""
    text = given.get("DURABILITY") or "local"
    found = re.fullmatch(r"local|replicated:([1-9])", text, re.ASCII)
    if not found:
        raise Misconfigured(f"DURABILITY must be local, or replicated:N with N from 1 to 9, not {text!r}")
    if found[1] and not given.get("REDIS_URL"):
        raise Misconfigured(f"DURABILITY={text} needs a REDIS_URL: the embedded Redis has no replicas")
    return int(found[1] or 0)


def _origins(text: str) -> tuple[str, ...]:
    """Read origins that are separated by commas or spaces; empty if no other origin may call."""
    origins = tuple(text.replace(",", " ").lower().split())
    for origin in origins:
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            raise Misconfigured(
                f"CORS_ORIGINS must be *, or origins such as https://play.example.org, not {origin!r}"
            )
    return origins


_ORIGIN = re.compile(r"https?://[a-z0-9._-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:.]+\](:[0-9]{1,5})?")


def _whole_number(given: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = given.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
        raise Misconfigured(f"{name} must be a whole number from {low} to {high}, not {text!r}")
    return int(text)


def _bytes(given: Mapping[str, str], name: str) -> int | None:
    """Read a number of bytes such as 512mb or 2gb; None if it is not set."""
    text = (given.get(name) or "").lower()
    if not text:
        return None
    found = re.fullmatch(r"(\d{1,15})(kb|mb|gb)?", text, re.ASCII)
    if not found:
        raise Misconfigured(f"{name} must be bytes such as 512mb or 2gb, 0 for no limit, not {text!r}")
    return int(found[1]) * _UNITS[found[2] or ""]


_UNITS = {"": 1, "kb": 1024, "mb": 1024**2, "gb": 1024**3}


def _choice(given: Mapping[str, str], name: str, choices: tuple[str, ...]) -> str:
    """Read one of these words; the first is the default."""
    text = (given.get(name) or choices[0]).lower()
    if text not in choices:
        raise Misconfigured(f"{name} must be one of {', '.join(choices)}, not {text!r}")
    return text


# The default comes first.
_LOG_LEVELS = ("info", "debug", "warning", "error", "critical")


def _hours(given: Mapping[str, str], name: str, default: float) -> float:
    """Read a number of hours; fractions are allowed, 0 means never."""
    text = given.get(name) or str(default)
    if not (re.fullmatch(r"\d{1,6}(\.\d{1,9})?", text, re.ASCII)):
        raise Misconfigured(f"{name} must be a number of hours, 0 for never, not {text!r}")
    return float(text)


def _limits(given: Mapping[str, str]) -> LimitSettings:
    try:
        return read_limits(given)
    except ValueError as fault:
        raise Misconfigured(str(fault)) from None


def _proxies(given: Mapping[str, str]) -> str:
    """Read a number of proxies, or their networks; service.http.addresses uses them."""
    text = (given.get("TRUSTED_PROXIES") or "").replace(" ", "")
    if re.fullmatch(r"\d{0,2}", text, re.ASCII):
        return text
    try:
        return ",".join(str(ip_network(name, strict=False)) for name in text.split(","))
    except ValueError:
        raise Misconfigured(
            f"TRUSTED_PROXIES must be a number of proxies, or networks such as 10.0.0.0/8,::1, not {text!r}"
        ) from None
