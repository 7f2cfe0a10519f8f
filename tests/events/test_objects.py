"""Objects in a folder and in a bucket: they last, and none replaces another by mistake."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from events.archive import Archive, NotArchived, PrivatePart, object_name
from events.objects import BucketObjects, FolderObjects, Objects, open_objects
from events.store import Unavailable
from tests.support.s3_server import BUCKET, S3Server, open_s3

ANOTHER = gzip.compress(b"{}\n")
PREFIX = f"s3://{BUCKET}/a/b"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    with open_s3() as server:
        name_server(monkeypatch, server)
        yield server


def name_server(environment: pytest.MonkeyPatch, server: S3Server) -> None:
    named = {
        "AWS_ENDPOINT_URL": server.url,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "eu-central-1",
    }
    for name, value in named.items():
        environment.setenv(name, value)


@pytest.fixture(params=["folder", "bucket"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Objects:
    if request.param == "folder":
        return open_objects(f"file://{tmp_path}/some%20folder")
    request.getfixturevalue("server")
    return open_objects(PREFIX)


def test_objects_are_created_once_read_replaced_listed_and_deleted(objects: Objects) -> None:
    assert (objects.read("00/a"), list(objects.list("00"))) == (None, [])
    objects.create("00/a", b"first")
    objects.create("00/a", b"second")
    assert objects.read("00/a") == b"first"
    objects.replace("00/a", b"third")
    assert objects.read("00/a") == b"third"
    for name in ("00/b", "00/c", "00/d", "01/a"):
        objects.create(name, b"")
    assert sorted(objects.list("00")) == ["00/a", "00/b", "00/c", "00/d"]
    objects.delete("00/b")
    objects.delete("00/b")
    assert sorted(objects.list("00")) == ["00/a", "00/c", "00/d"]


def test_files_are_private_and_nothing_unfinished_has_a_name(tmp_path: Path) -> None:
    objects = FolderObjects(tmp_path / "archive")
    objects.create("00/a", b"x")
    assert (tmp_path / "archive" / "00" / "a").stat().st_mode & 0o777 == 0o600
    left = tmp_path / "archive" / "00" / "a.0000.part"
    left.write_bytes(b"half")
    assert list(objects.list("00")) == ["00/a"]
    assert left.exists()
    os.utime(left, (1, 1))
    assert list(objects.list("00")) == ["00/a"]
    assert not left.exists()


def test_a_server_that_is_away_or_refuses_is_unavailable(server: S3Server) -> None:
    objects = BucketObjects(PREFIX)
    server.refusal = 403
    for ask in (
        lambda: objects.read("00/a"),
        lambda: objects.create("00/a", b""),
        lambda: list(objects.list("0")),
    ):
        with pytest.raises(Unavailable) as refusal:
            ask()
        assert refusal.value.cause == "archive"


def test_a_server_that_replaces_objects_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process stores something else under the name, and this server lets it."""
    with open_s3(overwrites=True) as server:
        name_server(monkeypatch, server)
        archive = Archive(Interfering(PREFIX))
        with pytest.raises(NotArchived):
            archive.write("g_1", b"{}\n{}\n", PrivatePart({}))
        assert server.objects[f"a/b/{object_name('g_1')}"] == ANOTHER


class Interfering(BucketObjects):
    """Somebody writes another object just after ours."""

    def create(self, name: str, content: bytes) -> None:
        super().create(name, content)
        super().create(name, ANOTHER)
