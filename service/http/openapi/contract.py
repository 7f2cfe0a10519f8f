"""The rendered contract: as YAML, as JSON, and as a list of its operations."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from service.http.static_files import StaticFile


class OperationLink(Struct, frozen=True):
    """An operation: `href` is its address, with variables in braces."""

    id: str
    method: str
    href: str
    summary: str


class OperationGroup(Struct, frozen=True):
    """Operations that are needed together."""

    name: str
    about: str
    operations: tuple[OperationLink, ...]


class ApiIndex(Struct, frozen=True):
    """Where everything is: the guides, the contract, and every operation under `/v1`."""

    name: str
    version: str
    docs: str
    reference: str
    openapi: str
    groups: tuple[OperationGroup, ...]


class OpenApiDocument(Struct, frozen=True):
    """The contract, as the OpenAPI Specification 3.1 defines it."""

    openapi: str
    info: dict[str, Any]
    servers: list[dict[str, Any]]
    tags: list[dict[str, Any]]
    paths: dict[str, Any]
    webhooks: dict[str, Any]
    components: dict[str, Any]


class Contract(Struct, frozen=True):
    """Holds the contract in its two forms, and the list of its operations."""

    yaml: StaticFile
    json: StaticFile
    index: ApiIndex
