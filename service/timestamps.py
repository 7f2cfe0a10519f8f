"""Formats moments as the service writes them: `stamp`."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
# No game was played before or will be after: whatever is reckoned from such a time is a time, too.
FIRST_YEAR = 2000
LAST_YEAR = 2200


def stamp(moment: datetime) -> str:
    """Return a moment in RFC 3339, UTC, with milliseconds: stamps sort like the moments they stand for."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def is_stamp(text: str) -> bool:
    """Return whether a text is a moment as the service writes it."""
    try:
        return bool(_STAMP.fullmatch(text)) and FIRST_YEAR <= datetime.fromisoformat(text).year <= LAST_YEAR
    except ValueError:
        return False
