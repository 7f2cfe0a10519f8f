"""docs/operating.md knows every cause, log line and metric of the service, and quotes its messages."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from events.redis import CAUSES
from service import metrics

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "docs" / "operating.md").read_text("utf-8")
CODE = [path for package in ("service", "workers") for path in (ROOT / package).rglob("*.py")]
LEVELS = {"warning", "error", "exception", "critical"}


def log_lines(path: Path) -> Iterator[str]:
    """Yield the names of the warnings and errors that a module logs."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Call(ast.Attribute(attr=level), [ast.Constant(str(name)), *_]) if level in LEVELS:
                # Records of the standard library are sentences and explain themselves.
                if name.isidentifier():
                    yield name


def test_guide_explains_every_warning_and_error_of_the_log() -> None:
    names = {name for path in CODE for name in log_lines(path)}
    assert {"child_hung", "log_unavailable"} <= names
    assert [name for name in sorted(names) if f"`{name}`" not in GUIDE] == []


@pytest.mark.parametrize("cause", CAUSES)
def test_guide_says_what_to_do_for_every_cause(cause: str) -> None:
    [*rows] = [line for line in GUIDE.splitlines() if line.startswith("| ") and "`cause: " in line]
    assert any(re.search(rf"`cause: {cause}`|`{cause}`", row) for row in rows)


def test_guide_explains_every_metric() -> None:
    rendered = metrics.render_metrics().decode()
    names = {name.removesuffix("_total") for name in re.findall(r"^# HELP (croupier_\w+)", rendered, re.M)}
    names = {name for name in names if not name.endswith("_created")}
    assert "croupier_append_seconds" in names
    assert [name for name in sorted(names) if f"`{name}" not in GUIDE] == []


def test_symptoms_quote_messages_that_the_service_prints() -> None:
    quoted = re.findall(r'^\| start: "(.+?)"', GUIDE, re.M)
    code = "".join(path.read_text("utf-8") for path in (ROOT / "service" / "ops").glob("*.py"))
    assert len(quoted) > 5
    assert [message for message in quoted if message not in code] == []
