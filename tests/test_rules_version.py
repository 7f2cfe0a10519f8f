"""Rules that answer otherwise have another version."""

from __future__ import annotations

import json

import pytest

from tests.rules_print import Table, name, rules_print, stored, tables

KEPT: dict[str, str] = json.loads(stored().read_text())


@pytest.mark.parametrize("table", list(tables()), ids=name)
def test_the_version_of_the_rules_stands_for_what_they_do(table: Table) -> None:
    """Else add a release and run `python -m tests.rules_print`: logs of before must not be called forged."""
    assert rules_print(table) == KEPT[name(table)], "these are no longer the rules of release 1"


def test_no_table_is_forgotten() -> None:
    assert set(KEPT) == {name(table) for table in tables()}
