"""What the rulesets add to the contract: every prompt."""

from __future__ import annotations

from typing import Any

from rules.editions import RULESETS

Json = dict[str, Any]


def prompt_schema() -> Json:
    texts = {name: prompt.text for ruleset in RULESETS for name, prompt in ruleset.prompts.items()}
    lines = [f"- `{name}`: {text}" for name, text in texts.items()]
    return {"description": "\n".join(("What is asked:", *lines)), "type": "string", "enum": list(texts)}
