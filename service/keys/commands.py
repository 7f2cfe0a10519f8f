"""The commands `croupier keys` and `croupier signing-keys`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import cast

from events.store import Unavailable
from service.config import say
from service.container import open_backend
from service.keys.keys import NAME, KeyNameTaken, KeyRecord, NewKey, Scope, UnknownKey, read_key_limits
from service.text import print_line
from service.timestamps import stamp

KEEP_IT = "Keep this key secret. It is shown only now:"


def create_key(
    url: str, name: str, scopes: Sequence[str], expires_days: float | None, limits: Sequence[str]
) -> int:
    """Make a key, print it, and return the exit status."""
    if not NAME.fullmatch(name):
        return _fail("a name has 1 to 40 letters, digits, dots, hyphens and underscores")
    own = dict(limit.partition("=")[::2] for limit in limits)
    try:
        read_key_limits(own)
    except ValueError as fault:
        return _fail(str(fault))
    lifetime = timedelta(days=expires_days) if expires_days else None
    try:
        with open_backend(url) as backend:
            made = backend.api_keys.create(name, cast(Sequence[Scope], scopes), lifetime, own)
    except KeyNameTaken:
        return _fail(f"there is a key named {name}; rotate or revoke it, or choose another name")
    except Unavailable as fault:
        return _fail(str(fault))
    return _show_new(made)


def rotate_key(url: str, name: str, grace_hours: float) -> int:
    """Replace a key, print the new one, and return the exit status."""
    try:
        with open_backend(url) as backend:
            made = backend.api_keys.rotate(name, timedelta(hours=grace_hours))
    except UnknownKey:
        return _fail_unknown(name)
    except Unavailable as fault:
        return _fail(str(fault))
    return _show_new(made)


def revoke_key(url: str, name: str) -> int:
    """End a key and return the exit status."""
    try:
        with open_backend(url) as backend:
            backend.webhooks.delete_all_of(backend.api_keys.revoke(name))
    except UnknownKey:
        return _fail_unknown(name)
    except Unavailable as fault:
        return _fail(str(fault))
    print_line(f"revoked {name}")
    return 0


def list_keys(url: str) -> int:
    """Print a line for each key and return the exit status."""
    try:
        with open_backend(url) as backend:
            records = backend.api_keys.list()
            last_uses = backend.api_keys.last_uses()
    except Unavailable as fault:
        return _fail(str(fault))
    for record in records:
        print_line(_describe(record, last_uses.get(record.id, "never")))
    if not records:
        print_line("no API keys; make one with `croupier keys create NAME --scope play`")
    return 0


def list_signing_keys(url: str) -> int:
    """Print a line for each public key and return the exit status."""
    try:
        with open_backend(url) as backend:
            keys = backend.signing_keys.list()
    except Unavailable as fault:
        return _fail(str(fault))
    for key in keys:
        until = f"retired {key.retired}" if key.retired else "in use"
        print_line(f"{key.id}  {key.algorithm}  {key.public}  created {key.created}  {until}")
    if not keys:
        print_line("no game has been signed yet")
    return 0


def rotate_signing_key(url: str) -> int:
    """Replace the signing key, print the new public one, and return the exit status."""
    try:
        with open_backend(url) as backend:
            key = backend.signing_keys.rotate()
    except Unavailable as fault:
        return _fail(str(fault))
    print_line(f"games are signed by key {key.id} from now on; its public key is")
    print_line(key.public)
    return 0


def revoke_signing_key(url: str, key_id: str) -> int:
    """Publish a key no more, and return the exit status."""
    try:
        with open_backend(url) as backend:
            is_revoked = backend.signing_keys.revoke(key_id)
    except Unavailable as fault:
        return _fail(str(fault))
    if not is_revoked:
        return _fail(f"no key {key_id} is published; `croupier signing-keys list` shows all")
    print_line(f"key {key_id} is published no more; rotate it if it is still in use")
    return 0


def _describe(record: KeyRecord, last_use: str) -> str:
    """Return a key in one line."""
    parts = [
        f"{record.name}  {record.id}  scopes {','.join(record.scopes)}",
        f"created {stamp(record.created)}",
        f"expires {_moment(record.expires)}",
        f"last used {last_use}",
    ]
    if record.former_expires:
        parts.append(f"former key until {stamp(record.former_expires)}")
    parts += [f"{name}={value}" for name, value in record.limits.items()]
    return "  ".join(parts)


def _moment(moment: datetime | None) -> str:
    return "never" if moment is None else stamp(moment)


def _show_new(made: NewKey) -> int:
    """Print a new key, alone on the last line."""
    print_line(_describe(made.record, "never"))
    print_line(KEEP_IT)
    print_line(made.key)
    return 0


def _fail_unknown(name: str) -> int:
    return _fail(f"there is no key named {name}; `croupier keys list` shows all")


def _fail(text: str) -> int:
    say(text)
    return 1
