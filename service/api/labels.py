"""What bots say about options, with people named as they are called now: tasks know them by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from rules.legal import prompt_of
from rules.state import State
from service.api.calls import Call
from service.tasks.advice import Advice, AdviceOrder
from service.tasks.decisions import WeighedOption
from service.tasks.tasks import Task


def name_options(view: State, seat: int, options: Sequence[WeighedOption]) -> tuple[WeighedOption, ...]:
    """The view has names in its seats."""
    ask = view.ask
    if ask is None:
        return tuple(options)
    label = prompt_of(view, ask).label
    return tuple(replace(option, label=label(view, ask, seat, option.choice)) for option in options)


def show_advice(call: Call[Any], task: Task) -> Advice:
    """Of a task that is done."""
    order = msgspec.json.decode(task.order, type=AdviceOrder)
    advice = msgspec.json.decode(task.result, type=Advice)
    named = call.services.names.name_seats(order.view)
    return replace(advice, options=name_options(named, order.seat, advice.options))
