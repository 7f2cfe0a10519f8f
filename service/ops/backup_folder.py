"""The folder of a backup: its files, their checksums, and the manifest that makes it complete.

Records are lines of JSON in compressed files. Every file is in the manifest, which is written last: a folder
without it is a backup that was not finished. The folder holds secrets, and only its owner can read it.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from events.objects import sync_path

T = TypeVar("T")

FORMAT = 1
MANIFEST = "manifest.json"
# Its name until it is whole.
_NEW = "manifest.json.new"
# A new file is begun after so many bytes of JSON.
LARGEST_FILE = 32 * 1024 * 1024
# A line that is longer holds no game of ours.
LONGEST_LINE = 512 * 1024 * 1024
_FOLDER_MODE = 0o700
_FILE_MODE = 0o600
# Logs are packed already: a higher level saves a twentieth.
_COMPRESSION = 1
_BLOCK = 1024 * 1024
_FILE_NAME = re.compile(r"[a-z]+-\d{5,}\.ndjson\.gz", re.ASCII)
_encoder = msgspec.json.Encoder()


class BadBackup(Exception):
    """Says what is wrong with which file of a backup."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}")


class BackupFile(Struct, frozen=True):
    """A file of a backup, as the manifest lists it; `kind` says what its records are."""

    name: str
    kind: str
    records: int
    bytes: int
    sha256: str


class Manifest(Struct, frozen=True, omit_defaults=True):
    """What a backup holds. `missing` are games that the archive had lost, `checksum` hashes all the rest."""

    format: int
    croupier: str
    begun: str
    finished: str
    counts: dict[str, int]
    files: list[BackupFile]
    missing: list[str] = []
    checksum: str = ""


class BackupWriter:
    """Writes a backup into a folder that does not exist, is empty, or has one that was not finished."""

    def __init__(self, folder: Path) -> None:
        """Prepare the folder. Raises BadBackup if it holds anything else, and OSError."""
        folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        self._folder = folder
        self._remove_unfinished()
        folder.chmod(_FOLDER_MODE)
        self._files: list[BackupFile] = []

    def _remove_unfinished(self) -> None:
        """Remove the files of a backup that was not finished."""
        if (self._folder / MANIFEST).exists():
            raise BadBackup(self._folder, "it holds a backup already; name another folder")
        found = list(self._folder.iterdir())
        for path in found:
            if path.name != _NEW and not _FILE_NAME.fullmatch(path.name):
                raise BadBackup(self._folder, f"it holds {path.name}, which is no part of a backup")
        for path in found:
            path.unlink()

    def write(self, kind: str, records: Iterator[Struct]) -> int:
        """Write records of one kind, in as many files as they need, and return their number."""
        total = 0
        number = 0
        more = True
        while more:
            number += 1
            name = f"{kind}-{number:05d}.ndjson.gz"
            count, more = self._write_file(name, records)
            total += count
            self._add(name, kind, count)
        return total

    def _write_file(self, name: str, records: Iterator[Struct]) -> tuple[int, bool]:
        """Write one file; return the number of its records, and whether there may be more."""
        count = 0
        size = 0
        with (
            _create(self._folder / name) as raw,
            gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=_COMPRESSION, filename="", mtime=0) as file,
        ):
            for record in records:
                line = _encoder.encode(record) + b"\n"
                file.write(line)
                count += 1
                size += len(line)
                if size >= LARGEST_FILE:
                    return count, True
        return count, False

    def _add(self, name: str, kind: str, records: int) -> None:
        path = self._folder / name
        sync_path(path)
        self._files.append(BackupFile(name, kind, records, path.stat().st_size, _hash_file(path)))

    def finish(self, croupier: str, begun: str, finished: str, missing: list[str]) -> Manifest:
        """Make everything durable and write the manifest; only now is this a backup."""
        counts: dict[str, int] = {}
        for file in self._files:
            counts[file.kind] = counts.get(file.kind, 0) + file.records
        manifest = Manifest(
            format=FORMAT,
            croupier=croupier,
            begun=begun,
            finished=finished,
            counts=counts,
            files=self._files,
            missing=missing,
        )
        manifest = replace(manifest, checksum=_hash_manifest(manifest))
        sync_path(self._folder)
        new = self._folder / _NEW
        with _create(new) as file_of_manifest:
            file_of_manifest.write(msgspec.json.format(_encoder.encode(manifest)))
        sync_path(new)
        new.rename(self._folder / MANIFEST)
        sync_path(self._folder)
        return manifest


class BackupReader:
    """Reads a backup. Every method raises BadBackup, which names the file that is wrong."""

    def __init__(self, folder: Path) -> None:
        """Read the manifest."""
        self._folder = folder
        self.manifest = self._read_manifest()

    def _read_manifest(self) -> Manifest:
        path = self._folder / MANIFEST
        try:
            content = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise BadBackup(
                self._folder, f"it has no {MANIFEST}: this is no backup, or one that was not finished"
            ) from None
        except OSError as fault:
            raise BadBackup(path, f"it cannot be read: {fault.strerror}") from fault
        try:
            raw = msgspec.json.decode(content)
            number = raw.get("format") if isinstance(raw, dict) else None
            if isinstance(number, int) and number > FORMAT:
                raise BadBackup(path, f"it is of format {number}; this program knows {FORMAT}: update it")
            manifest = msgspec.convert(raw, Manifest)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as fault:
            raise BadBackup(path, f"it is damaged: {fault}") from None
        if manifest.format != FORMAT or manifest.checksum != _hash_manifest(manifest):
            raise BadBackup(path, "it is damaged, or was altered: its checksum is another one")
        for file in manifest.files:
            if not _FILE_NAME.fullmatch(file.name):
                raise BadBackup(path, f"it lists {file.name!r}, which is no file of a backup")
        return manifest

    def check(self, record_types: dict[str, Any], show: Callable[[int], None]) -> None:
        """Check every file against its checksum and every record against its type, by the kind of the file.

        `show` is called with the bytes that are checked so far.
        """
        checked = 0
        for file in self.manifest.files:
            path = self._folder / file.name
            self._check_file(path, file)
            if file.kind in record_types:
                count = sum(1 for _ in self._read_file(path, record_types[file.kind]))
                if count != file.records:
                    raise BadBackup(path, f"it has {count} records, and the manifest lists {file.records}")
            checked += file.bytes
            show(checked)

    def _check_file(self, path: Path, file: BackupFile) -> None:
        try:
            size = path.stat().st_size
            checksum = _hash_file(path)
        except FileNotFoundError:
            raise BadBackup(path, "it is missing") from None
        except OSError as fault:
            raise BadBackup(path, f"it cannot be read: {fault.strerror}") from fault
        if size != file.bytes or checksum != file.sha256:
            raise BadBackup(path, "it is damaged, or was altered: its checksum is another one")

    def read(self, kind: str, record_type: type[T]) -> Iterator[T]:
        """Yield the records of one kind."""
        for file in self.manifest.files:
            if file.kind == kind:
                yield from self._read_file(self._folder / file.name, record_type)

    def _read_file(self, path: Path, record_type: type[T]) -> Iterator[T]:
        decoder = msgspec.json.Decoder(record_type)
        try:
            with gzip.open(path, "rb") as file:
                while line := file.readline(LONGEST_LINE):
                    yield decoder.decode(line)
        except (OSError, EOFError, zlib.error, msgspec.DecodeError, UnicodeDecodeError) as fault:
            raise BadBackup(path, f"it cannot be read: {fault}") from fault


def _create(path: Path) -> Any:
    """Open a new file that only its owner can read; it must not exist, not even as a link."""
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE_MODE)
    return os.fdopen(number, "wb")


def _hash_file(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _hash_manifest(manifest: Manifest) -> str:
    return sha256(_encoder.encode(replace(manifest, checksum=""))).hexdigest()
