"""Hidden values: sealed with a salt, shown to others as a commitment only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from operator import is_
from types import EllipsisType, NoneType, UnionType
from typing import Any, Generic, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct, structs

T = TypeVar("T")
Thing = TypeVar("Thing")

SALT_BYTES = 16
_PLAIN = frozenset({str, int, bool, NoneType, EllipsisType, ...})
_CONTAINERS = (tuple, dict, Mapping, Union, UnionType)


class Sealed(LookupError):
    """The value is not for the one who asks."""


class Secret(Struct, Generic[T], frozen=True, omit_defaults=True):
    """A value that only its audience sees; others see the commitment (ADR 0004)."""

    hidden: str
    value: T | None = None
    salt: str | None = None
    audience: tuple[int, ...] = ()

    @property
    def contents(self) -> T:
        if self.value is None:
            raise Sealed("this secret is sealed for the one who asks")
        return self.value


def commitment(salt: str, value: object) -> str:
    """The public commitment: SHA-256 over the salt's bytes and the value as JSON."""
    grains = bytes.fromhex(salt)
    # A salt of any length could borrow bytes from the value and open one commitment in two ways.
    if len(grains) != SALT_BYTES:
        raise ValueError(f"a salt has {SALT_BYTES} bytes, not {len(grains)}")
    return sha256(grains + msgspec.json.encode(value, order="sorted")).hexdigest()


def seal(value: T, salt: str, audience: tuple[int, ...]) -> Secret[T]:
    return Secret(commitment(salt, value), value, salt, audience)


def proves(hidden: str, salt: object, value: object) -> bool:
    """Whether salt and value open this commitment; both may be of any type."""
    try:
        return isinstance(salt, str) and commitment(salt, value) == hidden
    except ValueError:
        return False


def redact(thing: Thing, viewer: int | None) -> Thing:
    """Return a thing as the viewer may see it: a seat, or None for a spectator."""
    return cast(Thing, _redact(thing, viewer))


def _redact(thing: Any, viewer: int | None) -> Any:
    """Redact a thing; one that holds no secret is returned as the same object."""
    kind: type = type(thing)
    if kind is tuple:
        items = [_redact(item, viewer) for item in thing]
        return thing if _are_same(items, thing) else tuple(items)
    if kind is dict:
        items = [_redact(item, viewer) for item in thing.values()]
        return thing if _are_same(items, thing.values()) else dict(zip(thing, items, strict=True))
    if kind is Secret:
        return thing if viewer in thing.audience else Secret(thing.hidden)
    fields = _guarded_fields(kind)
    return _redact_struct(thing, fields, viewer) if fields else thing


def _are_same(items: list[Any], originals: Iterable[Any]) -> bool:
    return all(map(is_, items, originals))


def _redact_struct(thing: Struct, fields: Iterable[str], viewer: int | None) -> Struct:
    changes = {}
    for field in fields:
        before = getattr(thing, field)
        # Most are empty most of the time.
        if before and (after := _redact(before, viewer)) is not before:
            changes[field] = after
    return structs.replace(thing, **changes) if changes else thing


def find_secrets(thing: Any) -> Iterator[Secret[Any]]:
    """Yield every secret in a thing, whatever its audience."""
    kind: type = type(thing)
    if kind is Secret:
        yield thing
    elif kind is tuple or kind is dict:
        for item in thing.values() if kind is dict else thing:
            yield from find_secrets(item)
    else:
        for field in _guarded_fields(kind):
            yield from find_secrets(getattr(thing, field))


@cache
def _guarded_fields(kind: type) -> tuple[str, ...]:
    """The fields of a type that can hold a secret. Cached, because every reply needs it."""
    if issubclass(kind, (str, int, NoneType)):
        return ()
    if not issubclass(kind, Struct):
        raise TypeError(f"cannot tell what is secret in a {kind.__name__}")
    hints = get_type_hints(kind)
    return tuple(name for name in kind.__struct_fields__ if _can_hold_secret(hints[name]))


def _can_hold_secret(hint: Any) -> bool:
    """Whether a type can hold a secret; an unknown type counts as one that can."""
    if hint in _PLAIN or get_origin(hint) is Literal:
        return False
    parts = get_args(hint)
    if get_origin(hint) in _CONTAINERS and parts:
        return any(_can_hold_secret(part) for part in parts)
    if isinstance(hint, type) and issubclass(hint, Struct):
        return bool(_guarded_fields(hint))
    return True
