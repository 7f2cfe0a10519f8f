"""Verifies export files and prints the verdicts: `croupier verify`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from events.commit import Commit, Unreadable, convert_raw
from service.fairness.export_file import (
    FILE_FORMAT,
    WAYS_TO_VERIFY,
    ExportHeader,
    UnreadableCommit,
    describe_file,
    read_export,
)
from service.fairness.verify import Verdict, verify
from service.text import escape, print_line

VERIFIED = 0
NOT_VERIFIED = 1
NOT_CHECKED = 3
# From worst to best: of several files the worst decides.
_WORST = (NOT_VERIFIED, NOT_CHECKED, VERIFIED)


def main(paths: Sequence[str]) -> int:
    """Run `croupier verify FILE…` and return the exit status: that of the worst file."""
    return min(map(_verify_path, paths), key=_WORST.index)


def _verify_path(path: str) -> int:
    """Verify one file, print the verdict, and return the exit status."""
    try:
        with open(path, "rb") as file:
            commits = read_export(file)
        verdict = verify_file(commits, commits.header)
    except UnreadableCommit as fault:
        verdict = Verdict(False, 0, version=fault.commit, fault=str(fault))
    except (OSError, Unreadable) as fault:
        print_line(f"{escape(path)}: cannot be read: {escape(str(fault))}")
        return NOT_VERIFIED
    print_line(f"{escape(path)}: {in_words(verdict)}")
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
    if header["format"] != FILE_FORMAT:
        return f"its header is of format {header['format']}, which this program does not know"
    wrong = next(_differences(header, describe_file(commits)), None)
    return f"its header says of {wrong} what its commits do not say" if wrong else None


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


def in_words(verdict: Verdict) -> str:
    """Return a verdict as a sentence for a terminal; text from the file is escaped."""
    held = f"Game {escape(verdict.game)}: {verdict.commits} commits and {verdict.events} events"
    if verdict.ok is None:
        return (
            f"NOT CHECKED against the rules: {escape(verdict.unchecked or '')}. {held}; the chain, the seed "
            f"that was committed to and every roll made from it hold. Head {verdict.head}"
        )
    if verdict.ok:
        return (
            f"verified. {held}, each decided again from the seed that was committed to. Head {verdict.head}"
        )
    where = "" if verdict.version is None else f" at version {verdict.version}"
    return f"NOT verified{where}: {escape(verdict.fault or '')}"
