"""Checks the signature of a webhook and reads its event: `read_webhook`.

Webhooks follow the Standard Webhooks specification.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

_PREFIX = "whsec_"
# A request that is older or newer than this may be a copy of an earlier one.
TOLERANCE_SECONDS = 300


class InvalidWebhook(Exception):
    """A request is not what the service sent; answer it with 400."""


def read_webhook(
    secret: str, headers: Mapping[str, str], body: bytes, tolerance: float = TOLERANCE_SECONDS
) -> dict[str, Any]:
    """Return the event of a webhook. Raises InvalidWebhook.

    `body` are the bytes as they came. A repeat carries the same `webhook-id`: keep those that you have
    handled.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        identity = given["webhook-id"]
        sent_at = given["webhook-timestamp"]
        signatures = given["webhook-signature"].split()
    except KeyError as missing:
        raise InvalidWebhook(f"the header {missing} is missing") from None
    if not sent_at.isascii() or not sent_at.isdigit() or abs(time.time() - int(sent_at)) > tolerance:
        raise InvalidWebhook("the request is too old, or from the future")
    expected = _sign(secret, identity, sent_at, body)
    if not any(hmac.compare_digest(f"v1,{expected}", signature) for signature in signatures):
        raise InvalidWebhook("no signature fits")
    event: dict[str, Any] = json.loads(body)
    return event


def _sign(secret: str, identity: str, sent_at: str, body: bytes) -> str:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX))
    except binascii.Error:
        raise ValueError("a webhook's secret begins with whsec_") from None
    message = f"{identity}.{sent_at}.".encode() + body
    return base64.b64encode(hmac.digest(key, message, "sha256")).decode()
