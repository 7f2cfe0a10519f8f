"""What is packed comes back byte for byte, and what cannot be unpacked is left for those who decode it."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.chain import Broken, check_chain
from events.commit import Commit, Unreadable, decode, decode_raw, encode
from events.packing import NEWEST, pack, unpack
from events.types import GameClosed
from tests.support.event_samples import next_commit, sample_log, with_key

# Streams hold entries that were packed with these: a dictionary that was shipped is never changed or removed.
SHIPPED = {1: "932484d64d878d5183fcce88de8521460193941cfa0064f8bf5be399059ca528"}
HASH = "ab" * 32


def test_shipped_dictionaries_are_as_they_were() -> None:
    found = {
        path.name: sha256(path.read_bytes()).hexdigest() for path in files("events.dictionaries").iterdir()
    }
    assert found == {f"{number}.zdict": digest for number, digest in SHIPPED.items()}
    assert max(SHIPPED) == NEWEST


@pytest.mark.parametrize("commit", sample_log(), ids=lambda commit: type(commit.events[0]).__name__)
def test_every_commit_comes_back_byte_for_byte(commit: Commit) -> None:
    entry = pack(with_key(commit, "key", "request"))
    assert unpack(entry, commit.prev, commit.hash) == encode(commit)
    assert len(entry) < len(encode(commit)) - 128


@given(st.text())
def test_no_text_in_a_commit_is_taken_for_its_prev(text: str) -> None:
    commit = next_commit((0, HASH), [GameClosed(f'{text}"prev":""{text}', "seed")])
    assert unpack(pack(commit), commit.prev, commit.hash) == encode(commit)


def test_json_of_earlier_releases_is_left_as_it_is() -> None:
    (first, *_) = sample_log()
    assert unpack(encode(first), "other", "other") == encode(first)


@given(st.binary())
def test_what_cannot_be_unpacked_is_unreadable(entry: bytes) -> None:
    for stored in (entry, bytes((NEWEST,)) + entry):
        with pytest.raises(Unreadable):
            decode(unpack(stored, HASH, HASH))


@given(st.data())
def test_a_damaged_entry_breaks_the_chain(data: st.DataObject) -> None:
    (first, *_) = sample_log()
    entry = bytearray(pack(first))
    place = data.draw(st.integers(0, len(entry) - 1))
    entry[place] ^= data.draw(st.integers(1, 255))
    read = unpack(bytes(entry), first.prev, first.hash)
    # Zstandard does not look at every bit.
    if read != encode(first):
        with pytest.raises((Unreadable, Broken)):
            check_chain([decode_raw(read)])
