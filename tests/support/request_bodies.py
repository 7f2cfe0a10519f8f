"""Bodies nobody would send on purpose, and those that only just fit."""

from typing import Any

from hypothesis import strategies as st

from service.http.fields import LARGEST
from service.text import LONGEST_ENTROPY, LONGEST_NAME

ODD_TEXTS = (
    *("", " ", "\n", "a\n", "\x00", "\x1f", "\x7f", "a\u202eb", "\u200b", "a\u200d", "\ufeff", "\ue000"),
    *("\U000e0041", "\U0010ffff", "\u2028", "\ud800", "é", "e\u0301", "李", "🎲", "classic", "place-3"),
    *("a" * LONGEST_NAME, "a" * (LONGEST_NAME + 1), "x" * LONGEST_ENTROPY, "x" * (LONGEST_ENTROPY + 1)),
    *(
        "\u0645\u06cc\u200c\u062e",
        "\u0915\u094d\u200d\u0937",
        "👨\u200d👩\u200d👧",
        "👨\u200d",
        "\u200cA",
        "\u3164",
        "place-1\n",
    ),
    *("\u0958" * (LONGEST_NAME // 2), "\u1e9b\u0323" * 20, "random", "greedy", "genius"),
)
ODD_NUMBERS = (0, 1, -1, 5.0, 5.5, -0.0, LARGEST, LARGEST + 1, -LARGEST - 1, 10**30, 1e300)
MEMBERS = ("name", "bot", "open", "entropy", "seat", "ask", "choice", "edition", "options", "seats", "extra")

texts = st.sampled_from(ODD_TEXTS) | st.text(max_size=6)
scalars = st.none() | st.booleans() | st.sampled_from(ODD_NUMBERS) | st.integers() | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def members(**usual: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """The usual members; now and then one is missing, odd, or beside an unusual one."""
    exact = st.fixed_dictionaries(usual)
    likely = {name: strategy | values for name, strategy in usual.items()}
    strange = st.dictionaries(st.sampled_from(MEMBERS), values, max_size=1)
    mixed = st.builds(lambda one, two: {**two, **one}, st.fixed_dictionaries({}, optional=likely), strange)
    return exact | mixed


names = st.sampled_from(["Anna", "Zoë", " e\u0301 ", "李", "🎲", "a" * LONGEST_NAME])
words = st.sampled_from(["classic", "modern", "place-1", "place-3", "x"])
flags = st.dictionaries(st.sampled_from(["hide_money", "start_seat", "x"]), st.booleans() | st.integers(0, 2))
options = flags | st.dictionaries(words | texts, scalars | st.lists(texts, max_size=3), max_size=3)
people = st.fixed_dictionaries({"name": names}, optional={"entropy": names})
bots = st.fixed_dictionaries({"bot": st.sampled_from(["random", "greedy"])})
open_seats = st.just({"open": True})
good_seats = st.lists(people | bots | open_seats, min_size=2, max_size=4)
odd_seats = st.lists(
    people | members(name=texts, entropy=texts) | members(bot=words) | open_seats, max_size=3
)


def mostly(good: st.SearchStrategy[Any], odd: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Half of them good: alternatives of alternatives would all weigh the same."""
    return st.booleans().flatmap(lambda coin: good if coin else odd | values)


REQUEST_BODIES = {
    "NewGame": mostly(
        st.fixed_dictionaries({"edition": words, "seats": good_seats}, optional={"options": options}),
        members(edition=words, options=options, seats=good_seats | odd_seats),
    ),
    "SitDown": mostly(people, members(name=names | texts, entropy=texts, seat=st.integers(-1, 9))),
    "Choice": mostly(
        st.fixed_dictionaries({"ask": st.integers(1, 9), "choice": words}),
        members(ask=st.integers(0, 9), choice=words | texts),
    ),
}
