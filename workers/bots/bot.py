"""What a bot is: from what its seat sees to one of the answers it may give."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from rules.state import State

Bot = Callable[[State, int, Random], str]
