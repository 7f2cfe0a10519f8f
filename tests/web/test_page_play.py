"""Whole games in a real browser: with the mouse, by keyboard, by two people, and through a restart."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from random import Random
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from service.ops.redis_server import RedisServer
from tests.support.browser import OPTIONS, OVER, STEP_TAKEN, PagePlayer, Tab, open_form, open_tab, tab_to
from tests.support.http_client import HttpPlayer, HttpService, SeatedGame
from tests.support.sent_tables import keep_tokens, seat_plan
from tests.support.service_process import free_port, run_api

HOSTILE = "<img src=x onerror='window.harmed=1'>"
# Remembers every byte that the page receives, streams included.
LISTEN = """
window.received = [];
const ask = window.fetch;
window.fetch = async (...given) => {
  const reply = await ask(...given);
  if (!reply.body) return reply;
  const [one, other] = reply.body.tee();
  (async () => {
    const reader = other.pipeThrough(new TextDecoderStream()).getReader();
    for (let part; !(part = await reader.read()).done; ) window.received.push(part.value);
  })().catch(() => {});
  return new Response(one, { status: reply.status, headers: reply.headers });
};
"""


@pytest.fixture
def calm(browser: Browser) -> Iterator[Tab]:
    """A tab that shows everything at once."""
    with open_tab(browser, reduced_motion="reduce") as tab:
        yield tab


def check_quiet(tab: Tab, base: str) -> None:
    """Nothing was refused, complained of, or asked for elsewhere."""
    assert refusals(tab) == []
    assert [error for error in tab.errors if "Failed to load resource" not in error] == []
    assert tab.hosts == {base.removeprefix("http://")}


def refusals(tab: Tab) -> list[str]:
    """What a client has to answer for; a service that is overloaded may say so, and is asked again."""
    return [refused for refused in tab.refused if refused.startswith("4")]


def sit(tab: Tab, base: str, plan: dict[str, Any]) -> str:
    """The first seat of a new game is this tab's; where it is played."""
    return sit_down(tab, base, plan)[0]


def sit_down(tab: Tab, base: str, plan: dict[str, Any]) -> tuple[str, list[str]]:
    """And what the service calls everything that the seat can do there first, casinos by their names."""
    service = HttpService(base)
    made = service.call("POST", "/v1/games", plan).json
    address, token = f"/games/{made['id']}", made["seats"][0]["token"]
    keep_tokens(tab.page.context, {made["id"]: token})
    table = service.call("GET", f"/v1{address}", token=token).json
    names = {str(casino["number"]): casino["name"] for casino in table["casinos"]}
    hand = table["seats"][0].get("hand")
    labels = [label for ask in table["asks"] for label in (name_cards(hand) if hand else first_steps(ask))]
    return base + address, [re.sub(r"casino (\d)", lambda found: names[found[1]], label) for label in labels]


def name_cards(hand: list[str]) -> list[str]:
    """What the page calls each card of a hand, and the way to play them."""
    names: list[str] = []
    for at, card in enumerate(hand):
        name = f"Card double {card[0]}" if card.endswith("d") else f"Card {card}"
        alike = hand.count(card)
        nth = hand[: at + 1].count(card)
        names.append(f"{name} ({nth} of {alike})" if alike > 1 else name)
    return [*names, "Play"]


def first_steps(ask: Any) -> list[str]:
    """What the page offers first: each of up to six options, and of more their first steps.

    Where only one of two steps leads on, what it leads to is offered in its place.
    """
    paths = [[step["label"] for step in option.get("path") or [option]] for option in ask["options"]]
    first = list(dict.fromkeys(path[0] for path in paths))
    longer = [path for path in paths if len(path) > 1]
    if len(first) == 2 and len(longer) == len(paths) - 1:
        return [path[-1] for path in paths]
    return first


def test_play_now_to_the_end_with_the_mouse_alone(calm: Tab, service: str) -> None:
    calm.page.goto(service)
    calm.page.get_by_role("button", name="Play now", exact=True).click()
    player = PagePlayer(calm.page)
    assert "The game is over" in player.play()
    assert player.moves > 8
    calm.page.goto(service)
    expect(calm.page.get_by_role("heading", name="My games")).to_be_visible()
    check_quiet(calm, service)


@pytest.mark.long
def test_six_tiles_by_keyboard_alone(calm: Tab, service: str) -> None:
    page = calm.page
    page.goto(service)
    press(page, "button", "Las Vegas Royale")
    tab_to(page, page.locator("summary", has_text="More options"))
    page.keyboard.press("Enter")
    for seat in ("Seat 3", "Seat 4"):
        tab_to(page, page.get_by_label(seat, exact=True))
        page.keyboard.press("End")
    tab_to(page, page.get_by_role("spinbutton", name="Tiles"))
    page.keyboard.press("Control+A")
    page.keyboard.type("6")
    press(page, "button", "Open the table")
    player = PagePlayer(page, seed=2, keys=True)
    assert "The game is over" in player.play()
    check_quiet(calm, service)


class Listener(PagePlayer):
    """Plays by keyboard, and knows only what a screen reader's tree says."""

    def _take_step(self, number: str | None) -> str:
        move = self.page.get_by_role("region", name="Your move")
        step = self.page.locator(f"[data-ask='{number}']").get_attribute("data-step")
        heading, *_ = find_names(move, "heading")
        group = move.get_by_role("group", name="What you can do")
        names = find_names(group, "button")
        assert heading
        assert names
        assert len({*names}) == len(names), "two answers sound the same"
        assert not [name for name in names if re.search(r"casino \d|seat \d", name)], names
        # A card that no answer has beside those that are taken cannot be pressed.
        closed = set(find_names(group, "button", "[disabled]"))
        name = self._random.choice([name for name in names if name not in closed])
        self.press(group.get_by_role("button", name=name, exact=True))
        self.page.wait_for_function(STEP_TAKEN, arg=[number, step])
        return name


def find_names(part: Locator, role: str, state: str = "") -> list[str]:
    """The names of everything with that role and state, in the order in which they are read aloud."""
    lines = [line for line in part.aria_snapshot().splitlines() if state in line]
    return re.findall(rf'- (?:\'?){role} "((?:[^"\\]|\\.)*)"', "\n".join(lines))


@pytest.mark.long
@pytest.mark.parametrize(("edition", "options"), [("royale", {"tiles": 6}), ("cards", {})])
def test_a_whole_game_is_played_by_ear_and_keyboard(
    calm: Tab, service: str, edition: str, options: dict[str, Any]
) -> None:
    plan = seat_plan(edition, 2, options, bot="random")
    page = calm.page
    page.goto(sit(calm, service, {**plan, "sandbox": {"seed": "by ear"}}))
    player = Listener(page, seed=5, keys=True)
    assert player.await_turn()
    assert find_names(page.get_by_role("main"), "region") == [
        "Casinos",
        "Your move",
        "Players",
        "What happened",
    ]
    assert "The game is over" in player.play()
    assert player.moves > 8
    expect(page.get_by_role("region", name="Luck and choices")).to_be_visible()
    assert find_names(page.get_by_role("main"), "region") == ["Players", "Luck and choices", "What happened"]
    check_quiet(calm, service)


@pytest.mark.long
def test_cards_are_taken_up_by_key_and_by_casino_and_played_with_enter(calm: Tab, service: str) -> None:
    page = calm.page
    plan = seat_plan("cards", 2, bot="random")
    page.goto(sit(calm, service, {**plan, "sandbox": {"seed": "a hand"}}))
    cards = page.locator(".option.of-card")
    play = page.locator(".option.play-cards")
    cards.first.wait_for()
    expect(play).to_be_disabled()
    page.keyboard.press("1")
    expect(cards.first).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".casino.lit")).to_have_count(1)
    page.keyboard.press("1")
    expect(cards.first).to_have_attribute("aria-pressed", "false")
    page.locator(".casino.pickable").first.click()
    expect(page.locator(".option[aria-pressed=true]")).to_have_count(1)
    taken = play.get_attribute("data-choice") or ""
    assert re.fullmatch(r"play-\dd?", taken)
    with page.expect_request(re.compile(r"/choices$")) as sent:
        page.keyboard.press("Enter")
    assert json.loads(sent.value.post_data or "{}")["choice"] == taken


def press(page: Page, role: Any, name: str) -> None:
    control = page.get_by_role(role, name=name)
    control.wait_for()
    tab_to(page, control)
    page.keyboard.press("Enter")


@pytest.mark.long
def test_two_people_never_receive_the_others_cards_before_the_reveal(browser: Browser, service: str) -> None:
    plan = {"edition": "cards", "seats": [{"name": "Anna"}, {"name": "Ben"}]}
    made = HttpService(service).call("POST", "/v1/games", plan).json
    with ExitStack() as stack:
        tabs = [stack.enter_context(open_tab(browser, reduced_motion="reduce")) for _ in range(2)]
        for seat, tab in zip(made["seats"], tabs, strict=True):
            tab.page.add_init_script(LISTEN)
            keep_tokens(tab.page.context, {made["id"]: seat["token"]})
            tab.page.goto(f"{service}/games/{made['id']}")
        players = [PagePlayer(tab.page, seed) for seed, tab in enumerate(tabs)]
        for turn in range(3):
            play_sealed(players[turn % 2], players[1 - turn % 2], turn % 2)
        for tab in tabs:
            check_quiet(tab, service)


def play_sealed(first: PagePlayer, second: PagePlayer, seat: int) -> None:
    """One seat chooses; what the other has received by then says that, and not what."""
    assert first.await_turn()
    assert second.await_turn()
    first.move()
    history = second.page.get_by_role("region", name="What happened")
    expect(history.get_by_role("listitem").first).to_have_text(
        f"{'AB'[seat]}{('Anna', 'Ben')[seat]} has chosen."
    )
    newest = [commit for commit in received_commits(second.page) if commit["by"] == f"seat-{seat}"][-1]
    assert newest["command"]["choice"].keys() == {"hidden"}
    assert [event["choice"].keys() for event in newest["events"] if event["type"] == "chosen"] == [{"hidden"}]
    second.move()


def received_commits(page: Page) -> list[Any]:
    """Of the stream, in order."""
    text: str = page.evaluate("window.received.join('')")
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")]
    return [commit for commit in map(json.loads, lines) if "events" in commit]


@pytest.mark.long
def test_a_private_table_by_code(browser: Browser, service: str) -> None:
    with ExitStack() as stack:
        host, friend = (stack.enter_context(open_tab(browser, reduced_motion="reduce")) for _ in range(2))
        host.page.goto(service)
        open_form(host.page, "Las Vegas (2012)")
        host.page.get_by_label("Seat 2", exact=True).select_option("open")
        for seat in ("Seat 3", "Seat 4"):
            host.page.get_by_label(seat, exact=True).select_option("nobody")
        host.page.get_by_label("Friends with a code").check()
        host.page.get_by_role("button", name="Open the table").click()
        code = host.page.locator(".code").inner_text()
        friend.page.goto(service)
        friend.page.get_by_label("Code", exact=True).fill(code.lower())
        friend.page.get_by_role("button", name="Find the table").click()
        friend.page.get_by_label("Your name").fill("Ben")
        friend.page.get_by_role("button", name="Sit down").click()
        for tab in (host, friend):
            expect(tab.page.get_by_role("region", name="Casinos")).to_be_visible()
            check_quiet(tab, service)
        assert host.page.url == friend.page.url.partition("#")[0]


@pytest.mark.long
def test_the_page_heals_when_the_service_is_started_again(calm: Tab, redis_server: RedisServer) -> None:
    port, page = free_port(), calm.page
    with run_api(redis_server.url, port) as base:
        made = HttpService(base).call("POST", "/v1/games", seat_plan("classic", 2, {"start_seat": 0})).json
        keep_tokens(page.context, {made["id"]: made["seats"][0].pop("token")})
        page.goto(f"{base}/games/{made['id']}")
        player, ben = PagePlayer(page), SeatedGame(made)
        assert player.await_turn()
    expect(page.get_by_role("alert")).to_contain_text("connection is lost")
    with run_api(redis_server.url, port) as base:
        player.move()
        call = HttpService(base).insist
        HttpPlayer(call, Random(0)).go_on(ben, call("GET", ben.address))
        assert player.await_turn()
        expect(page.get_by_role("alert")).to_have_count(0)
        assert refusals(calm) == []


@pytest.mark.long
def test_nothing_is_said_of_a_trouble_that_is_over(calm: Tab, redis_server: RedisServer) -> None:
    """Neither of a choice nor of a question that nobody heard, though nothing happens at the table since."""
    port, page = free_port(), calm.page
    with run_api(redis_server.url, port) as base:
        page.goto(sit(calm, base, seat_plan("classic", 2, {"start_seat": 0})))
        page.locator(OPTIONS).first.wait_for()
    for control in (page.get_by_role("button", name="What would an expert do?"), page.locator(OPTIONS).first):
        control.click()
        expect(page.get_by_text("The service cannot be reached")).to_have_count(1)
        with run_api(redis_server.url, port):
            expect(page.get_by_role("alert")).to_have_count(0)
            expect(page.locator(OPTIONS).first).to_be_enabled()


def test_a_name_is_text_and_never_markup(calm: Tab, service: str) -> None:
    plan = seat_plan("classic", 2)
    plan["seats"][1]["name"] = HOSTILE
    page = calm.page
    page.goto(sit(calm, service, plan))
    expect(page.get_by_role("region", name="Players")).to_contain_text(HOSTILE)
    assert page.locator("img").count() == 0
    assert page.evaluate("window.harmed") is None
    check_quiet(calm, service)


@pytest.mark.long
def test_nobody_is_kept_out(calm: Tab, service: str) -> None:
    """axe-core finds nothing by night or day: at the front door with its form, at a table of every kind.

    There every option of the ask is a control, and is called what the service calls it and what stands on it.
    """
    page = calm.page
    page.goto(service)
    open_form(page, "Las Vegas Royale")
    check_access(page)
    for edition, players, options in TABLES:
        address, labels = sit_down(calm, service, seat_plan(edition, players, {**options, "start_seat": 0}))
        page.goto(address)
        page.locator(".option").first.wait_for()
        for label in labels:
            expect(page.get_by_role("button", name=label, exact=True)).to_have_count(1)
        expect(page.locator(".option")).to_have_count(len(labels))
        for option in page.locator(".option", has=page.locator(".where")).all():
            # In a sentence, a place may begin with a small letter.
            expect(option).to_have_accessible_name(
                re.compile(re.escape(option.locator(".where").inner_text()), re.IGNORECASE)
            )
        check_access(page)


@pytest.mark.long
def test_nobody_is_kept_out_beside_the_game_either(calm: Tab, service: str) -> None:
    """In the lobby, in every dialog, at the end, and where there is nothing."""
    page = calm.page
    page.goto(sit(calm, service, {"edition": "classic", "seats": [{"name": "Anna"}, {"open": True}]}))
    page.get_by_role("button", name="Start now with bots").wait_for()
    check_access(page)
    for dialog in ("How to play", "Table", "Settings"):
        page.get_by_role("button", name=dialog, exact=True).click()
        check_access(page)
        page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Cancel the game").click()
    page.locator(OVER).wait_for()
    check_access(page)
    page.goto(f"{service}/games/g_0000000000000000000000")
    page.get_by_role("alert").wait_for()
    check_access(page)


@pytest.mark.long
def test_an_expert_can_be_asked_what_to_do(calm: Tab, service: str) -> None:
    page = calm.page
    page.goto(sit(calm, service, seat_plan("classic", 2, {"start_seat": 0})))
    page.get_by_role("button", name="What would an expert do?").click()
    best = page.get_by_role("group", name="What you can do").locator("[aria-describedby]").first
    expect(best).to_have_accessible_description(re.compile(r"wins \d+%, about \$\d"))
    check_quiet(calm, service)


SCHEMES: tuple[Literal["dark", "light"], ...] = ("dark", "light")
TABLES: list[tuple[str, int, dict[str, Any]]] = [
    ("classic", 3, {}),
    ("modern", 6, {"bandit": True}),
    ("royale", 5, {"tiles": 6}),
    ("cards", 3, {}),
]


def check_access(page: Page) -> None:
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
