"""Names the components of the contract, and moves what is written more than once into them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from service.http.problems import PROBLEM_JSON

# The codes of a body that cannot be read, which come together, and the one word for them.
_UNREADABLE = "`bad_request`, `bad_json`, `duplicate_key`, `lone_surrogate`"
# The names of schemas in the contract, and so in generated code, where the code has other ones.
SCHEMA_NAMES = {
    "AdviceWanted": "AdviceRequest",
    "Answer": "SeatAnswer",
    "AskShown": "OpenAsk",
    "BoardShown": "Leaderboard",
    "BotNote": "BotAnswer",
    "Cancel": "CancelCommand",
    "CasinoShown": "Casino",
    "Change": "TableChange",
    "ChoiceSeen": "AnalysedChoice",
    "Choose": "ChooseCommand",
    "Chosen": "ChoiceSealed",
    "ClockShown": "SeatClock",
    "Close": "CloseCommand",
    "ClosedShown": "GameClosure",
    "Create": "CreateCommand",
    "DiceShown": "CasinoDice",
    "Fork": "ForkCommand",
    "ForkShown": "ForkOrigin",
    "FoundReply": "FoundGame",
    "Leave": "LeaveCommand",
    "LobbyGame": "ListedGame",
    "LobbySeat": "ListedSeat",
    "Lot": "DiceLot",
    "Measured": "MeasurementSetup",
    "MeasuredLevel": "BotLevel",
    "NothingToSay": "EmptyBody",
    "Picture": "TilePicture",
    "RatedShown": "RatedPlayer",
    "RematchMade": "RematchLinked",
    "RemoteShown": "RemoteBot",
    "Result": "EditionResult",
    "Return": "ReturnCommand",
    "SatReply": "SeatTakenReply",
    "SeatSeen": "AnalysedSeat",
    "SeatShown": "TableSeat",
    "Seats": "SeatRange",
    "SentAsk": "PositionAsk",
    "SentCasino": "PositionCasino",
    "SentLot": "PositionDice",
    "SentRoll": "PositionRoll",
    "SentSeat": "PositionSeat",
    "SentTable": "Position",
    "SentTile": "PositionTile",
    "SettledReply": "TableReply",
    "Sit": "SitCommand",
    "Space": "TileSpace",
    "Start": "StartCommand",
    "Step": "AgendaStep",
    "TableShown": "Table",
    "TaskShown": "Task",
    "TileShown": "Tile",
    "Void": "VoidCommand",
    "WeighedOption": "RankedOption",
}
_REF = "#/components/schemas/"
Json = dict[str, Any]


def name_schemas(document: Json) -> None:
    """Give each schema the name that it has in the contract, wherever it is referred to."""
    schemas = document["components"]["schemas"]
    named = {SCHEMA_NAMES.get(name, name): schema for name, schema in schemas.items()}
    assert len(named) == len(schemas), "two schemas have one name"
    for name, schema in schemas.items():
        if schema.get("title") == name:
            schema["title"] = SCHEMA_NAMES.get(name, name)
    document["components"]["schemas"] = dict(sorted(named.items()))
    _rename_references(document)


def _rename_references(part: Any) -> None:
    """Let every reference and every mapping of a discriminator name the schemas as the contract does."""
    for key, inner in part.items() if isinstance(part, dict) else enumerate(part):
        if isinstance(inner, str) and inner.startswith(_REF):
            name = inner.removeprefix(_REF)
            part[key] = _REF + SCHEMA_NAMES.get(name, name)
        elif isinstance(inner, dict | list):
            _rename_references(inner)


def share_repeated(document: Json) -> None:
    """Replace each response, parameter and link that is written more than once by a reference."""
    for operation in _operations(document):
        for parameter in operation.get("parameters", []):
            # It is so where nothing is said.
            if parameter.get("required") is False:
                del parameter["required"]
    _share_properties(document["components"]["schemas"])
    _share(document, "responses", [*_responses(document)])
    _share(document, "parameters", [*_parameters(document)])
    _share(document, "links", [*_links(document)])
    _drop_repeated_titles(document["components"]["schemas"])


# Properties of several schemas that take long to describe, with the names of the schemas they become.
_SHARED_PROPERTIES = {
    "NewPlayer": ("name", "DisplayName", "What a person is called."),
    "NamedSeat": ("entropy", "Entropy", "Chance of one's own."),
}


def _share_properties(schemas: Json) -> None:
    """Replace long properties that several schemas have by a reference to a schema of their own."""
    for holder, (member, name, text) in _SHARED_PROPERTIES.items():
        shared = schemas.get(holder, {}).get("properties", {}).get(member)
        if shared is None:
            continue
        for schema in [*schemas.values()]:
            properties = schema.get("properties", {})
            if properties.get(member) == shared:
                properties[member] = {"$ref": _REF + name, "description": text}
        schemas[name] = shared


def _responses(document: Json) -> Iterator[tuple[Json, Any, str]]:
    """Yield where each response is, and a name for it."""
    for operation in _operations(document):
        responses = operation["responses"]
        for status, response in responses.items():
            yield responses, status, _name_response(int(status), response)


def _name_response(status: int, response: Json) -> str:
    """Return the name of a response: of an error the codes, of others the phrase of the status."""
    if PROBLEM_JSON not in response.get("content", {}):
        return HTTPStatus(status).phrase.title().replace(" ", "")
    codes = response["description"].partition(": ")[2].replace(_UNREADABLE, "`unreadable_body`")
    return "Or".join(_camel(code.strip("`")) for code in codes.split(", "))


def _parameters(document: Json) -> Iterator[tuple[Json, Any, str]]:
    """Yield where each parameter is, and a name for it."""
    for operation in _operations(document):
        parameters = operation.get("parameters", [])
        for number, parameter in enumerate(parameters):
            suffix = "InPath" if parameter["in"] == "path" else ""
            yield parameters, number, _camel(parameter["name"].replace("-", "_")) + suffix


def _links(document: Json) -> Iterator[tuple[Json, Any, str]]:
    """Yield where each link is, and a name for it."""
    for operation in _operations(document):
        for response in operation["responses"].values():
            links = response.get("links", {})
            for name in links:
                yield links, name, _camel(name)


def _drop_repeated_titles(schemas: Json) -> None:
    """Leave out the title of a component where it is its name."""
    for name, schema in schemas.items():
        if schema.get("title") == name:
            del schema["title"]


def _operations(document: Json) -> Iterator[Json]:
    for item in document["paths"].values():
        yield from item.values()


def _share(document: Json, kind: str, found: list[tuple[Json, Any, str]]) -> None:
    """Move what is found more than once into the components of a kind.

    Two that differ under one name get a number.
    """
    written = [json.dumps(holder[key], sort_keys=True) for holder, key, _ in found]
    numbers = Counter(written)
    names: dict[str, str] = {}
    components: Json = {}
    for (holder, key, name), text in zip(found, written, strict=True):
        if numbers[text] == 1:
            continue
        if text not in names:
            names[text] = _free_name(name, components)
            components[names[text]] = holder[key]
        holder[key] = {"$ref": f"#/components/{kind}/{names[text]}"}
    document["components"][kind] = dict(sorted(components.items()))


def _free_name(name: str, taken: Json) -> str:
    numbered = name
    number = 1
    while numbered in taken:
        number += 1
        numbered = f"{name}{number}"
    return numbered


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
