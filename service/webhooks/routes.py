"""HTTP operations on webhooks of players and of API keys."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from flask import Request, Response, g
from msgspec import Meta, Struct

from events.text import Joined, Text
from events.values import Moment
from service.games.idempotency import identify_request
from service.http.auth import (
    API_KEY,
    PLAYER_TOKEN,
    SEND_TOKEN,
    Access,
    find_acting_player,
    read_token,
    require_player,
)
from service.http.headers import MY_KEY
from service.http.limits import CREATING, PLAYING, check_room
from service.http.operation import Call, operation
from service.http.problems import Fault, Problem, say_fault
from service.http.responses import REPLAYED, Reply
from service.http.services import Services
from service.players.feed import What
from service.players.players import REPEAT_SECONDS
from service.timestamps import stamp
from service.webhooks.courier import name_message
from service.webhooks.destinations import BadDestination
from service.webhooks.outbox import MOST_TESTS, Delivery
from service.webhooks.schemas import NewWebhook, Replay, WebhookChange
from service.webhooks.sources import WebhookEvent
from service.webhooks.webhooks import (
    WEBHOOK_ID,
    Format,
    Reason,
    TooManyWebhooks,
    UnknownWebhook,
    Webhook,
)

RETRY_SECONDS = 60
# A host that a link may have; what a client sends as `Host` may be anything.
_BASE = re.compile(
    r"https?://[A-Za-z0-9._-]{1,253}(:[0-9]{1,5})?|https?://\[[0-9a-fA-F:.]{2,45}\](:[0-9]{1,5})?"
)
_TEST = Text("This is a test of a webhook.")
WebhookIdText = Annotated[str, Meta(extra_json_schema={"pattern": f"^{WEBHOOK_ID.pattern}$"})]


def find_owner(request: Request, services: Services, game: str) -> str:
    """Return whose webhooks the request is about: a player, or the API key that acts for none.

    Raises Problem.
    """
    if g.api_key is not None:
        acting = find_acting_player(request, services)
        return acting.id if acting else g.api_key.id
    if read_token(request) is None:
        wanted = Text("This needs a player token from `POST /v1/players`, or an API key.")
        raise Problem("unauthorized", Joined((wanted, SEND_TOKEN), " "))
    return require_player(request, services, game).id


WEBHOOK_OWNER: Access[str] = Access(find_owner, (PLAYER_TOKEN, API_KEY), ("unauthorized",))
_ERRORS = ("unknown_webhook", "unavailable")


class WebhookReply(Struct, frozen=True):
    """A webhook. `after` is how far the feed has been read for it.

    One that is not `enabled` sends nothing: `reason` says why, and `since` when it was switched off.
    """

    id: WebhookIdText
    url: str
    types: tuple[What, ...]
    format: Format
    created: Moment
    enabled: bool
    reason: Reason | None
    since: Moment | None
    after: str


class NewWebhookReply(Struct, frozen=True):
    """A new webhook. The secret is shown this once."""

    id: WebhookIdText
    url: str
    types: tuple[What, ...]
    format: Format
    created: Moment
    enabled: bool
    secret: str


class WebhooksReply(Struct, frozen=True):
    """The webhooks of the caller, oldest first."""

    webhooks: tuple[WebhookReply, ...]


class SecretReply(Struct, frozen=True):
    """The new secret, shown this once. Until `former_until` the former one signs, too."""

    secret: str
    former_until: Moment


class TestReply(Struct, frozen=True):
    """`delivery` is the `webhook-id` of the test, which is listed with the deliveries."""

    delivery: str


class DeliveriesReply(Struct, frozen=True):
    """The last 100 attempts, newest first."""

    deliveries: tuple[Delivery, ...]


@operation(
    "POST /v1/webhooks",
    "Have the events of my feed sent to a server",
    NewWebhookReply,
    access=WEBHOOK_OWNER,
    scope="webhooks",
    status=201,
    body=NewWebhook,
    headers=(MY_KEY,),
    errors=("too_many_webhooks", "no_room", "unavailable"),
)
def create_webhook(call: Call[str]) -> Reply:
    """Make a webhook and reply with its secret."""
    services = call.services
    _check_url(call)
    check_room(services.room, lambda: False)
    try:
        made = services.webhooks.create(
            call.caller,
            url=call.body["url"],
            types=_sort_types(call.body["types"]),
            format=call.body["format"],
            base=_find_base(call.request),
            cursor=services.webhook_feeds.find_end(call.caller),
            key=call.key,
        )
    except TooManyWebhooks as fault:
        raise _refuse_more(call.caller, fault.args[0]) from None
    webhook = made.webhook
    reply = NewWebhookReply(
        id=webhook.id,
        url=webhook.url,
        types=webhook.types,
        format=webhook.format,
        created=webhook.created,
        enabled=webhook.enabled,
        secret=made.secret,
    )
    return Reply(reply, location=f"/v1/webhooks/{webhook.id}", replayed=made.replayed)


@operation(
    "GET /v1/webhooks",
    "My webhooks",
    WebhooksReply,
    access=WEBHOOK_OWNER,
    scope="webhooks",
    errors=("unavailable",),
)
def list_webhooks(call: Call[str]) -> Reply:
    """Reply with the caller's webhooks, oldest first."""
    webhooks = call.services.webhooks.list_of(call.caller)
    return Reply(WebhooksReply(tuple(_show(call.services, webhook) for webhook in webhooks)))


@operation(
    "GET /v1/webhooks/{webhook}",
    "One of my webhooks",
    WebhookReply,
    access=WEBHOOK_OWNER,
    scope="webhooks",
    errors=_ERRORS,
)
def show_webhook(call: Call[str]) -> Reply:
    """Reply with one of the caller's webhooks."""
    return Reply(_show(call.services, _find(call)))


@operation(
    "PATCH /v1/webhooks/{webhook}",
    "Change a webhook, or switch it on or off",
    WebhookReply,
    access=WEBHOOK_OWNER,
    scope="webhooks",
    body=WebhookChange,
    headers=(MY_KEY,),
    errors=_ERRORS,
    rate_limit=PLAYING,
)
def change_webhook(call: Call[str]) -> Reply:
    """Change what the body names."""
    webhook = _find(call)
    members = dict(call.body)
    if _find_repeat(call, "change", members) is not None:
        return Reply(_show(call.services, webhook), replayed=True)
    if "url" in members:
        _check_url(call)
        members["base"] = _find_base(call.request)
    if "types" in members:
        members["types"] = _sort_types(members["types"])
    enabled = members.pop("enabled", webhook.enabled)
    if enabled != webhook.enabled:
        members["reason"] = "" if enabled else "switched_off"
        members["since"] = "" if enabled else stamp(call.services.clock())
    if "url" in members or (enabled and not webhook.enabled):
        members["fresh_from"] = call.services.clock.timestamp()
    changed = _change(call, webhook, members)
    _keep_repeat(call, "change", dict(call.body), "done")
    return Reply(_show(call.services, changed))


@operation(
    "DELETE /v1/webhooks/{webhook}",
    "Delete a webhook, with all that waits for it",
    {},
    access=WEBHOOK_OWNER,
    scope="webhooks",
    status=204,
    headers=(MY_KEY,),
    errors=_ERRORS,
    rate_limit=PLAYING,
)
def delete_webhook(call: Call[str]) -> Response:
    """Delete one of the caller's webhooks."""
    if _find_repeat(call, "deletion", None) is not None:
        return Response(status=204, headers=REPLAYED)
    call.services.webhooks.delete(_find(call))
    _keep_repeat(call, "deletion", None, "done")
    return Response(status=204)


@operation(
    "GET /v1/webhooks/{webhook}/deliveries",
    "The last 100 deliveries of a webhook",
    DeliveriesReply,
    access=WEBHOOK_OWNER,
    scope="webhooks",
    errors=_ERRORS,
    uncached=True,
)
def list_deliveries(call: Call[str]) -> Reply:
    """Reply with the last attempts, newest first."""
    webhook = _find(call)
    return Reply(DeliveriesReply(tuple(call.services.outbox.deliveries(webhook.id))))


@operation(
    "POST /v1/webhooks/{webhook}/test",
    "Have a test event sent, once",
    TestReply,
    access=WEBHOOK_OWNER,
    scope="webhooks",
    headers=(MY_KEY,),
    errors=(*_ERRORS, "too_many_webhooks"),
    rate_limit=CREATING,
)
def send_test(call: Call[str]) -> Reply:
    """Queue a test event for delivery; it is sent even if the webhook is off, and never repeated."""
    webhook = _find(call)
    earlier = _find_repeat(call, "test", None)
    if earlier is not None:
        return Reply(TestReply(earlier), replayed=True)
    event = WebhookEvent(
        id=f"test_{secrets.token_hex(8)}",
        game="g_" + "0" * 22,
        edition="classic",
        version=0,
        type="test",
        seat=None,
        awaits=(),
        sentence=str(_TEST),
    )
    if not call.services.outbox.add_test(webhook, event, call.services.clock.timestamp()):
        detail = Text("At most {most} tests of a webhook may wait to be sent.", most=MOST_TESTS)
        raise Problem("too_many_webhooks", detail, {"Retry-After": str(RETRY_SECONDS)})
    delivery = name_message(webhook.id, event)
    _keep_repeat(call, "test", None, delivery)
    return Reply(TestReply(delivery))


@operation(
    "POST /v1/webhooks/{webhook}/secret",
    "A new secret; for a day the former one signs, too",
    SecretReply,
    access=WEBHOOK_OWNER,
    scope="webhooks",
    headers=(MY_KEY,),
    errors=_ERRORS,
    rate_limit=PLAYING,
)
def rotate_secret(call: Call[str]) -> Reply:
    """Give a webhook another secret and reply with it."""
    webhook = _find(call)
    try:
        rotated = call.services.webhooks.rotate(webhook, call.key)
    except UnknownWebhook:
        raise _unknown() from None
    until = stamp(datetime.fromtimestamp(rotated.webhook.former_until, UTC))
    return Reply(SecretReply(rotated.secret, until), replayed=rotated.replayed)


@operation(
    "POST /v1/webhooks/{webhook}/replay",
    "Have events sent again, from a place in the feed on",
    WebhookReply,
    access=WEBHOOK_OWNER,
    scope="webhooks",
    body=Replay,
    headers=(MY_KEY,),
    errors=_ERRORS,
    rate_limit=CREATING,
    uncached=True,
)
def replay_webhook(call: Call[str]) -> Reply:
    """Put the cursor of a webhook elsewhere; repeated events have the `webhook-id` that they had."""
    webhook = _find(call)
    after = call.body["after"]
    is_repeated = _find_repeat(call, "replay", after) is not None
    if not is_repeated:
        call.services.outbox.replay(webhook, after, call.services.clock.timestamp())
        _keep_repeat(call, "replay", after, "done")
    return Reply(_show(call.services, webhook), location=f"/v1/webhooks/{webhook.id}", replayed=is_repeated)


def _find(call: Call[str]) -> Webhook:
    """Return the webhook that the path names. Raises Problem."""
    try:
        return call.services.webhooks.find(call.caller, call.path["webhook"])
    except UnknownWebhook:
        raise _unknown() from None


def _change(call: Call[str], webhook: Webhook, members: Mapping[str, Any]) -> Webhook:
    try:
        return call.services.webhooks.change(webhook, **members)
    except UnknownWebhook:
        raise _unknown() from None


def _unknown() -> Problem:
    return Problem("unknown_webhook", "You have no webhook with this id.")


def _refuse_more(owner: str, most: int) -> Problem:
    """Return the problem for an owner who has as many webhooks as allowed."""
    told = "One player may have {most} webhooks. Delete one first."
    if owner.startswith("k_"):
        told = "One API key may have {most} webhooks. Delete one first."
    return Problem("too_many_webhooks", Text(told, most=most), {"Retry-After": str(RETRY_SECONDS)})


def _check_url(call: Call[str]) -> None:
    """Raise Problem if no webhook may go to the URL in the body."""
    try:
        call.services.destinations.check(call.body["url"])
    except BadDestination as fault:
        found = Fault(fault.args[0], "/url")
        raise Problem("invalid_body", say_fault(found), errors=[found]) from None


def _sort_types(types: tuple[What, ...] | list[What]) -> tuple[What, ...]:
    """Return each type once."""
    return tuple(dict.fromkeys(types))


def _find_base(request: Request) -> str:
    """Return where the caller reaches this service; empty if that is no address for a link."""
    base = request.host_url.rstrip("/")
    return base if _BASE.fullmatch(base) else ""


def _find_repeat(call: Call[str], what: str, body: Any) -> str | None:
    """Return what an earlier request with this key gave. Raises KeyReused."""
    return call.services.stored_results.find(_identify(call, what, body))


def _keep_repeat(call: Call[str], what: str, body: Any, result: str) -> None:
    call.services.stored_results.store(_identify(call, what, body), result, REPEAT_SECONDS)


def _identify(call: Call[str], what: str, body: Any) -> Any:
    """Return what tells a repeat of this request; a key counts for one owner and one webhook."""
    scope = f"{what} of webhook {call.path['webhook']} by {call.caller}"
    return identify_request(scope, call.key, body)


def _show(services: Services, webhook: Webhook) -> WebhookReply:
    """Return a webhook as its owner sees it."""
    return WebhookReply(
        id=webhook.id,
        url=webhook.url,
        types=webhook.types,
        format=webhook.format,
        created=webhook.created,
        enabled=webhook.enabled,
        reason=webhook.reason or None,
        since=webhook.since or None,
        after=services.outbox.read_cursor(webhook.id),
    )
