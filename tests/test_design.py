"""What the design forbids and no linter looks for."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from rules.editions import EDITIONS
from rules.tiles import TILES

ROOT = Path(__file__).parents[1]
IGNORED = {*(ROOT / ".gitignore").read_text().replace("/\n", "\n").split(), ".git"}
CODE = [
    path for package in ("events", "rules", "service", "workers") for path in (ROOT / package).rglob("*.py")
]
# But for what generators have installed and made.
TESTS = [path for path in (ROOT / "tests").rglob("*.py") if not IGNORED & {*path.relative_to(ROOT).parts}]
SUPPORT = list((ROOT / "tests" / "support").rglob("*.py"))
BENCH = list((ROOT / "bench").rglob("*.py"))
# Each module there does again what the rules of some edition do, and is held to them by a law.
TWINS = "workers/simulation"
COMMANDS = {
    *(
        "exchange_games",
        "explain_games",
        "generate_client_types",
        "install_programs",
        "long",
        "measure_rounds",
        "play_random_games",
        "take_pictures",
        "train_dictionary",
    ),
    "write_vectors",
}

TILE_WORD = re.compile(rf"(?:{'|'.join(tile.code for tile in TILES)})(?:[.-].*)?")
# What leaves a test out, what replaces the thing that is tested, and what waits for a time.
FORBIDDEN = {"skip", "skipif", "xfail", "importorskip", "mock", "patch", "setattr", "setitem", "sleep"}
# One place leaves tests out, where a program is missing, and one waits.
ALLOWED = ["tests/conftest.py: skip", "tests/support/waiting.py: sleep"]
# What helpers were called once, and what helpers are called when nobody thinks of a name.
SAYING_NOTHING = {
    *("company", "crew", "crews", "family", "fit", "guest", "guests", "house", "houses", "lies", "twin"),
    *("common", "helper", "helpers", "manager", "misc", "stuff", "util", "utils"),
}
# Where people keep what is not theirs to ship.
WORKPLACE = re.compile(r"(?<![\w./-])/(?:home|root|Users|mnt|work)\b|\bshared\b/")


def within(path: Path, *folders: str) -> bool:
    return any(path.is_relative_to(ROOT / folder) for folder in folders)


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Return every node of a file's syntax tree; most tests here look at all files."""
    return tuple(ast.walk(ast.parse(path.read_text())))


def found(
    paths: list[Path], seek: Callable[[ast.AST], Iterator[str]], words: Iterable[str] = ()
) -> list[str]:
    """Where what is sought stands. With `words`, files that have none of them are not parsed."""
    wanted = re.compile("|".join(words))
    trees = ((path, nodes_of(path)) for path in paths if wanted.search(path.read_text()))
    return [
        f"{path.relative_to(ROOT)}: {word}" for path, nodes in trees for node in nodes for word in seek(node)
    ]


def texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def deciding(node: ast.AST) -> Iterator[str]:
    """Texts that something is compared with, matched against or picked by."""
    match node:
        case ast.Compare() | ast.MatchValue():
            parts: list[ast.AST] = [*ast.walk(node)]
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id="EDITIONS")), slice=key):
            parts = [key]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="EDITIONS")), args=args):
            parts = list[ast.AST](args)
        case ast.Dict(keys=keys) if (
            sum(word in EDITIONS.newest for key in keys if key for word in texts(key)) > 1
        ):
            parts = [key for key in keys if key]
        case _:
            parts = []
    for part in parts:
        yield from texts(part)


def imports(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        yield node.attr
    for imported in imports(node):
        yield from imported.split(".")


def test_nothing_outside_asks_which_edition_it_is() -> None:
    """Editions are values with behaviour, not cases: one file and one name in a tuple.

    A simulator is the fast twin of some edition and claims its games (ADR 0018).
    """
    outside = [path for path in CODE if not within(path, "rules/editions", TWINS)]
    named = found(
        outside, lambda node: (text for text in deciding(node) if text in EDITIONS.newest), EDITIONS.newest
    )
    assert named == []


@pytest.mark.parametrize("room", ["rules/editions", "rules/tiles"])
def test_nothing_outside_imports_one_edition_or_one_tile(room: str) -> None:
    """Only the list of all is imported: `rules.editions.EDITIONS` and `rules.tiles.TILES`."""
    outside = [path for path in CODE if not within(path, room)]
    one_of_them = re.compile(rf"{room.replace('/', '.')}\.[a-z]")
    assert found(outside, lambda node: filter(one_of_them.match, imports(node)), ["rules"]) == []


def test_no_rule_names_an_edition() -> None:
    """Nor any part of the vocabulary, to whatever end."""
    rules = [path for path in CODE if within(path, "events", "rules") and not within(path, "rules/editions")]
    named = found(
        rules, lambda node: (text for text in texts(node) if text in EDITIONS.newest), EDITIONS.newest
    )
    assert named == []


def test_nothing_outside_names_a_tile() -> None:
    """Neither its code nor a prompt, step or space that carries it."""
    outside = [path for path in CODE if not within(path, "rules/tiles", TWINS)]
    assert found(outside, lambda node: (text for text in texts(node) if TILE_WORD.fullmatch(text))) == []


# What only some games have: members of State, and places.
OF_SOME_GAMES = {"decks", "hands", "glasses", "chip_cards", "counters", "BANDIT", "BANDIT_STACK"}


def test_nothing_outside_the_rules_looks_for_what_only_some_games_have() -> None:
    """Mechanisms and tiles say what they show, and editions list them."""
    outside = [path for path in CODE if within(path, "service", "workers") and not within(path, TWINS)]
    looking = found(
        outside, lambda node: (name for name in names(node) if name in OF_SOME_GAMES), OF_SOME_GAMES
    )
    assert looking == []


def test_evolve_knows_facts_and_states_and_nothing_else() -> None:
    """What editions and tiles add is no fact of a new kind."""
    known = found(list((ROOT / "rules").glob("evolve*.py")), imports)
    assert not [name for name in known if re.search(r" rules\.(?!state\.|evolve)", name)]


TAKING_APART = {"partition", "removeprefix", "removesuffix", "rpartition", "rsplit", "split", "startswith"}


def writing_or_reading(node: ast.AST) -> Iterator[str]:
    """A choice that is indexed or cut, a text that is split, a text that begins like `place-`."""
    match node:
        case ast.Subscript(
            value=ast.Name(id="choice" | "option" | "answer") | ast.Attribute(attr="contents")
        ):
            yield ast.unparse(node)
        case ast.Attribute(attr=method) if method in TAKING_APART:
            yield ast.unparse(node)
        case ast.JoinedStr(values=[ast.Constant(value=str(verb)), *_]) if re.match(r"[a-z]+-", verb):
            yield verb


def test_choices_are_made_and_taken_apart_in_one_place() -> None:
    """Elsewhere `write_choice` and `read_choice` are called; what a choice is about is asked there, too."""
    rules = [path for path in CODE if within(path, "rules") and path != ROOT / "rules/choice.py"]
    assert found(rules, writing_or_reading) == []


def recording(node: ast.AST) -> Iterator[str]:
    """Where an event is added to a table, or its state is set."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="events"), attr=method)):
            yield f"events.{method}"
        case ast.Assign(targets=[ast.Attribute(attr="state")]):
            yield "state ="


def test_there_is_one_way_to_record_an_event() -> None:
    """State and events never part: both change in `Table.record`; the constructor sets the first state."""
    in_table = ["rules/table.py: events.append", "rules/table.py: state =", "rules/table.py: state ="]
    assert sorted(found([path for path in CODE if within(path, "rules")], recording)) == in_table


def untold_pipelines(node: ast.AST) -> Iterator[str]:
    """Calls of `pipeline` that leave open whether they are a transaction."""
    match node:
        case ast.Call(func=ast.Attribute(attr="pipeline"), keywords=told) if not told:
            yield ast.unparse(node)


def test_every_pipeline_says_whether_it_is_a_transaction() -> None:
    """Without a word it is one on a single Redis, and none on a cluster."""
    assert found(CODE, untold_pipelines, ["pipeline"]) == []


def test_tests_leave_nothing_out_replace_nothing_and_wait_for_conditions() -> None:
    assert (
        found(TESTS, lambda node: (name for name in names(node) if name in FORBIDDEN), FORBIDDEN) == ALLOWED
    )


def defined(path: Path) -> set[str]:
    """The functions and classes of a module that others may use."""
    nodes = ast.parse(path.read_text()).body
    names = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return {name for name in names if not name.startswith("_")}


def used(node: ast.AST) -> Iterator[str]:
    """By name, or by the end of a path that something is started with."""
    if isinstance(node, ast.Name):
        yield node.id
    yield from names(node)
    yield from (text.rpartition(".")[2] for text in texts(node))


def test_every_helper_is_used() -> None:
    words = {place.rpartition(": ")[2] for place in found([*TESTS, *BENCH], used)}
    assert {name for path in SUPPORT for name in defined(path)} - words == set()


def test_helpers_stand_together_under_names_that_say_what_they_do() -> None:
    """Beside the tests stand only commands, long attacks, the playthroughs and stored data."""
    own = ("tests/support", "tests/playthroughs", "tests/stored", "tests/faults/outages")
    astray = {path.stem for path in TESTS if not within(path, *own)} - COMMANDS - {"conftest"}
    assert {name for name in astray if not name.startswith("test_")} == set()
    told = {path.stem for path in SUPPORT} | {name for path in SUPPORT for name in defined(path)}
    assert {name for name in told if name.lower() in SAYING_NOTHING} == set()


def shipped(folder: Path = ROOT) -> Iterator[Path]:
    """All files but those that Git ignores."""
    for path in folder.iterdir():
        ignored = path.name in IGNORED or path.name.endswith(".egg-info")
        if path.is_dir() and not ignored:
            yield from shipped(path)
        elif not ignored:
            yield path


def test_no_file_tells_where_it_was_made() -> None:
    files = ((path, path.read_text(errors="replace")) for path in shipped())
    told = [f"{path.relative_to(ROOT)}: {place}" for path, text in files for place in WORKPLACE.findall(text)]
    assert told == []
