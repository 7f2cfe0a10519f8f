"""How the attacks in full say that they ended."""

from __future__ import annotations

from pathlib import Path

from tests.faults.long import HELD, NOT_HELD, attack
from tests.faults.outages.attacked import NotRun


def test_what_cannot_be_tried_has_not_held() -> None:
    def lack(folder: Path) -> bool:
        raise NotRun("it needs a compiler")

    assert attack(lack) == "not run: it needs a compiler"


def test_an_attack_says_whether_it_held() -> None:
    assert attack(lambda folder: folder.is_dir()) == HELD
    assert attack(lambda folder: folder.is_file()) == NOT_HELD
