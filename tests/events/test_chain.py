from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.chain import GENESIS, Broken, check_chain, digest, link, public_form, redact_commit
from events.commit import FORMAT, decode_raw, encode
from events.types import Chosen, Event
from tests.support import event_samples as strategies
from tests.support.event_samples import CHOICE, EVENTS, SALT, chain_commits, next_commit, sample_log, with_key
from tests.support.profiles import examples

Raws = list[dict[str, Any]]
VIEWERS = (None, 0, 1, 2, 3)


def exported(viewer: int | None = None, everything: bool = False) -> Raws:
    return [decode_raw(encode(redact_commit(commit, viewer, everything))) for commit in sample_log()]


def stored() -> Raws:
    return [decode_raw(encode(commit)) for commit in sample_log()]


def test_a_whole_log_holds_and_gives_its_head() -> None:
    assert check_chain(stored()) == sample_log()[-1].hash
    assert check_chain([]) == GENESIS


@pytest.mark.parametrize("viewer", VIEWERS)
def test_every_viewer_can_check_the_chain(viewer: int | None) -> None:
    assert check_chain(exported(viewer)) == sample_log()[-1].hash


def test_the_chain_holds_when_everything_is_open() -> None:
    assert check_chain(exported(everything=True)) == sample_log()[-1].hash


@examples(30)
@given(st.lists(st.lists(strategies.events, max_size=3), min_size=1, max_size=4), st.sampled_from(VIEWERS))
def test_one_hash_for_the_stored_and_every_redacted_form(
    batches: list[list[Event]], viewer: int | None
) -> None:
    for commit in chain_commits(batches):
        for form in (commit, redact_commit(commit, viewer), redact_commit(commit, everything=True)):
            assert digest(public_form(decode_raw(encode(form)))) == commit.hash


def test_keys_and_requests_are_neither_hashed_nor_published() -> None:
    bare = next_commit((0, GENESIS))
    commit = with_key(bare, "a-key", "a-request")
    assert link(commit).hash == bare.hash
    assert b"a-key" not in encode(redact_commit(commit))
    assert b"a-request" not in encode(redact_commit(commit, everything=True))


def test_a_new_commit_is_in_todays_format() -> None:
    old = msgspec.structs.replace(next_commit((0, GENESIS)), format=0)
    assert link(old).format == FORMAT


def _change(raws: Raws) -> None:
    raws[7]["at"] = "2026-11-15T12:00:01.000Z"


def _remove(raws: Raws) -> None:
    del raws[7]


def _insert(raws: Raws) -> None:
    raws.insert(7, raws[6])


def _swap(raws: Raws) -> None:
    raws[7], raws[8] = raws[8], raws[7]


def _cut_the_middle(raws: Raws) -> None:
    del raws[7:15]


def _cut_the_front(raws: Raws) -> None:
    del raws[:7]


def _add_a_field(raws: Raws) -> None:
    raws[7]["events"][0]["luck"] = 1


def _forge(raws: Raws) -> None:
    """Changed and hashed anew, as a forger would; the next commit still names the old hash."""
    raws[6]["by"] = "seat-1"
    raws[6]["hash"] = digest(public_form(raws[6]))


FAULTS: list[tuple[Callable[[Raws], None], int]] = [
    (_change, 8),
    (_remove, 8),
    (_insert, 8),
    (_swap, 8),
    (_cut_the_middle, 8),
    (_cut_the_front, 1),
    (_add_a_field, 8),
    (_forge, 8),
]


@pytest.mark.parametrize(("tamper", "version"), FAULTS)
def test_tampering_is_found_at_its_version(tamper: Callable[[Raws], None], version: int) -> None:
    raws = stored()
    tamper(raws)
    with pytest.raises(Broken) as found:
        check_chain(raws)
    assert found.value.version == version


def test_a_renumbered_removal_is_found() -> None:
    raws = stored()
    del raws[7]
    for version, commit in enumerate(raws, start=1):
        commit["version"] = version
    with pytest.raises(Broken):
        check_chain(raws)


def test_a_gap_in_the_numbers_is_found_where_every_hash_is_right() -> None:
    first = next_commit((0, GENESIS))
    raws = [decode_raw(encode(commit)) for commit in (first, next_commit((2, first.hash)))]
    with pytest.raises(Broken, match="expected version 2, found 3"):
        check_chain(raws)


def test_a_cut_tail_gives_another_head() -> None:
    assert check_chain(stored()[:-1]) != sample_log()[-1].hash


def _leaves(thing: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else ()
    found = [leaf for name, item in items for leaf in _leaves(item, (*path, name))]
    return found or [path]


def _changed(item: Any) -> Any:
    return f"{item}!" if isinstance(item, str) else [1] if item == [] else 1 if item == {} else item + 1


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_no_field_of_a_commit_can_change_unseen(event: Event) -> None:
    """The audience of a secret is the one thing outside: it says who may look, not what was chosen."""
    original = decode_raw(encode(next_commit((0, GENESIS), [event])))
    for *path, name in _leaves(original):
        if "audience" in path:
            continue
        form = msgspec.json.decode(msgspec.json.encode(original))
        place = form
        for step in path:
            place = place[step]
        place[name] = _changed(place[name])
        with pytest.raises(Broken):
            check_chain([form])


@pytest.mark.parametrize("shown", [{"value": "bet-low"}, {"salt": SALT}, {"audience": [0]}])
def test_a_secret_that_shows_anything_without_proof_breaks_the_chain(shown: dict[str, Any]) -> None:
    """The hash covers the commitment alone, so a claim beside it would pass unseen."""
    covered = decode_raw(encode(redact_commit(next_commit((0, GENESIS), [Chosen(10, 1, CHOICE, 11)]))))
    assert check_chain([covered]) == covered["hash"]
    covered["events"][0]["choice"] |= shown
    with pytest.raises(Broken, match="does not match its commitment"):
        check_chain([covered])


@pytest.mark.parametrize("thing", [None, [], "commit", 1, {}])
def test_what_is_no_commit_breaks_the_chain(thing: Any) -> None:
    with pytest.raises(Broken):
        check_chain([thing])
