"""Stores objects under names: files in a folder, or objects in a bucket of a server that speaks S3.

Names are paths with `/` between their parts. Every method raises Unavailable with the cause `archive`.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Protocol, TypeVar, cast
from urllib.parse import unquote, urlsplit

from events.store import Unavailable

# Ends the names of files that are being written; one that a crash left behind is removed when it is this old.
PART = ".part"
OLD_SECONDS = 3600
# For how long a server of a bucket is asked: a caller waits.
CALL_SECONDS = 10
CONNECT_SECONDS = 3
MOST_RETRIES = 2
_PRIVATE_FILE = 0o600
_PRIVATE_FOLDER = 0o700


T = TypeVar("T")


class Objects(Protocol):
    """Objects by their names."""

    def create(self, name: str, content: bytes) -> None:
        """Write a new object, which lasts when this returns. One that exists already should stay as it is.

        Compare what is read back: some servers replace an object that they should not.
        """

    def replace(self, name: str, content: bytes) -> None:
        """Write an object in place of the one that may exist; it lasts when this returns."""

    def read(self, name: str) -> bytes | None:
        """Return the content of an object, or None if there is none."""

    def delete(self, name: str) -> None:
        """Delete an object, if there is one."""

    def list(self, folder: str) -> Iterator[str]:
        """Yield the names of all objects in a folder, in no order."""


@contextmanager
def _translate_os_errors(place: object) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise Unavailable(f"the archive at {place}: {fault}", cause="archive") from fault


class FolderObjects:
    """Objects in files below a folder, which is made with the first of them.

    A file gets its name only after its content is on the disk, and the folder is synced after that. So a
    crash leaves a whole file or none.
    """

    def __init__(self, root: Path) -> None:
        """Use this folder."""
        self._root = root

    def create(self, name: str, content: bytes) -> None:
        with _translate_os_errors(self._root):
            path = self._make_place(name)
            part = self._write_part(path, content)
            try:
                os.link(part, path)
            except FileExistsError:
                return
            finally:
                part.unlink()
            sync_path(path.parent)

    def replace(self, name: str, content: bytes) -> None:
        with _translate_os_errors(self._root):
            path = self._make_place(name)
            os.replace(self._write_part(path, content), path)
            sync_path(path.parent)

    def _make_place(self, name: str) -> Path:
        """Make the folder of a name, if it is missing, and return the path of the file."""
        path = self._root / name
        missing = [folder for folder in path.parents if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(_PRIVATE_FOLDER, exist_ok=True)
            sync_path(folder.parent)
        return path

    def _write_part(self, path: Path, content: bytes) -> Path:
        """Write a file under another name, sync it and return its path."""
        part = path.with_name(f"{path.name}.{secrets.token_hex(4)}{PART}")
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        return part

    def read(self, name: str) -> bytes | None:
        with _translate_os_errors(self._root):
            try:
                return (self._root / name).read_bytes()
            except FileNotFoundError:
                return None

    def delete(self, name: str) -> None:
        with _translate_os_errors(self._root):
            path = self._root / name
            if path.exists():
                path.unlink(missing_ok=True)
                sync_path(path.parent)

    def list(self, folder: str) -> Iterator[str]:
        """Yield the names in a folder; files that a crash left unfinished are removed on the way."""
        with _translate_os_errors(self._root):
            place = self._root / folder
            if not place.exists():
                return
            for entry in os.scandir(place):
                if not entry.name.endswith(PART):
                    yield f"{folder}/{entry.name}"
                elif time.time() - entry.stat().st_mtime > OLD_SECONDS:
                    Path(entry.path).unlink(missing_ok=True)


class BucketObjects:
    """Objects in a bucket. The server, the region and the keys come from variables such as AWS_ENDPOINT_URL.

    An object lasts when a server has taken it.
    """

    def __init__(self, url: str) -> None:
        """Use the bucket and prefix that `s3://BUCKET/PREFIX` names."""
        # Only who uses a bucket needs the extra.
        from obstore.store import S3Store

        self._place = url
        endpoint = os.environ.get("AWS_ENDPOINT_URL", "")
        self._store = S3Store.from_url(
            url,
            client_options={
                "timeout": timedelta(seconds=CALL_SECONDS),
                "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
                "allow_http": endpoint.startswith("http://"),
            },
            retry_config={"max_retries": MOST_RETRIES, "retry_timeout": timedelta(seconds=CALL_SECONDS)},
        )

    def create(self, name: str, content: bytes) -> None:
        with _translate_bucket_errors(self._place), suppress(_already_exists()):
            self._call(lambda: self._store.put(name, content, mode="create"))

    def replace(self, name: str, content: bytes) -> None:
        with _translate_bucket_errors(self._place):
            self._call(lambda: self._store.put(name, content))

    def read(self, name: str) -> bytes | None:
        with _translate_bucket_errors(self._place):
            try:
                return self._call(lambda: bytes(self._store.get(name).bytes()))
            except FileNotFoundError:
                return None

    def delete(self, name: str) -> None:
        with _translate_bucket_errors(self._place), suppress(FileNotFoundError):
            self._call(lambda: self._store.delete(name))

    def list(self, folder: str) -> Iterator[str]:
        with _translate_bucket_errors(self._place):
            pages = self._call(lambda: [*self._store.list(f"{folder}/")])
        for page in pages:
            yield from (found["path"] for found in page)

    def _call(self, ask: Callable[[], T]) -> T:
        """Return what a call returns; where gevent runs, other requests go on meanwhile."""
        monkey = sys.modules.get("gevent.monkey")
        if monkey is None or not monkey.is_module_patched("socket"):
            return ask()
        return cast(T, sys.modules["gevent.hub"].get_hub().threadpool.apply(ask))


@contextmanager
def _translate_bucket_errors(place: str) -> Iterator[None]:
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, OSError) as fault:
        raise Unavailable(f"the archive at {place}: {str(fault).splitlines()[0]}", cause="archive") from fault


def _already_exists() -> type[Exception]:
    from obstore.exceptions import AlreadyExistsError

    return AlreadyExistsError


def open_objects(url: str) -> Objects:
    """Return the objects at an address: `file:///FOLDER` or `s3://BUCKET/PREFIX`."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return FolderObjects(Path(unquote(parts.path)))
    return BucketObjects(url)


def sync_path(path: Path) -> None:
    """Have a file, or the names in a folder, written to the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
