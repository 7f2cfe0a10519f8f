"""Marshmallow fields and schemas that accept exactly what their JSON Schema accepts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any, ClassVar
from unicodedata import normalize

from marshmallow import EXCLUDE, RAISE, Schema, ValidationError, fields, missing, validate

from events.text import Text
from rules.explain.english import ERASED
from rules.wording import did_you_mean
from service.catalog.bots import BOT_NAMES
from service.http.problems import MOST_ERRORS
from service.players.tickets import TICKET
from service.text import CLEAN, CLEAN_NAME, NAME_RULE, explain_name, explain_unclean, keep_name

_NO_TEXT = Text("must be a string")
_NO_OBJECT = Text("must be an object")
# Taken from where it keeps them: fields within fields have no other way to be told.
_PLAIN: Mapping[object, str] = {
    fields.Field.default_error_messages["required"]: Text("is required"),
    fields.Field.default_error_messages["null"]: Text("must not be null"),
    fields.Field.default_error_messages["validator_failed"]: Text("is not allowed here"),
    fields.String.default_error_messages["invalid"]: _NO_TEXT,
    fields.List.default_error_messages["invalid"]: Text("must be an array"),
    fields.Mapping.default_error_messages["invalid"]: _NO_OBJECT,
    fields.Nested.default_error_messages["type"]: _NO_OBJECT,
    Schema().error_messages["type"]: _NO_OBJECT,
}


_SUCH_AS = " such as "
_EXAMPLES = {
    "must be an object": Text("must be an object such as {example}", example="").template,
    "must be an array": Text("must be an array such as {example}", example="").template,
}


def put_plainly(text: str) -> str:
    """Return what marshmallow says in words of our own, and an example in it as a parameter of the text."""
    needed, _, example = text.partition(_SUCH_AS)
    if example and needed in _EXAMPLES:
        return Text(_EXAMPLES[needed], example=example)
    return _PLAIN.get(text, text)


def pointer_step(name: object) -> str:
    """Return a member or place as a step of a JSON pointer."""
    return "/" + str(name).replace("~", "~0").replace("/", "~1")


class FaultBudget:
    """Says how many faults may still be put into words; others are only counted, which takes far less time.

    `unexplained` is the number of those that were only counted.
    """

    def __init__(self, most: int) -> None:
        self._left = most
        self.unexplained = 0

    def take(self) -> bool:
        """Return whether one more fault may be explained, and count it."""
        if self._left:
            self._left -= 1
            return True
        self.unexplained += 1
        return False


_budget: ContextVar[FaultBudget] = ContextVar("fault_budget")


@contextmanager
def limit_faults() -> Iterator[FaultBudget]:
    """Let schemas explain MOST_ERRORS faults of what is loaded meanwhile."""
    budget = FaultBudget(MOST_ERRORS)
    before = _budget.set(budget)
    try:
        yield budget
    finally:
        _budget.reset(before)


class Length(validate.Length):
    """Of texts in characters, of arrays in what they hold."""

    message_min = "must have at least {min} items"
    message_max = "must have at most {max} items"
    message_all = "must have {min} to {max} items"

    def _format_error(self, value: Sized, message: str) -> str:
        told = message.replace("items", "characters") if isinstance(value, str) else message
        bounds = {"min": str(self.min), "max": str(self.max)}
        return Text(told, **{name: bound for name, bound in bounds.items() if f"{{{name}}}" in told})


class OneOf(validate.OneOf):
    default_message = "must be one of {choices}"

    def _format_error(self, value: Any) -> str:
        if "{choices}" in self.error:
            return Text(self.error, choices=self.choices_text)
        return Text(self.error)


class Range(validate.Range):
    """From `least` to `most`; `error` is the whole text."""

    def __init__(self, least: int, most: int, error: str) -> None:
        super().__init__(least, most)
        self._told = error

    def _format_error(self, value: Any, message: str) -> str:
        return self._told


_TOKEN_HINT = Text("must not be sent here; send the token in the header `Authorization: Bearer <token>`")
_KEY_HINT = Text("must not be sent here; send it as the header `Idempotency-Key`")
# What people send in the wrong place, wherever it is.
_HINTS: Mapping[str, str] = {
    **dict.fromkeys(("token", "access_token", "authorization", "bearer", "api_key"), _TOKEN_HINT),
    "idempotency_key": _KEY_HINT,
}


class Strict(Schema):
    error_messages = {"type": "must be an object"}  # noqa: RUF012

    # What is to be said of a member that there is none of, though people send it.
    hints: ClassVar[Mapping[str, str]] = {}

    class Meta:
        # The default, said aloud because the contract is rendered from it.
        unknown = RAISE

    def handle_error(self, error: ValidationError, data: Any, *, many: bool, **given: Any) -> None:
        """Says which members or parameters there are."""
        messages = error.messages
        if not isinstance(messages, dict) or not isinstance(data, Mapping):
            return
        # As they are sent, which is not always what the code calls them.
        names = [field.data_key or own for own, field in self.fields.items()]
        budget = _budget.get(None) or FaultBudget(MOST_ERRORS)
        for name in [name for name in messages if name in data and name not in names]:
            if not budget.take():
                messages[name] = []
                continue
            known = did_you_mean(name, names) if names else Text("there is only {word}", word="language")
            hint = _HINTS.get(
                name.lower().replace("-", "_"), Text("is not known here; {instead}", instead=known)
            )
            messages[name] = [self.hints.get(name, hint)]


PlainLoader = Callable[[Any], Any]


def plain_loader(field: fields.Field[Any]) -> PlainLoader:
    """Return a function that loads a value fast, or returns `missing` if something is wrong with it.

    Fields of this module and `Lenient` have a `load_plain`, which takes a tenth of the time of marshmallow.
    """
    loader: Any = field.schema if isinstance(field, fields.Nested) else field
    load: PlainLoader = getattr(loader, "load_plain", None) or _load_or_miss(field)
    allows_null = field.allow_none

    def load_plain(value: Any) -> Any:
        if value is None:
            return None if allows_null else missing
        return load(value)

    return load_plain


def _load_or_miss(field: fields.Field[Any]) -> PlainLoader:
    def load(value: Any) -> Any:
        try:
            return field.deserialize(value)
        except ValidationError:
            return missing

    return load


class Lenient(Schema):
    """Ignores members that it does not know, so that a client may send whatever the service shows.

    It has no checks beyond those of its fields. Marshmallow loads only what has a fault, to explain it.
    """

    error_messages = {"type": "must be an object"}  # noqa: RUF012

    class Meta:
        unknown = EXCLUDE

    def load(self, data: Any, **given: Any) -> Any:
        plain = self.load_plain(data)
        return super().load(data, **given) if plain is missing else plain

    def load_plain(self, value: Any) -> Any:
        """Return the loaded object, or `missing` if something is wrong with it."""
        if not isinstance(value, dict):
            return missing
        loaded = {}
        for name, load, default in self._plain_members:
            usual = default() if callable(default) else default
            plain = load(value[name]) if name in value else usual
            if plain is missing:
                return missing
            loaded[name] = plain
        return loaded

    @cached_property
    def _plain_members(self) -> list[tuple[str, PlainLoader, Any]]:
        return [(name, plain_loader(field), field.load_default) for name, field in self.fields.items()]


class LenientItem(Lenient):
    """An object that comes in numbers: not every one that has a fault is explained."""


class NoQuery(Strict):
    """The query schema of operations without parameters."""


GAME_ID = re.compile(r"g_[A-Za-z0-9_-]{22}")
LARGEST = 2**31 - 1
# Of the words that are values of options.
LONGEST_WORD = 64
# In a list that is the value of an option.
MOST_CODES = 64

VISIBLE = "^[!-~]+$"
_WORD = re.compile("[!-~]+")
SEND_CHOICE = 'Send the option\'s `choice` (for example "place-1")'


class Pattern(validate.Regexp):
    def __init__(self, regex: str, explain: Callable[[str], str]) -> None:
        super().__init__(regex)
        self._fits = re.compile(regex)
        self._explain = explain

    def __call__(self, value: str) -> str:  # type: ignore[override]
        # Before that a "$" would fit as well, in Python alone.
        if value.endswith("\n") or not self._fits.match(value):
            raise ValidationError(self._explain(value))
        return value


class Characters(Pattern):
    """An empty text is for the length to judge, so that it gets one fault and not two."""

    def __call__(self, value: str) -> str:  # type: ignore[override]
        return super().__call__(value) if value else value


def ask_without_quotes(expected: str, value: object) -> str:
    """Return what is expected; of a text it is also said that quotes are wrong."""
    return Text("{expected}, without quotes", expected=expected) if isinstance(value, str) else expected


class StrictInt(fields.Integer):
    """A whole number; 5.0 is one in JSON, true and "5" are none."""

    def __init__(self, least: int, most: int = LARGEST, **given: Any) -> None:
        if most == LARGEST:
            bounds = Text("must be at least {least}", least=least)
            self.expected = Text("must be an integer, at least {least}", least=least)
        else:
            bounds = Text("must be between {least} and {most}", least=least, most=most)
            self.expected = Text("must be an integer between {least} and {most}", least=least, most=most)
        super().__init__(validate=Range(least, most, bounds), **given)
        self._least = least
        self._most = most

    def load_plain(self, value: Any) -> Any:
        """Return the number if it fits, else `missing`."""
        if type(value) is float and value.is_integer():
            value = int(value)
        return value if type(value) is int and self._least <= value <= self._most else missing

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> int:
        if not is_whole(value):
            raise ValidationError(ask_without_quotes(self.expected, value))
        return int(value)


class StrictBool(fields.Boolean):
    def load_plain(self, value: Any) -> Any:
        """Return true or false, else `missing`."""
        return value if isinstance(value, bool) and not self.validators else missing

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any
    ) -> bool:
        if not isinstance(value, bool):
            raise ValidationError(ask_without_quotes(Text("must be true or false"), value))
        return value


class BoundedText(fields.String):
    """A text whose length is judged first: one that is too long is not searched for wrong characters."""

    def _validate(self, value: Any) -> None:
        for validator in self.validators:
            validator(value)


class CleanText(BoundedText):
    default_error_messages = {"invalid": "must be a string"}  # noqa: RUF012
    pattern = Characters(CLEAN, explain_unclean)

    def __init__(self, most: int, least: int = 1, **given: Any) -> None:
        rules = [Length(least, most), self.pattern]
        super().__init__(validate=rules, **given)


class Word(BoundedText):
    """Text that programs make: visible ASCII."""

    default_error_messages = {"invalid": "must be a string"}  # noqa: RUF012
    pattern = Characters(VISIBLE, lambda text: Text("must be visible ASCII characters"))

    def __init__(self, most: int, **given: Any) -> None:
        super().__init__(validate=[Length(1, most), self.pattern], **given)
        self._most = most

    def load_plain(self, value: Any) -> Any:
        """Return the word if it fits, else `missing`."""
        fits = isinstance(value, str) and len(value) <= self._most and _WORD.fullmatch(value)
        return value if fits else missing


class ChoiceWord(Word):
    """The choice of an option; people also send all of the option, its label, or its place in the list."""

    pattern = Characters(VISIBLE, lambda text: _explain_text(text))

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> Any:
        if not isinstance(value, str):
            raise ValidationError(_explain_choice(value))
        return super()._deserialize(value, attr, data, **given)


def _explain_choice(value: object) -> str:
    """Of what is no text; where it holds the right one, that is named."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Text("{send_choice}, not its index.", send_choice=Text(SEND_CHOICE))
    kind = Text("an object") if isinstance(value, Mapping) else Text("an array")
    kind = kind if isinstance(value, Mapping | list) else Text("another value")
    within = value.get("choice") if isinstance(value, Mapping) else None
    within = value[0] if isinstance(value, list) and len(value) == 1 else within
    if isinstance(within, str) and within:
        return Text('Send "choice": "{within}", not {kind}.', within=within[:LONGEST_WORD], kind=kind)
    return Text("{send_choice}, not {kind}.", send_choice=Text(SEND_CHOICE), kind=kind)


def _explain_text(text: str) -> str:
    padded = text != text.strip() and re.match(VISIBLE, text.strip())
    if padded:
        return Text("{send_choice}, without the space around it.", send_choice=Text(SEND_CHOICE))
    return Text("{send_choice}, not its label.", send_choice=Text(SEND_CHOICE))


class HashText(BoundedText):
    """A hash in hexadecimal digits, or how it begins."""

    def __init__(self, least: int, most: int, **given: Any) -> None:
        digits = Characters("^[0-9a-f]+$", lambda text: Text("must be hexadecimal digits, in lower case"))
        super().__init__(validate=[Length(least, most), digits], **given)


class TicketText(fields.String):
    """In the address of a stream; whether it opens that one was found out before."""

    def __init__(self) -> None:
        text = "From `POST /v1/tickets`, for browsers that send no header: opens a stream once, and no page."
        form = Pattern(f"^{TICKET.pattern}$", lambda text: Text("must be a ticket from `POST /v1/tickets`"))
        super().__init__(validate=form, metadata={"description": text})


class Name(CleanText):
    """What a person is called at the table."""

    pattern = Characters(CLEAN_NAME, explain_name)

    def __init__(self, most: int, text: str = NAME_RULE, **given: Any) -> None:
        super().__init__(most, metadata={"description": text}, **given)
        self._most = most

    def deserialize(
        self, value: Any, attr: str | None = None, data: Mapping[str, Any] | None = None, **given: Any
    ) -> Any:
        # After the checks, so that they see the very text that was sent.
        name = super().deserialize(value, attr, data, **given)
        return self._keep(name) if isinstance(name, str) else name

    def _keep(self, name: str) -> str:
        """Raises ValidationError: what is kept can be sent again, so it is no longer than what is sent."""
        kept = keep_name(name)
        if len(kept) > self._most:
            told = Text(
                "must have at most {most} characters; in NFC, as it is stored, it has {count}",
                most=self._most,
                count=len(kept),
            )
            raise ValidationError(told)
        return kept


# Whom the log and the page name so: authors of commits, and erased players.
_RESERVED = ("clock", "creator", ERASED, *BOT_NAMES)
_RESERVED_FORM = re.compile(r"seat[- ]?\d+|bot:.*", re.DOTALL)
RESERVED_RULE = (
    "Names of bots, `erased player`, `clock`, `creator`, `seat-0` and the like are reserved, in any case."
)


def _in_any_case(text: str) -> str:
    """Return a pattern for a text in small and capital letters, with spaces of any length."""
    letters = (f"[{letter.upper()}{letter}]" if letter.isalpha() else letter for letter in text)
    return "".join(letters).replace(" ", r"\s+")


_RESERVED_FORMS = "|".join(
    [*map(_in_any_case, _RESERVED), _in_any_case("seat") + r"(?:-|\s+)?[0-9]+", _in_any_case("bot:") + ".*"]
)
# Letters that only look or fold like these are found when the name is read.
OWN_NAME = rf"^(?!\s*(?:{_RESERVED_FORMS})\s*$){CLEAN_NAME.removeprefix('^')}"


def is_reserved(name: str) -> bool:
    """Return whether a name would be taken for a bot, a seat, the clock or an erased player."""
    plain = " ".join(normalize("NFKC", name).casefold().split())
    return plain in _RESERVED or _RESERVED_FORM.fullmatch(plain) is not None


def _explain_own_name(text: str) -> str:
    """Return why a text does not match OWN_NAME."""
    return _RESERVED_FAULT if is_reserved(text) else explain_name(text)


_RESERVED_FAULT = Text("is reserved, because others could mistake it; choose another name")


class OwnName(Name):
    """What a person wants to be called from now on."""

    pattern = Characters(OWN_NAME, _explain_own_name)

    def __init__(self, most: int, **given: Any) -> None:
        super().__init__(most, f"{NAME_RULE} {RESERVED_RULE}", **given)

    def _keep(self, name: str) -> str:
        kept = super()._keep(name)
        if is_reserved(kept):
            raise ValidationError(_RESERVED_FAULT)
        return kept


def _is_word(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_WORD


class OptionField(fields.Raw):
    """The value of an option, of any edition; which one fits is for the edition to say."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if is_whole(value) and abs(value) <= LARGEST:
            return int(value)
        if isinstance(value, str) and len(value) <= LONGEST_WORD:
            return value
        if isinstance(value, list) and len(value) <= MOST_CODES and all(map(_is_word, value)):
            return tuple(value)
        raise ValidationError("must be true, false, an integer, a word, null or a list of codes")


class Items(fields.List[Any]):
    """A list of at most so many items. Where they come in numbers, only the first faults are explained."""

    def __init__(self, inner: fields.Field[Any], most: int, least: int | None = None, **given: Any) -> None:
        super().__init__(inner, validate=Length(least, most), **given)
        self._least = least or 0
        self._most = most

    @cached_property
    def _load_item(self) -> PlainLoader:
        return plain_loader(self.inner)

    @cached_property
    def _is_numerous(self) -> bool:
        """Whether the items are small: without lists of their own."""
        inner: Any = self.inner
        return isinstance(inner.schema, LenientItem) if isinstance(inner, fields.Nested) else True

    def load_plain(self, value: Any) -> Any:
        """Return the loaded list, or `missing` if something is wrong with it."""
        if not isinstance(value, list) or not self._least <= len(value) <= self._most:
            return missing
        load = self._load_item
        loaded = [load(item) for item in value]
        return missing if missing in loaded else loaded

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> Any:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        load = self._load_item
        budget = _budget.get(None) or FaultBudget(MOST_ERRORS)
        faults: dict[int, Any] = {}
        loaded = []
        for place, item in enumerate(value):
            plain = load(item)
            if plain is not missing:
                loaded.append(plain)
            elif self._is_numerous and not budget.take():
                # One without a text is enough to refuse the list.
                faults.setdefault(-1, [])
            else:
                try:
                    loaded.append(self.inner.deserialize(item, **given))
                except ValidationError as fault:
                    faults[place] = fault.messages
        if faults:
            raise ValidationError(faults, valid_data=loaded)
        return loaded


class NumberText(StrictInt):
    """A whole number in a query string: digits only, and no more of them than can matter."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> int:
        if not (value.isascii() and value.isdigit() and len(value) <= len(str(LARGEST))):
            raise ValidationError(self.expected)
        return int(value)


class FlagText(fields.Boolean):
    """True or false in a query string."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any
    ) -> bool:
        if value not in ("true", "false"):
            raise ValidationError(Text("must be true or false"))
        return bool(value == "true")


def is_whole(value: object) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


Json = dict[str, Any]


class Variants(fields.Field[Any]):
    """An object whose kind is told by the one member that only this kind has.

    `title` is what the contract calls it; `kinds` has the schema of each kind by that member; `example` is
    shown to whoever sends something else.
    """

    def __init__(
        self, title: str, text: str, kinds: Mapping[str, type[Schema]], example: str, **given: Any
    ) -> None:
        super().__init__(**given)
        self.title = title
        self.text = text
        self.kinds = kinds
        self.example = example
        self._schemas = {member: kind() for member, kind in kinds.items()}

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> Any:
        if not isinstance(value, Mapping):
            raise ValidationError(Text("must be an object such as {example}", example=self.example))
        members = [member for member in self.kinds if member in value]
        if len(members) == 1:
            return self._schemas[members[0]].load(value)
        *most, last = self.kinds
        faults: Json = {
            "_schema": [
                Text(
                    "must have exactly one of `{members}` and `{last}`", members="`, `".join(most), last=last
                )
            ]
        }
        for member in members:
            faults |= self._schemas[member].validate({member: value[member]})
        raise ValidationError(faults)


def describe_variants(converter: Any, field: fields.Field[Any], **given: Any) -> Json:
    """What apispec does not know: a component for the union, and one for each of its kinds."""
    if not isinstance(field, Variants):
        return {}
    schemas = converter.spec.components.schemas
    if field.title not in schemas:
        kinds = [converter.resolve_nested_schema(kind) for kind in field.kinds.values()]
        schemas[field.title] = {"title": field.title, "description": field.text, "oneOf": kinds}
    return {"$ref": f"#/components/schemas/{field.title}"}
