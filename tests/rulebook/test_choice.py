"""Choices as canonical text."""

from __future__ import annotations

import pytest

from rules.choice import Choice, read_choice, verb_of, write_choice, write_choices

WRITTEN = [
    ("pass", Choice("pass", ())),
    ("place-3", Choice("place", ("3",))),
    ("set-big-4", Choice("set", ("big", "4"))),
    ("part-60-20-0", Choice("part", ("60", "20", "0"))),
    ("play-3-3d", Choice("play", ("3", "3d"))),
    ("take-gold", Choice("take", ("gold",))),
]


@pytest.mark.parametrize(("text", "choice"), WRITTEN)
def test_what_is_written_is_read_again(text: str, choice: Choice) -> None:
    assert read_choice(text) == choice
    assert write_choice(choice.verb, *choice.words) == text
    assert verb_of(text) == choice.verb


def test_numbers_are_written_like_words() -> None:
    assert write_choice("block", 3, 5) == "block-3-5"
    assert write_choices("hide", (1, 2)) == ("hide-1", "hide-2")


def test_the_last_word_is_the_number() -> None:
    """Where a choice has several words, the others say with what."""
    assert read_choice("place-3").number == 3
    assert read_choice("set-big-4").number == 4
    assert read_choice("block-2-5").numbers == (2, 5)


def test_the_first_word_is_the_die() -> None:
    assert read_choice("take-big-1").big
    assert not read_choice("take-small-1").big


@pytest.mark.parametrize("text", ["", "-", "place", "place-", "place-3-4-5", "ü-1"])
def test_any_text_has_a_verb(text: str) -> None:
    """What is refused is answered with the rule it would rest on."""
    assert verb_of(text) == text.split("-")[0]
