"""What one caller may do: how often, and how much of it at once."""

import re
from collections.abc import Mapping

from msgspec import Struct

# None at all may be wanted, a time of no length is none.
_PERIOD = r"\d{1,9} per ([1-9]\d{0,4} )?(second|minute|hour|day)s?"
_RATE = re.compile(rf"{_PERIOD}(; {_PERIOD})*", re.ASCII)


class LimitSettings(Struct, frozen=True):
    """Rates of a kind of request are those of one address, `token` is that of one token in all."""

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
    open_streams: int = 1_000

    @property
    def are_on(self) -> bool:
        return self.rate_limits == "on"

    @property
    def most_games(self) -> int:
        """Open at once, of one address; 0 for as many as one likes."""
        return self.open_games if self.are_on else 0

    @property
    def most_streams(self) -> int:
        return self.open_streams if self.are_on else 0

    def environment(self) -> dict[str, str]:
        """As `read_limits` reads it."""
        return {variable: str(getattr(self, name)) for name, variable in VARIABLES.items()}


QUOTAS = ("open_games", "open_streams")
RATES = (
    *("playing", "reading", "reviewing", "streaming", "sitting", "creating"),
    *("archiving", "importing", "thinking", "token"),
)
VARIABLES = {
    "rate_limits": "RATE_LIMITS",
    **{name: f"LIMIT_{name.upper()}" for name in RATES},
    **{name: name.upper() for name in QUOTAS},
}
UNLIMITED = LimitSettings(rate_limits="off")


def read_limits(given: Mapping[str, str]) -> LimitSettings:
    """Raises ValueError with a message for the operator."""
    named = {name: given[variable] for name, variable in VARIABLES.items() if given.get(variable)}
    for name, text in named.items():
        _check(name, text.strip())
    read = {name: int(text) if name in QUOTAS else text.strip() for name, text in named.items()}
    return LimitSettings(**read)  # type: ignore[arg-type]


def _check(name: str, text: str) -> None:
    if name == "rate_limits" and text not in ("on", "off"):
        raise ValueError(f"RATE_LIMITS must be on or off, not {text!r}")
    if name in RATES and not _RATE.fullmatch(text):
        raise ValueError(
            f"{VARIABLES[name]} must be a rate such as 60 per minute, several with '; ' between, not {text!r}"
        )
    if name in QUOTAS and not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise ValueError(f"{VARIABLES[name]} must be a whole number, 0 for no limit, not {text!r}")
