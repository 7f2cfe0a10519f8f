"""Paths: many options of a question, asked for in steps of at most six answers each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from events.agenda import Ask
from events.text import Joined, as_text
from rules.prompt import Casino, Option, Path, PathContext, PathStep, Prompt
from rules.ruleset import Ruleset
from rules.state import State

# As many options are asked for at once, without a path.
MOST_AT_ONCE = 6


def add_paths(
    ruleset: Ruleset, state: State, ask: Ask, seat: int, options: tuple[Option, ...]
) -> tuple[Option, ...]:
    """Return the options with their paths, where there are more than can be asked for at once."""
    if len(options) <= MOST_AT_ONCE:
        return options
    prompt = ruleset.prompts[ask.prompt]
    context = PathContext(state, ask, seat, name_casinos(ruleset))
    paths = join_lone_steps([_find_path(prompt, context, option) for option in options])
    return tuple(replace(option, path=path) for option, path in zip(options, paths, strict=True))


def _find_path(prompt: Prompt, context: PathContext, option: Option) -> Path:
    if prompt.path is None:
        return (PathStep(option.target, option.label),)
    return prompt.path(context, option.choice)


def name_casinos(ruleset: Ruleset) -> Mapping[Casino, str]:
    """Return the names of the casinos with their numbers, as sentences about the game write them."""
    names: dict[Casino, str] = {
        number: f"{name} ({number})" for number, name in enumerate(ruleset.casinos, 1)
    }
    return names if ruleset.bandit is None else {**names, "bandit": as_text(ruleset.bandit)}


def join_lone_steps(paths: Sequence[Path]) -> list[Path]:
    """Return the paths without questions that have one answer: such a step is joined to the one before."""
    joined: dict[int, Path] = {}
    _join_below([(place, path) for place, path in enumerate(paths)], (), joined)
    return [joined[place] for place in range(len(paths))]


def _join_below(branch: Sequence[tuple[int, Path]], before: Path, joined: dict[int, Path]) -> None:
    """Find the paths of a branch, whose options have the steps `before` in common."""
    groups: dict[PathStep, list[tuple[int, Path]]] = {}
    for place, path in branch:
        if path:
            groups.setdefault(path[0], []).append((place, path[1:]))
        else:
            joined[place] = before
    is_lone = len(groups) == 1 and bool(before)
    for step, below in groups.items():
        _join_below(below, (*before[:-1], _join(before[-1], step)) if is_lone else (*before, step), joined)


def _join(first: PathStep, second: PathStep) -> PathStep:
    return PathStep(second.target or first.target, Joined((first.label, second.label), ": "))
