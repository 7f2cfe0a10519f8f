"""How much is tried: little in `make test`, all of it in `make test-long`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.programs import IN_CI

SHORT, LONG = "short", "long"

# A busy machine is no fault of an example. In CI every run tries the same ones: red is about the change.
settings.register_profile(
    SHORT,
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=IN_CI,
)
settings.register_profile(LONG, settings.get_profile(SHORT), max_examples=300)


def examples(number: int, long: int = 300) -> settings:
    """Return settings with this number of examples; `long` is the number under the long profile."""
    is_long = settings.get_current_profile_name() == LONG
    return settings(max_examples=long if is_long else number)


def sample(cases: Iterable[Any], step: int) -> list[Any]:
    """Return the cases of a parametrized test, where all but every `step`th are left to the long run."""
    return [
        case if number % step == 0 else pytest.param(*_arguments(case), marks=pytest.mark.long)
        for number, case in enumerate(cases)
    ]


def _arguments(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
