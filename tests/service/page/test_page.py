"""The page as it is served: whole, small, from here alone, and kept by browsers."""

import gzip
import json
import re
from hashlib import sha256

import pytest

from service.page.files import FOLDER, page_files
from tests.support.api_client import ApiClient

VENDORED = json.loads((FOLDER / "vendor/packages.json").read_text("utf-8"))


def addresses(api: ApiClient) -> list[str]:
    """Everything that the document asks for."""
    return re.findall(r'(?:href|src)="(/page/[^"]+)"', api.get("/").get_data(as_text=True))


@pytest.mark.parametrize("address", ["/", "/games/g_0000000000000000000000", "/games/x?at=57"])
def test_every_address_of_the_page_has_the_same_document(api: ApiClient, address: str) -> None:
    page = api.get(address)
    assert (page.status_code, page.mimetype) == (200, "text/html")
    assert page.data == api.get("/").data


def test_the_policy_lets_nothing_inline_run_or_anything_come_from_elsewhere(api: ApiClient) -> None:
    page = api.get("/")
    policy = page.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert re.findall(r"(?:script|style|connect|img|font)-src ([^;]+)", policy) == ["'self'"] * 5
    text = page.get_data(as_text=True).replace("http://localhost/", "/")
    assert not re.search(r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|://", text)


def test_a_link_to_the_page_is_shown_with_a_picture(api: ApiClient) -> None:
    """Programs that show links need the whole address; a Host header is text like any other."""
    (address,) = re.findall(
        r'og:image" content="http://localhost([^"]+)"', api.get("/").get_data(as_text=True)
    )
    reply = api.get(address)
    assert (reply.status_code, reply.mimetype) == (200, "image/png")
    hostile = api.get("/games/g_1", Host='x"><script>').get_data(as_text=True)
    assert '"><script>' not in hostile


def test_all_that_the_document_names_is_there_and_kept(api: ApiClient) -> None:
    for address in addresses(api):
        reply = api.get(address)
        assert reply.status_code == 200
        assert reply.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_every_import_leads_to_a_file(api: ApiClient) -> None:
    for name, file in page_files().items():
        for found in (
            re.findall(rb'(?:from|import)\s*\(?"(\.[^"]+)"', file.content) if name.endswith(".js") else ()
        ):
            path = (FOLDER / name).parent.joinpath(found.decode()).resolve()
            assert path.relative_to(FOLDER).as_posix() in page_files(), f"{name} imports {found.decode()}"


def test_a_file_of_another_build_is_sent_and_not_kept(api: ApiClient) -> None:
    reply = api.get("/page/0/app/start.js")
    assert (reply.status_code, reply.headers["Cache-Control"]) == (200, "no-cache")


@pytest.mark.parametrize(
    "path", ["app/x.js", "app/..", "..%2f..%2fapi%2fapp.py", "vendor/packages.json", "../api/app.py", "app/"]
)
def test_nothing_else_can_be_asked_for(api: ApiClient, path: str) -> None:
    assert api.get(f"/page/0/{path}").status_code == 404


def test_who_can_unpack_gets_it_packed_under_a_tag_of_its_own(api: ApiClient) -> None:
    plain, packed = (
        api.get("/page/0/app/start.js", **headers) for headers in ({}, {"Accept_Encoding": "gzip"})
    )
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert packed.headers["ETag"] != plain.headers["ETag"]
    assert "Accept-Encoding" in plain.headers["Vary"]


def test_the_first_load_is_small(api: ApiClient) -> None:
    """All modules at once, every style, the face: under 200 KB as they travel."""
    replies = [api.get(address, Accept_Encoding="gzip") for address in ["/", *addresses(api)]]
    assert sum(len(reply.data) for reply in replies) < 200_000


@pytest.mark.parametrize("entry", VENDORED, ids=lambda entry: entry["file"])
def test_what_is_vendored_is_what_was_written_down(entry: dict[str, str]) -> None:
    content = (FOLDER / "vendor" / entry["file"]).read_bytes()
    assert sha256(content).hexdigest() == entry["sha256"]
    assert (FOLDER / "vendor" / entry["licence_file"]).stat().st_size > 1_000
    adr = (FOLDER.parents[1] / "docs/adr/0019-the-page-has-no-build-step.md").read_text("utf-8")
    assert entry["licence"].partition("-")[0] in adr


def test_nothing_is_vendored_that_was_not_written_down() -> None:
    kept = {path.name for path in (FOLDER / "vendor").iterdir()}
    written = {entry[part] for entry in VENDORED for part in ("file", "licence_file")}
    assert kept == written | {"packages.json"}
