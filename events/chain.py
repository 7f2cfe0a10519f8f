"""The hash chain of a log. Hashes cover the public form of commits, so that anyone can check them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import structs

from events.commit import FORMAT, Commit
from events.secrecy import Secret, find_secrets, proves, redact
from events.text import Text, as_text

GENESIS = "0" * 64
# Members for the server that stores a commit; they are never exported.
UNHASHED = ("key", "request", "imported")
_SECRET_MEMBERS = frozenset(Secret.__struct_fields__)
_encoder = msgspec.json.Encoder(order="sorted")


class Broken(Exception):
    """The chain does not hold at this version."""

    def __init__(self, version: int, why: str) -> None:
        super().__init__(f"version {version}: {why}")
        self.version = version
        self.why = as_text(why)


def link(commit: Commit) -> Commit:
    """Return the commit in the current format, with the hash of its public form."""
    return structs.replace(commit, format=FORMAT, hash=_hash_public_form(commit)[0])


def fits(commit: Commit, version: int, head: str) -> bool:
    """Whether a commit has this version, follows that head, and its hash and secrets are right.

    This takes a tenth of the time of `check_chain`. A commit in another format, or of a newer program, may
    fail here and still be right: only `check_chain` on its stored form can tell.
    """
    if commit.version != version or commit.prev != head:
        return False
    expected, has_secrets = _hash_public_form(commit)
    if commit.hash != expected:
        return False
    return not (has_secrets and any(map(_is_forged, find_secrets(commit))))


def _hash_public_form(commit: Commit) -> tuple[str, bool]:
    """Return the hash, and whether the commit holds secrets."""
    bare = structs.replace(commit, format=FORMAT, hash="", key="", request="", imported="")
    form = _encoder.encode(bare)
    # Most commits hold no secret, and such a commit is its own public form.
    has_secrets = b'"hidden"' in form
    if has_secrets:
        form = _encoder.encode(redact(bare, None))
    return sha256(form).hexdigest(), has_secrets


def _is_forged(secret: Secret[Any]) -> bool:
    shown = (secret.value, secret.salt) != (None, None)
    return shown and not proves(secret.hidden, secret.salt, secret.value)


def redact_commit(commit: Commit, viewer: int | None = None, everything: bool = False) -> Commit:
    """Return the commit as a viewer may see it; `everything` is for a game that is over (S1)."""
    bare = forget_unhashed(commit)
    return bare if everything else redact(bare, viewer)


def forget_unhashed(commit: Commit) -> Commit:
    """Return the commit without the members that only the storing server needs."""
    return structs.replace(commit, key="", request="", imported="")


def public_form(raw: Any) -> Any:
    """The public form of a stored commit: commitments in place of secrets."""
    if isinstance(raw, dict):
        if _is_secret(raw):
            return {"hidden": raw["hidden"]}
        return {name: public_form(item) for name, item in raw.items()}
    if isinstance(raw, (list, tuple)):
        return [public_form(item) for item in raw]
    return raw


def digest(form: dict[str, Any]) -> str:
    body = {name: item for name, item in form.items() if name not in ("hash", *UNHASHED)}
    return sha256(_encoder.encode(body)).hexdigest()


def check_chain(raws: Iterable[dict[str, Any]], first: int = 1, head: str = GENESIS) -> str:
    """Check stored or exported commits and return the head. Raises Broken at the first fault.

    `first` is the version of the first commit, `head` the hash of the commit before it.
    """
    for version, raw in enumerate(raws, start=first):
        fault = _find_fault(raw, version, head)
        if fault:
            raise Broken(version, fault)
        head = raw["hash"]
    return head


def _find_fault(raw: Any, version: int, head: str) -> str | None:
    if not isinstance(raw, dict):
        return Text("it is no commit")
    if raw.get("version") != version:
        return Text(
            "expected version {version}, found {found}", version=version, found=str(raw.get("version"))
        )
    if raw.get("prev") != head:
        return Text("it does not follow the commit before it")
    if raw.get("hash") != digest(public_form(raw)):
        return Text("its hash does not match its content")
    # The hash covers commitments only, so an opened secret has to prove itself.
    for secret in _opened_secrets(raw):
        fault = _find_secret_fault(secret)
        if fault:
            return fault
    return None


def _find_secret_fault(secret: dict[str, Any]) -> str | None:
    if not secret.keys() <= _SECRET_MEMBERS:
        return Text("an opened secret has members that no hash covers")
    if not proves(secret["hidden"], secret.get("salt"), secret.get("value")):
        return Text("an opened secret does not match its commitment")
    return None


def _is_secret(raw: dict[str, Any]) -> bool:
    return "hidden" in raw and "type" not in raw


def _opened_secrets(raw: Any) -> Iterator[dict[str, Any]]:
    """Every secret in the raw form that shows more than its commitment."""
    if isinstance(raw, dict) and _is_secret(raw):
        if raw.keys() != {"hidden"}:
            yield raw
    elif isinstance(raw, (dict, list, tuple)):
        for item in raw.values() if isinstance(raw, dict) else raw:
            yield from _opened_secrets(item)
