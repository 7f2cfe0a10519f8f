"""Every way to be refused: what it means, and what to do."""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.operation import operation
from service.api.problem_texts import PROBLEM_TEXTS
from service.api.problems import CODES, Problem, ProblemBody, problem_of_status, to_body
from service.api.replies import Reply

EXAMPLE_ID = "2f8c1d0e9b7a6543"


class ProblemKind(Struct, frozen=True):
    """`meaning` is what went wrong, `remedy` what to do about it."""

    code: str
    title: str
    status: int
    meaning: str
    remedy: str
    example: ProblemBody


class Problems(Struct, frozen=True):
    problems: tuple[ProblemKind, ...]


@operation("GET /v1/problems", "Every code of a refusal, and what to do about it", Problems, access=ANYBODY)
def list_problems(call: Call[None]) -> Reply:
    return Reply(Problems(tuple(map(_describe_problem, sorted(CODES)))))


@operation(
    "GET /v1/problems/{code}",
    "What a code of a refusal means, and what to do about it",
    ProblemKind,
    access=ANYBODY,
    refusals=("not_found",),
)
def show_problem(call: Call[None]) -> Reply:
    code = call.path["code"]
    if code not in CODES:
        raise problem_of_status(404)
    return Reply(_describe_problem(code))


@cache
def _describe_problem(code: str) -> ProblemKind:
    text = PROBLEM_TEXTS[code]
    example = to_body(Problem(code, text.meaning), EXAMPLE_ID)
    return ProblemKind(code, example.title, example.status, text.meaning, text.remedy, example)
