"""Runs the code of the guides as it stands there, and compares what it prints with what they show.

The blocks of one language in a guide are one session. It begins with the first block of the quickstart: the
functions that all guides use. A fence with the word `output` shows what the block before it prints, or each
of several side by side. In it, … stands for anything: within a text, as a value, as one more member of an
object, as the rest of a list, or as any number of lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "guides"
GUIDES = sorted(FOLDER.glob("*.md"))
ADDRESS = "http://127.0.0.1:8000"
ANYTHING = "…"
_FENCE = re.compile(r"^```(\w*)((?: \w+)*)\n(.*?)^```$", re.S | re.M)
# Stands in what a session prints between two blocks.
MARK = "-- end of block --"
SAY_MARK = {
    "bash": f"echo; echo '{MARK}'",
    "js": f"console.log('\\n{MARK}');",
    "python": f"print('\\n{MARK}', flush=True)",
}


class Block(Struct, frozen=True):
    """A block of code: `flags` are the words after the language, `output` is what it has to print."""

    language: str
    flags: tuple[str, ...]
    code: str
    output: Block | None = None


def read_blocks(guide: Path) -> list[Block]:
    """Return the blocks of a guide, each with the output that is shown for it."""
    blocks: list[Block] = []
    # The blocks that stand directly before, with nothing between them.
    neighbours: list[int] = []
    end = 0
    text = guide.read_text("utf-8")
    for found in _FENCE.finditer(text):
        block = Block(found[1], tuple(found[2].split()), found[3])
        if text[end : found.start()].strip():
            neighbours = []
        end = found.end()
        if "output" in block.flags:
            assert neighbours, f"{guide.name}: output of nothing: {block.code}"
            for at in neighbours:
                blocks[at] = Block(blocks[at].language, blocks[at].flags, blocks[at].code, block)
            neighbours = []
        else:
            neighbours.append(len(blocks))
            blocks.append(block)
    return blocks


def write_session(guide: Path, language: str, base: str) -> tuple[str, list[Block]]:
    """Return the program of a session against the service at `base`, and the blocks that it consists of."""
    own = [block for block in read_blocks(guide) if block.language == language and not block.flags]
    start = next(block for block in read_blocks(FOLDER / "quickstart.md") if block.language == language)
    blocks = own if own and own[0].code == start.code else [Block(language, (), start.code), *own]
    program = "".join(f"{block.code}\n{SAY_MARK[language]}\n" for block in blocks)
    assert ADDRESS in program
    return program.replace(ADDRESS, base), blocks


def check_output(blocks: Sequence[Block], printed: str) -> None:
    """Compare what each block printed with what the guide shows."""
    *parts, rest = printed.split(f"\n{MARK}\n")
    assert not rest.strip()
    for block, part in zip(blocks, parts, strict=True):
        if block.output is None:
            continue
        shown = block.output.code
        if block.output.language == "json":
            fault = find_difference(json.loads(shown), json.loads(part))
        else:
            fault = "" if _pattern(shown.strip()).fullmatch(part.strip()) else "the lines differ"
        assert not fault, f"{fault}\n\n{block.code}\nprinted:\n{part}\nshown:\n{shown}"


def _pattern(shown: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, shown.split(ANYTHING))), re.S)


def find_difference(shown: Any, real: Any, place: str = "") -> str:
    """Return where what came is not what the guide shows; empty if it is."""
    if shown == ANYTHING:
        return ""
    if isinstance(shown, dict) and isinstance(real, dict):
        return _compare_members(shown, real, place)
    if isinstance(shown, list) and isinstance(real, list):
        is_open = bool(shown) and shown[-1] == ANYTHING
        items = shown[:-1] if is_open else shown
        if len(real) < len(items) or (len(real) > len(items) and not is_open):
            return f"{place}: {len(real)} items"
        pairs = zip(items, real, strict=False)
        faults = (find_difference(one, other, f"{place}/{at}") for at, (one, other) in enumerate(pairs))
        return next(filter(None, faults), "")
    if isinstance(shown, str) and isinstance(real, str) and _pattern(shown).fullmatch(real):
        return ""
    return "" if shown == real and type(shown) is type(real) else f"{place}: {real!r} came"


def _compare_members(shown: dict[str, Any], real: dict[str, Any], place: str) -> str:
    named = {name: value for name, value in shown.items() if name != ANYTHING}
    missing = named.keys() - real.keys()
    unknown = set() if ANYTHING in shown else real.keys() - named.keys()
    if missing or unknown:
        return f"{place}: missing {sorted(missing)}, not shown {sorted(unknown)}"
    faults = (find_difference(value, real[name], f"{place}/{name}") for name, value in named.items())
    return next(filter(None, faults), "")
