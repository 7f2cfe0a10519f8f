"""Hypothesis strategies made from the type annotations, so that a new type or field needs none of its own."""

from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from msgspec import Struct

from events.commands import Command
from events.secrecy import Secret, seal
from events.types import Event

SEATS = st.integers(0, 5)
SALTS = st.binary(min_size=16, max_size=16).map(bytes.hex)
AUDIENCES = st.lists(SEATS, max_size=3, unique=True).map(tuple)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(-(2**53), 2**53),
    str: st.text(max_size=12),
    NoneType: st.none(),
}


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of this type; secrets come with a true commitment."""
    if kind in PLAIN:
        return PLAIN[kind]
    if isinstance(kind, type) and issubclass(kind, Struct):
        return _values_of_struct(kind)
    return _values_of_generic(get_origin(kind), get_args(kind))


def _values_of_struct(kind: type[Struct]) -> st.SearchStrategy[Any]:
    return st.builds(kind, **{name: values_of(hint) for name, hint in get_type_hints(kind).items()})


def _values_of_generic(origin: Any, args: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    if origin in (Union, UnionType):
        return st.one_of(*map(values_of, args))
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        return st.lists(values_of(args[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(values_of(args[0]), values_of(args[1]), max_size=3)
    if origin is Secret:
        return st.builds(seal, values_of(args[0]), SALTS, AUDIENCES)
    raise TypeError(f"no strategy for {origin}")


events: st.SearchStrategy[Event] = values_of(Event)
commands: st.SearchStrategy[Command] = values_of(Command)
secrets: st.SearchStrategy[Secret[Any]] = values_of(Secret[str]) | values_of(Secret[tuple[str, ...]])
