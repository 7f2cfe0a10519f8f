"""ETags of what never changes."""

from tests.support.api_client import ApiClient


def check_tag(api: ApiClient, address: str, media: str = "application/json") -> str:
    """What does not change is sent once; the tag by which it is known."""
    tag = api.get(address, Accept=media).headers["ETag"]
    again = api.get(address, **{"Accept": media, "If-None-Match": tag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert not tag.startswith("W/")
    return tag
