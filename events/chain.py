"""The hash chain. It covers the public form, so that everybody can check it at any time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import structs

from events.commit import FORMAT, Commit
from events.secrecy import Secret, proves, redact

GENESIS = "0" * 64
# Of use to the server that stores a commit, and never exported.
UNHASHED = ("key", "request")
_SECRET_MEMBERS = frozenset(Secret.__struct_fields__)
_encoder = msgspec.json.Encoder(order="sorted")


class Broken(Exception):
    """The chain does not hold at this version."""

    def __init__(self, version: int, why: str) -> None:
        super().__init__(f"version {version}: {why}")
        self.version, self.why = version, why


def link(commit: Commit) -> Commit:
    """A new commit in today's format, with the hash over its public form."""
    bare = structs.replace(commit, format=FORMAT, hash="", key="", request="")
    form = _encoder.encode(bare)
    # Without a secret in it the commit is its own public form, and most are without.
    if b'"hidden"' in form:
        form = _encoder.encode(redact(bare, None))
    return structs.replace(commit, format=FORMAT, hash=sha256(form).hexdigest())


def redact_commit(commit: Commit, viewer: int | None = None, everything: bool = False) -> Commit:
    """The commit as a viewer may see it; `everything` is for a game that is over (S1)."""
    bare = structs.replace(commit, key="", request="")
    return bare if everything else redact(bare, viewer)


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


def check_chain(raws: Iterable[dict[str, Any]]) -> str:
    """Walks stored or exported commits and returns the head; raises Broken at the first fault."""
    head = GENESIS
    for version, raw in enumerate(raws, start=1):
        fault = _find_fault(raw, version, head)
        if fault:
            raise Broken(version, fault)
        head = raw["hash"]
    return head


def _find_fault(raw: Any, version: int, head: str) -> str | None:
    if not isinstance(raw, dict):
        return "it is no commit"
    if raw.get("version") != version:
        return f"expected version {version}, found {raw.get('version')}"
    if raw.get("prev") != head:
        return "it does not follow the commit before it"
    if raw.get("hash") != digest(public_form(raw)):
        return "its hash does not match its content"
    # The hash covers commitments only, so an opened secret has to prove itself.
    return next(filter(None, map(_find_secret_fault, _opened_secrets(raw))), None)


def _find_secret_fault(secret: dict[str, Any]) -> str | None:
    if not secret.keys() <= _SECRET_MEMBERS:
        return "an opened secret has members that no hash covers"
    if not proves(secret["hidden"], secret.get("salt"), secret.get("value")):
        return "an opened secret does not match its commitment"
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
