"""Verifies export files and prints the verdicts: `croupier verify`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from events.commit import Commit, Unreadable, convert_raw
from service.fairness.export_file import (
    FILE_FORMAT,
    SIGNED_FORMAT,
    WAYS_TO_VERIFY,
    EncodedCommits,
    ExportHeader,
    UnreadableCommit,
    describe_file,
    read_export,
)
from service.fairness.signatures import (
    PublicKeys,
    Signature,
    UnusableKeys,
    is_signed_by,
    read_public_keys,
    read_signature,
)
from service.fairness.verify import Verdict, verify
from service.text import escape, print_line

VERIFIED = 0
NOT_VERIFIED = 1
NOT_CHECKED = 3
# From worst to best: of several files the worst decides.
_WORST = (NOT_VERIFIED, NOT_CHECKED, VERIFIED)


def main(paths: Sequence[str], key: str = "") -> int:
    """Run `croupier verify FILE…` and return the exit status: that of the worst file.

    `key` is a public key, or a file of public keys, that signatures have to be by.
    """
    try:
        keys = read_public_keys(key) if key else None
    except UnusableKeys as fault:
        print_line(escape(str(fault)))
        return NOT_VERIFIED
    return min((_verify_path(path, keys) for path in paths), key=_WORST.index)


def _verify_path(path: str, keys: PublicKeys | None) -> int:
    """Verify one file, print the verdict, and return the exit status."""
    try:
        with open(path, "rb") as file:
            commits = read_export(file)
        verdict = verify_file(commits, commits.header)
    except UnreadableCommit as fault:
        commits = EncodedCommits(())
        verdict = Verdict(False, 0, version=fault.commit, fault=str(fault))
    except (OSError, Unreadable) as fault:
        print_line(f"{escape(path)}: cannot be read: {escape(str(fault))}")
        return NOT_VERIFIED
    signature = read_signature((commits.header or {}).get("signature")) if verdict.ok is not False else None
    if signature and keys is not None and not is_signed_by(keys, signature, verdict.head):
        print_line(f"{escape(path)}: NOT verified: its signature is not by a key that was given")
        return NOT_VERIFIED
    signed = "" if verdict.ok is False else f" {_describe_signature(signature, keys)}"
    print_line(f"{escape(path)}: {in_words(verdict)}{signed}")
    return {True: VERIFIED, False: NOT_VERIFIED, None: NOT_CHECKED}[verdict.ok]


def verify_file(commits: Sequence[Any], header: Any) -> Verdict:
    """Verify the commits of a file, and its header unless that is None, and return the verdict."""
    verdict = verify(commits)
    if verdict.ok is False or header is None:
        return verdict
    fault = _find_header_fault(header, [convert_raw(raw) for raw in commits])
    return replace(verdict, ok=False, fault=fault, unchecked=None) if fault else verdict


def _find_header_fault(header: dict[str, Any], commits: Sequence[Commit]) -> str | None:
    """Return what is wrong with a header, or None. It may say only what follows from the commits."""
    if header["format"] not in (FILE_FORMAT, SIGNED_FORMAT):
        return f"its header is of format {header['format']}, which this program does not know"
    signature = read_signature(header.get("signature"))
    true = describe_file(commits, signature if header["format"] == SIGNED_FORMAT else None)
    if signature and true.ended is None:
        return "it is signed, and the game is not over"
    wrong = next(_differences(header, true), None)
    return f"its header says of {wrong} what its commits do not say" if wrong else None


def _describe_signature(signature: Signature | None, keys: PublicKeys | None) -> str:
    """Return what is known of the signature of a file that holds; one that was checked fits."""
    if signature is None:
        return "Not signed."
    if keys is None:
        return f"Signed by key {signature.key}, not checked: --key takes the public key of the service."
    return f"Signed by key {signature.key}."


def _differences(header: dict[str, Any], true: ExportHeader) -> Iterator[str]:
    """Yield the names of members that a header has too many, too few or with another value."""
    plain = msgspec.json.decode(msgspec.json.encode(true))
    if header.get("verify") in WAYS_TO_VERIFY:
        plain["verify"] = header["verify"]
    for name in {**plain, **header}:
        if (name in header, name in plain) != (True, True) or _write(header[name]) != _write(plain[name]):
            yield name


def _write(thing: Any) -> bytes:
    """Return a value as JSON, to compare: in Python 1, 1.0 and true are equal."""
    return msgspec.json.encode(thing, order="sorted")


# What a verdict adds for dice that were not drawn for the game.
_LUCK = {
    "drawn": "",
    "chosen": " SANDBOX: the creator of this game chose its dice, so it proves nothing about luck.",
    "known": " SAME DICE: this fork has the dice of a finished game, so it proves nothing about luck.",
}


def in_words(verdict: Verdict) -> str:
    """Return a verdict as a sentence for a terminal; text from the file is escaped."""
    held = f"Game {escape(verdict.game)}: {verdict.commits} commits and {verdict.events} events"
    if verdict.ok is None:
        return (
            f"NOT CHECKED against the rules: {escape(verdict.unchecked or '')}. {held}; the chain, the seed "
            f"that was committed to and every roll made from it hold.{_LUCK[verdict.luck]} "
            f"Head {verdict.head}"
        )
    if verdict.ok:
        return (
            f"verified. {held}, each decided again from the seed that was committed to."
            f"{_LUCK[verdict.luck]} Head {verdict.head}"
        )
    where = "" if verdict.version is None else f" at version {verdict.version}"
    return f"NOT verified{where}: {escape(verdict.fault or '')}"
