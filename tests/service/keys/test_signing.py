"""Signed games: a file proves on which service it was played."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
import redis
from flask import Flask
from msgspec.structs import replace

from service.cli import main as croupier
from service.config import Misconfigured, Settings
from service.container import Backend, build_backend
from service.fairness.signatures import sign_head
from service.http.app import create_app
from service.keys.signing import SigningKeys, ensure_key_file, read_key_file
from tests.support.api_client import ApiClient
from tests.support.app import HEALTHY_REDIS
from verifier.verify import main as verify_alone
from verifier.verify import verifies

KEYS = "/.well-known/croupier-keys"
# RFC 8032, 7.1: public key, message and signature.
VECTORS = (
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
        "d25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
        "387b2eaeb4302aeeb00d291612bb0c00",
    ),
)


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "signing-key.json"
    ensure_key_file(path)
    return path


@pytest.fixture
def signed(memory: redis.Redis, key_file: Path) -> ApiClient:
    """A service that signs."""
    app: Flask = create_app(replace(Settings(), signing_key=key_file), memory, lambda: HEALTHY_REDIS)
    return ApiClient(app.test_client())


def play_game(api: ApiClient) -> tuple[str, bytes]:
    """Return the address of a finished game, and its file."""
    game = api.create_for(2)
    game.play()
    return game.address, api.get(f"{game.address}/export").data


def write(folder: Path, name: str, contents: bytes) -> str:
    path = folder / name
    path.write_bytes(contents)
    return str(path)


def read_header(file: bytes) -> dict[str, Any]:
    header: dict[str, Any] = json.loads(file.partition(b"\n")[0])
    return header


def with_header(file: bytes, **members: Any) -> bytes:
    header = {name: told for name, told in (read_header(file) | members).items() if told is not None}
    return json.dumps(header).encode() + b"\n" + file.partition(b"\n")[2]


@pytest.mark.parametrize(("public", "message", "signature"), VECTORS)
def test_the_verifier_knows_the_vectors_of_the_standard(public: str, message: str, signature: str) -> None:
    key, text, proof = (bytes.fromhex(each) for each in (public, message, signature))
    assert verifies(key, text, proof)
    assert not verifies(key, text + b"x", proof)
    assert not verifies(key, text, bytes([proof[0] ^ 1, *proof[1:]]))
    # A scalar above the order of the group would be a second signature of the same text.
    order = 2**252 + 27742317777372353535851937790883648493
    twin = (int.from_bytes(proof[32:], "little") + order).to_bytes(32, "little")
    assert not verifies(key, text, proof[:32] + twin)


def test_a_signed_file_is_verified_with_the_published_key(
    signed: ApiClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, file = play_game(signed)
    header = read_header(file)
    published = signed.get(KEYS).data
    (key,) = json.loads(published)["keys"]
    assert (header["format"], header["signature"]["key"]) == ("croupier/2", key["id"])
    game = write(tmp_path, "game.ndjson", file)
    for given in (write(tmp_path, "keys.json", published), key["public"]):
        assert croupier(["verify", "--key", given, game]) == 0
        assert verify_alone(["--key", given, game]) == 0
        assert capsys.readouterr().out.count(f"Signed by key {key['id']}.") == 2
    assert croupier(["verify", game]) == verify_alone([game]) == 0
    assert capsys.readouterr().out.count("not checked") == 2


def test_an_altered_file_and_one_by_another_key_are_refused(
    signed: ApiClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, file = play_game(signed)
    header = read_header(file)
    (key,) = signed.get(KEYS).get_json()["keys"]
    forger = sign_head(b"\1" * 32, header["head"])
    value = header["signature"]["value"]
    other = ("1" if value[0] == "0" else "0") + value[1:]
    forgeries = {
        "another key": with_header(file, signature={"key": forger.key, "value": forger.value}),
        "another key under this name": with_header(file, signature={"key": key["id"], "value": forger.value}),
        "an altered signature": with_header(file, signature={"key": key["id"], "value": other}),
        "no signature": with_header(file, signature=None),
        "a signature in the former format": with_header(file, format="croupier/1"),
        "an odd signature": with_header(file, signature="good"),
        "an altered game": file.replace(b'"total', b'"Total').replace(b'"seats":2', b'"seats":3', 1),
    }
    for name, forgery in forgeries.items():
        path = write(tmp_path, "forged.ndjson", forgery)
        assert croupier(["verify", "--key", key["public"], path]) == 1, name
        assert verify_alone(["--key", key["public"], path]) == 1, name
    assert capsys.readouterr().out.count("NOT verified") == 2 * len(forgeries)


def test_a_file_without_a_signature_says_so(
    api: ApiClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, file = play_game(api)
    assert read_header(file)["format"] == "croupier/1"
    game = write(tmp_path, "game.ndjson", file)
    public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert croupier(["verify", "--key", public, game]) == verify_alone(["--key", public, game]) == 0
    assert capsys.readouterr().out.count("Not signed.") == 2


def test_a_game_that_goes_on_is_not_signed(signed: ApiClient) -> None:
    game = signed.create_for(2)
    assert read_header(signed.get(f"{game.address}/export").data)["format"] == "croupier/1"


def test_a_game_is_signed_once(signed: ApiClient, memory: redis.Redis, key_file: Path) -> None:
    """The file stays what it was when the key is rotated and when private data is dropped."""
    address, file = play_game(signed)
    backend = build_backend(memory, signing_key=key_file)
    backend.signing_keys.rotate()
    backend.games.secrets.forget_leftovers(address.rpartition("/")[2])
    assert signed.get(f"{address}/export").data == file
    assert [bool(key["retired"]) for key in signed.get(KEYS).get_json()["keys"]] == [True, False]


def test_games_of_before_and_after_a_rotation_verify(
    signed: ApiClient, memory: redis.Redis, key_file: Path, tmp_path: Path
) -> None:
    _, before = play_game(signed)
    SigningKeys(memory, key_file).rotate()
    _, after = play_game(signed)
    assert read_header(before)["signature"]["key"] != read_header(after)["signature"]["key"]
    keys = write(tmp_path, "keys.json", signed.get(KEYS).data)
    files = [write(tmp_path, f"{number}.ndjson", file) for number, file in enumerate((before, after))]
    assert croupier(["verify", "--key", keys, *files]) == 0
    SigningKeys(memory, key_file).revoke(read_header(before)["signature"]["key"])
    keys = write(tmp_path, "keys.json", signed.get(KEYS).data)
    assert [croupier(["verify", "--key", keys, file]) for file in files] == [1, 0]


def test_an_imported_game_keeps_its_signature(signed: ApiClient, api: ApiClient, memory: redis.Redis) -> None:
    _, file = play_game(signed)
    memory.flushall()
    reply = api.post("/v1/imports", file, Content_Type="application/x-ndjson")
    assert reply.status_code == 201, reply.data
    again = api.get(f"/v1/games/{reply.get_json()['id']}/export").data
    assert again == file


def test_only_the_owner_can_read_the_private_key(
    key_file: Path, memory: redis.Redis, signed: ApiClient
) -> None:
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    private = read_key_file(key_file).private
    play_game(signed)
    backend: Backend = build_backend(memory, signing_key=key_file)
    backend.signing_keys.rotate()
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    dumps = b"".join(memory.dump(name) or b"" for name in memory.scan_iter())
    assert private.encode() not in dumps
    assert bytes.fromhex(private) not in dumps


def test_a_key_that_is_there_is_not_replaced(key_file: Path) -> None:
    before = key_file.read_bytes()
    ensure_key_file(key_file)
    assert key_file.read_bytes() == before
    assert [path.name for path in key_file.parent.iterdir()] == [key_file.name]


def test_a_broken_key_file_is_told_without_its_contents(tmp_path: Path, memory: redis.Redis) -> None:
    path = tmp_path / "signing-key.json"
    path.write_text('{"private": "secret", "created": ""}')
    with pytest.raises(Misconfigured) as fault:
        SigningKeys(memory, path).sign("head")
    assert "secret" not in str(fault.value)
