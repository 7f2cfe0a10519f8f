"""openapi.yaml, the routes, the schemas and the refusals say the same."""

import json
import re
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from flask import Flask
from jsonschema import Draft202012Validator

from events.commands import Command
from events.types import Event
from rules.editions import EDITIONS
from rules.errors import Reason
from rules.tile import Tile
from rules.tiles import TILES
from service.http.openapi.components import SCHEMA_NAMES
from service.http.openapi.document import main, render_contract
from service.http.openapi.schemas import options_schema
from service.http.openapi.texts import find_properties, operation_texts, read_descriptions
from service.http.problems import CODES, REFUSALS
from service.http.register import OPERATIONS
from tests.support.api_client import ApiClient
from tests.support.contract import FILE, JSON, OUTSIDE, PROBLEM, contract, resolved, validator

# What is a file, a page or a document of its own.
FILES = {"*/*", "text/html", "application/yaml", "image/svg+xml"}


# Promised by the rules, and not yet by any operation.
UNSEEN: set[str] = set()


def test_the_file_is_what_the_code_renders() -> None:
    assert FILE.read_bytes() == render_contract().yaml.content, "run `make openapi`"


def test_it_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    with chdir(tmp_path):
        assert main() == 0
    assert (tmp_path / "openapi.yaml").read_bytes() == FILE.read_bytes()


def test_every_route_is_in_the_file_and_the_other_way_round(app: Flask) -> None:
    routes = {
        (re.sub(r"<(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert routes == {(path, method) for path, item in contract()["paths"].items() for method in item}


def test_every_component_is_a_json_schema_and_is_used() -> None:
    text = FILE.read_text("utf-8")
    for name, schema in contract()["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema)
        assert f"#/components/schemas/{name}'" in text, f"nothing refers to {name}"


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """A document and everything within it."""
    for part in schema if isinstance(schema, list) else schema.values() if isinstance(schema, dict) else ():
        yield from parts(part)
    if isinstance(schema, dict):
        yield schema


def test_every_component_has_a_plain_name() -> None:
    """Encoders make up names for generic types that no generator takes."""
    for name, schema in contract()["components"]["schemas"].items():
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]*", name)
        assert schema.get("title", "").isprintable()
        assert "[" not in schema.get("title", "")


def test_every_union_with_a_discriminator_is_named_and_complete() -> None:
    named = contract()["components"]["schemas"]
    unions = [part for part in parts(contract()) if isinstance(part.get("discriminator"), dict)]
    for union in unions:
        assert any(union is schema for schema in named.values())
        pick = union["discriminator"]
        assert sorted(pick["mapping"].values()) == sorted(part["$ref"] for part in union["oneOf"])
        for word, ref in pick["mapping"].items():
            member = named[ref.rpartition("/")[2]]["properties"][pick["propertyName"]]
            assert (member["type"], member["const"]) == ("string", word)
    assert set(named["Event"]["discriminator"]["mapping"]) == {tag(kind) for kind in get_args(Event)}
    assert set(named["Command"]["discriminator"]["mapping"]) == {tag(kind) for kind in get_args(Command)}


def tag(kind: Any) -> Any:
    return kind.__struct_config__.tag


def test_every_enum_says_its_type() -> None:
    enums = [part for part in parts(contract()) if isinstance(part.get("enum"), list) or "const" in part]
    assert enums
    assert [part for part in enums if "type" not in part] == []


def test_every_pattern_is_one_for_ecmascript_too() -> None:
    """Without flags, as zod takes it, and with `u`, as validators do: ASCII, and escapes that both know."""
    patterns = {part["pattern"] for part in parts(contract()) if isinstance(part.get("pattern"), str)}
    assert patterns
    for pattern in patterns:
        assert pattern.isascii()
        assert re.sub(r"\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[sSdDwWt.*+?/]", "", pattern).count("\\") == 0
        assert not re.search(r"\(\?[^!:=]|\\ud[89a-f]", pattern)
        # One generator writes characters out in a literal, where these two would end the line.
        assert not re.search(r"\\u202[89]", pattern)


def test_every_reference_leads_somewhere() -> None:
    """A schema that is `false` was once taken for the name of another."""
    schemas = contract()["components"]["schemas"]
    refs = {part["$ref"] for part in parts(contract()) if isinstance(part.get("$ref"), str)}
    named = {ref.rpartition("/")[2] for ref in refs if ref.startswith("#/components/schemas/")}
    assert named - schemas.keys() == set()


def test_no_member_of_a_body_has_a_default() -> None:
    """One generator demands such a member of whoever sends it; the description tells what it would be."""
    media = [part["requestBody"]["content"] for part in parts(contract()) if "requestBody" in part]
    objects = [content["application/json"] for content in media if "application/json" in content]
    names = {content["schema"]["$ref"].rpartition("/")[2] for content in objects}
    assert "NewGame" in names
    for name in names:
        members = contract()["components"]["schemas"][name]["properties"].values()
        assert not [member for member in members if "default" in member]


def test_the_codes_of_problems_are_an_enum() -> None:
    assert contract()["components"]["schemas"]["ProblemCode"]["enum"] == sorted(CODES)


def test_every_type_of_event_comes_with_a_schema_that_stands_for_itself(api: ApiClient) -> None:
    listed = api.get("/v1/event-types").get_json()["event_types"]
    assert [event["type"] for event in listed] == [tag(kind) for kind in get_args(Event)]
    for event in listed:
        assert event["schema"]["description"], event["type"]
    game = api.create_for(2)
    game.play()
    validators = {event["type"]: Draft202012Validator(event["schema"]) for event in listed}
    commits = api.get(f"{game.address}/events?limit=1000").get_json()["commits"]
    for event in (event for commit in commits for event in commit["events"]):
        validators[event["type"]].validate(event)
    for event in listed:
        assert not validators[event["type"]].is_valid({"type": event["type"], "x": 1} | {"type": "junk"})


def described() -> list[dict[str, Any]]:
    """What the file says of every operation."""
    return [operation for item in contract()["paths"].values() for operation in item.values()]


def find_examples(content: dict[str, Any]) -> dict[str, Any]:
    known = contract()["components"]["examples"]
    names = [example["$ref"].rpartition("/")[2] for example in content.get("examples", {}).values()]
    return {name: known[name]["value"] for name in names}


def fits(schema: dict[str, Any], value: Any) -> bool:
    return bool(Draft202012Validator({**schema, "components": contract()["components"]}).is_valid(value))


@pytest.mark.parametrize("operation", described(), ids=lambda operation: operation["operationId"])
def test_every_request_reply_and_problem_has_examples_that_fit(operation: dict[str, Any]) -> None:
    """Where one is missing, `make examples` takes it from a test that sends such a request."""
    body = operation.get("requestBody", {"required": False})
    contents = [body["content"]] if body["required"] else []
    contents += [response["content"] for response in operation["responses"].values() if "content" in response]
    for media, content in (pair for forms in contents for pair in forms.items()):
        examples = find_examples(content)
        assert examples or media in FILES, f"no example of {media}"
        for name, value in examples.items():
            assert fits(content["schema"], value), f"{name} does not fit any more: delete it, `make examples`"


@pytest.mark.parametrize("operation", described(), ids=lambda operation: operation["operationId"])
def test_every_problem_that_an_operation_promises_has_an_example(operation: dict[str, Any]) -> None:
    for response in operation["responses"].values():
        content = response.get("content", {}).get("application/problem+json")
        if content:
            codes = {value["code"] for value in find_examples(content).values()}
            assert codes == set(re.findall("`([a-z_]+)`", response["description"])) - UNSEEN


@pytest.mark.parametrize("operation", described(), ids=lambda operation: operation["operationId"])
def test_every_operation_says_what_it_does_for_whom_and_with_which_headers(operation: dict[str, Any]) -> None:
    assert len(operation["description"]) > len(operation["summary"])
    assert not operation["summary"].endswith(".")
    assert operation["tags"][0] in {tag["name"] for tag in contract()["tags"] if tag["description"]}
    for parameter in operation.get("parameters", ()):
        assert parameter["schema"]
        assert parameter["in"] == "path" or parameter.get("description"), parameter["name"]
    for status, response in operation["responses"].items():
        assert "X-Request-ID" in response["headers"]
        assert ("WWW-Authenticate" in response["headers"]) == (status == "401")
        assert ("Retry-After" in response["headers"]) == (status in ("202", "429", "503"))


def test_whoever_has_made_or_seen_a_game_is_told_where_to_go_on() -> None:
    ids = {operation["operationId"] for operation in described()}
    linked = {
        operation["operationId"]: response["links"]
        for operation in described()
        for response in operation["responses"].values()
        if "links" in response
    }
    assert {"createGame", "takeSeat", "showTable"} <= linked.keys()
    named = [resolved(contract(), link) for links in linked.values() for link in links.values()]
    assert {link["operationId"] for link in named} <= ids
    assert {"showTable", "choose", "showEvents"} <= linked["createGame"].keys()


SHOWN = (JSON, PROBLEM)


def test_every_property_parameter_and_operation_has_a_description_and_examples() -> None:
    for schema, name, member in find_properties(contract()):
        assert member.get("description"), f"{schema}.{name} has no description: add it to properties.yaml"
    for operation in described():
        for parameter in operation["parameters"]:
            assert parameter["description"], (operation["operationId"], parameter["name"])
            assert "example" in parameter or parameter["schema"]["examples"], parameter["name"]
        contents = [
            *operation.get("requestBody", {}).get("content", {}).items(),
            *(
                pair
                for status, response in operation["responses"].items()
                for pair in response.get("content", {}).items()
            ),
        ]
        unshown = [media for media, content in contents if media in SHOWN and not content.get("examples")]
        assert unshown == [], operation["operationId"]


def test_every_operation_has_a_text_and_every_text_an_operation() -> None:
    assert {operation["operationId"] for operation in described()} == operation_texts().keys()


def test_names_in_generated_code_read_well() -> None:
    """What the code calls a thing that it shows or that was sent is nothing to a client."""
    names = contract()["components"]["schemas"].keys()
    assert set(SCHEMA_NAMES.values()) <= names
    assert [name for name in names if name.endswith(("Shown", "Seen")) or name.startswith("Sent")] == []


def test_no_sentence_about_a_property_is_left_over() -> None:
    """A property that was renamed or removed takes its sentence with it."""
    in_code = {public: name for name, public in SCHEMA_NAMES.items()}
    found = [(in_code.get(schema, schema), name) for schema, name, _ in find_properties(contract())]
    known = {name for _, name in found} | {f"{schema}.{name}" for schema, name in found}
    assert read_descriptions().keys() - known == set()


def test_nothing_is_written_out_twice() -> None:
    plain = yaml.load(FILE.read_text("utf-8"), yaml.CSafeLoader)
    for kind in ("responses", "parameters"):
        written = [
            json.dumps(part)
            for item in plain["paths"].values()
            for operation in item.values()
            for part in _parts(operation.get(kind, ()))
            if "$ref" not in part
        ]
        assert len(written) == len(set(written)), kind
    operations = sum(len(item) for item in plain["paths"].values())
    # 402 KB with 80 operations; a new operation may take what the others do.
    assert FILE.stat().st_size < 5_200 * operations


def _parts(found: Any) -> list[Any]:
    return list(found.values()) if isinstance(found, dict) else list(found)


def test_the_example_of_a_new_game_can_be_sent_as_it_is(api: ApiClient) -> None:
    """What the page at /docs/reference fills in, so that the first click makes a game."""
    (example,) = find_examples(
        contract()["paths"]["/v1/games"]["post"]["requestBody"]["content"]["application/json"]
    ).values()
    assert api.post("/v1/games", example).status_code == 201
    assert contract()["servers"][0]["url"] == "/"


def test_every_refusal_is_promised_somewhere() -> None:
    promised = set(re.findall(r"`(\w+)`", FILE.read_text("utf-8")))
    assert set(CODES) - {"internal"} - OUTSIDE <= promised


def test_every_reason_of_the_rules_has_a_status() -> None:
    assert set(REFUSALS) == set(Reason)


def test_the_server_hands_out_the_file(api: ApiClient) -> None:
    reply = api.get("/openapi.yaml")
    assert reply.data == FILE.read_bytes()
    assert reply.mimetype == "application/yaml"
    as_json = api.get("/openapi.json")
    assert as_json.get_json() == yaml.load(reply.data, yaml.CSafeLoader)


def test_a_file_that_the_page_does_not_have_is_not_found(api: ApiClient) -> None:
    assert api.get("/docs/reference/junk.js").get_json()["code"] == "not_found"


def test_an_option_that_the_edition_does_not_have_is_unknown(api: ApiClient) -> None:
    plan = {"edition": "classic", "options": {"jokers": True}, "seats": [{"name": "Anna"}, {"open": True}]}
    assert api.post("/v1/games", plan).get_json()["code"] == "unknown_option"


def test_the_options_of_an_edition_come_as_a_json_schema_for_a_form(api: ApiClient) -> None:
    editions = {edition["id"]: edition for edition in api.get("/v1/editions").get_json()["editions"]}
    assert list(editions) == [ruleset.id for ruleset in EDITIONS.newest.values()]
    for ruleset in EDITIONS.newest.values():
        schema = editions[ruleset.id]["options"]
        Draft202012Validator.check_schema(schema)
        assert all(option["title"] and option["description"] for option in schema["properties"].values())
        assert set(schema["properties"]) == {spec.name for spec in ruleset.options}
        assert schema == json.loads(json.dumps(options_schema(ruleset)))


def test_the_contract_names_every_prompt_and_explains_it() -> None:
    prompt = contract()["components"]["schemas"]["Prompt"]
    names = {name for ruleset in EDITIONS.newest.values() for name in ruleset.prompts}
    assert set(prompt["enum"]) == names
    for name in names:
        assert re.search(rf"^- `{re.escape(name)}`: [A-Z][^\n]{{9,}}$", prompt["description"], re.MULTILINE)


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: tile.code)
def test_the_contract_and_the_editions_explain_what_a_tile_shows(api: ApiClient, tile: Tile) -> None:
    shows = contract()["components"]["schemas"][f"Tile{tile.code}"]["properties"]["shows"]
    texts = {name: member.text for name, member in tile.members.items()}
    assert {name: schema["description"] for name, schema in shows["properties"].items()} == texts
    assert shows["required"] == list(texts)
    editions = api.get("/v1/editions").get_json()["editions"]
    told = {told["code"]: told for edition in editions for told in edition["tiles"]}
    assert told[tile.code]["shows"] == texts


def test_a_tile_that_shows_something_else_breaks_the_contract() -> None:
    """So that the checked replies of these tests mean something."""
    fits = validator("#/components/schemas/Tile").is_valid
    jackpot = {"code": "A2", "name": "Jackpot", "text": "…", "shows": {"jackpot": 30_000}}
    assert fits(jackpot)
    assert not fits(jackpot | {"shows": {"jackpot": "30"}})
    assert not fits(jackpot | {"shows": {}})
    assert not fits(jackpot | {"shows": {"jackpot": 30_000, "space": 0}})
    assert not fits(jackpot | {"code": "Z1"})
    assert not fits(None)


def test_an_edition_says_who_can_play_it_for_how_long_and_with_what(api: ApiClient) -> None:
    classic = api.get("/v1/editions").get_json()["editions"][0]
    assert (classic["id"], classic["seats"], classic["rounds"]) == ("classic", {"min": 2, "max": 5}, 4)
    assert len(classic["casinos"]) == 6
    levels = [bot["name"] for bot in api.get("/v1/bots").get_json()["bots"]]
    assert classic["bots"] == levels


def test_the_first_example_of_a_ticket_works_for_every_player(api: ApiClient) -> None:
    content = contract()["paths"]["/v1/tickets"]["post"]["requestBody"]["content"]["application/json"]
    first = next(iter(content["examples"].values()))["$ref"].rpartition("/")[2]
    token = api.post("/v1/players", {"name": "Dora"}).get_json()["token"]
    sent = contract()["components"]["examples"][first]["value"]
    assert api.post("/v1/tickets", sent, token).status_code == 201


def test_every_variable_of_an_address_has_an_example_or_says_where_it_is_found() -> None:
    variables = [part for part in parts(contract()) if part.get("in") == "path"]
    assert variables
    assert all("example" in variable or variable["description"] for variable in variables)


def test_the_list_of_games_says_when_imported_ones_are_in_it() -> None:
    assert "imported games are in it only with" in contract()["paths"]["/v1/games"]["get"]["description"]


def test_the_reference_has_every_operation_as_plain_html(api: ApiClient) -> None:
    """It is there before any script runs, and each operation has an anchor of its own."""
    page = api.get("/docs/reference")
    text = page.get_data(as_text=True)
    found = re.findall(r'<details class="operation" id="(\w+)">', text)
    assert sorted(found) == sorted(operation.id for operation in OPERATIONS)
    assert "'unsafe-inline'" not in page.headers["Content-Security-Policy"]
    assert "<code>seats</code>" in text


def test_the_examples_of_a_guide_call_the_service_that_shows_it(api: ApiClient) -> None:
    page = api.get("/docs/quickstart", Host="tables.example:8443").get_data(as_text=True)
    assert "http://tables.example:8443" in page
    assert "127.0.0.1:8000" not in page
