"""Turns the events of a commit into facts, each with the rule it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from events.agenda import Ask
from events.commands import Choose, Command
from events.secrecy import Secret
from events.types import (
    AgendaChanged,
    CardsDealt,
    CardsPlayed,
    CasinoClosed,
    CasinoOpened,
    ChipCardsMoved,
    ChipsMoved,
    CounterMoved,
    DiceMoved,
    DicePlaced,
    DiceReturned,
    DiceRolled,
    Event,
    GameClosed,
    GameCreated,
    GameEnded,
    GameForked,
    GameStarted,
    NotesMoved,
    RematchMade,
    Revealed,
    RoundEnded,
    RoundStarted,
    SeatLeft,
    SeatReturned,
    SeatTaken,
    TilesLaid,
    TokenMoved,
    TurnStarted,
    VoidVoted,
)
from events.values import (
    BANK,
    BOX,
    NEUTRAL,
    OWNER,
    PILE,
    PURSE,
    SUPPLY,
    Owner,
    Place,
    plays_for,
    seat_of,
    tile_of,
)
from rules.editions import EDITIONS
from rules.evolve import fold
from rules.explain import payments
from rules.explain.payments import find_prize, find_ties, find_ties_on_tile, standing_in
from rules.explain.scene import Fact, Scene, casino_at, seat_at
from rules.legal import describe_choice, prompt_of
from rules.mechanics.rounds import START
from rules.prompt import DiceToPlace
from rules.scoring import chip_card_money, score, totals
from rules.seats import AWAY, TIMEOUT
from rules.state import State


def find_move(event: DiceMoved, scene: Scene) -> Fact:
    owner = plays_for(event.turned or event.owner)
    target = casino_at(event.target, scene)
    source = casino_at(event.source, scene)
    code = _tile_at(event.target, scene) or _tile_at(event.source, scene) or _find_actor(event, scene)
    rule = scene.cite_tile(code) if code else scene.cite_turn()
    dice = DiceToPlace(event.small, event.big, owner=UNSET if event.owner == owner in OWNER else event.owner)
    casino = target if target is not None else source
    if event.target in SUPPLY and seat_of(owner) is None:
        share = f"{scene.cite_imaginary(owner)}, D9"
        return Fact("dice_given", share, OWNER[SUPPLY.index(event.target)], dice=dice)
    if event.source == BOX and not code:
        rule = f"{scene.cite_imaginary(owner)}, D4"
    return Fact(_name_move(event, scene), rule, owner, casino=casino, tile=code or None, dice=dice)


def _name_move(event: DiceMoved, scene: Scene) -> str:
    """The kind of fact, by where the dice come from, where they go and whether a seat owns them."""
    from_casino = casino_at(event.source, scene) is not None
    from_tile = bool(_tile_at(event.source, scene))
    to_tile = bool(_tile_at(event.target, scene))
    is_of_seat = seat_of(event.owner) is not None
    if casino_at(event.target, scene) is not None:
        return "dice_pushed" if from_tile and is_of_seat else "dice_added"
    if to_tile and is_of_seat:
        return "dice_moved" if from_casino else "dice_aside"
    if from_tile and not from_casino:
        return "dice_home"
    return "dice_taken" if from_casino else "dice_aside"


def _tile_at(place: Place, scene: Scene) -> str:
    """The tile whose space a place is; empty where it is not one."""
    return tile_of(place) if tile_of(place) in scene.ruleset.tiles else ""


def _find_actor(event: DiceMoved, scene: Scene) -> str:
    """The tile at work; while tiles are laid out, the one that brings these dice."""
    tiles = scene.ruleset.tiles
    bringing = (code for code in scene.state.tiles if event.owner in tiles[code].brings)
    return scene.tile or next(bringing, "")


# The kind of fact that says what chip cards come to.
COUNTED = "chip_cards_count"
# A total of a round counts chip cards as if it were the last.
WITH_CHIP_CARDS = "with_chip_cards"


def find_round_over(event: RoundEnded, scene: Scene) -> Fact:
    rule = scene.ruleset.sources.payout
    text = ""
    if scene.state.chip_cards:
        rule = f"{rule}, C7"
        text = WITH_CHIP_CARDS
    return Fact("round_over", rule, number=event.round, totals=totals(scene.state), text=text)


def find_result(event: GameEnded, scene: Scene) -> Iterator[Fact]:
    if scene.state.chip_cards:
        yield from (_count_chip_cards(scene, seat) for seat in range(len(event.totals)))
    yield _name_winners(event, scene)


def _count_chip_cards(scene: Scene, seat: int) -> Fact:
    cards = tuple(sorted(scene.state.chip_cards.get(PURSE[seat], ())))
    worth = chip_card_money(scene.state, seat)
    return Fact(COUNTED, "C7, C10", OWNER[seat], cards=cards, worth=worth)


def _name_winners(event: GameEnded, scene: Scene) -> Fact:
    """The winners, and what was counted where several seats have the most money."""
    sources = scene.ruleset.sources
    most = max(event.totals)
    level = tuple(seat for seat, total in enumerate(event.totals) if total == most)
    over = Fact("over", sources.result, totals=event.totals, winners=event.winners)
    if len(level) == 1:
        return over
    counts = tuple(score(scene.state, seat)[1] for seat in level)
    return replace(over, level=level, counts=counts, text=sources.tie_breaker)


def token_fact(event: TokenMoved, scene: Scene) -> Fact:
    """A token is laid out, closes a casino, is taken by a seat, or goes back from a seat."""
    code = event.token
    before = seat_at(scene.state.tokens.get(event.token))
    rule = scene.cite_tile(code)
    taker = seat_at(event.target)
    if taker is not None:
        here = scene.casino_of(code)
        weight = _weight_of(OWNER[taker], here, scene)
        return Fact("token_taken", rule, OWNER[taker], casino=here, tile=code, weight=weight)
    if before is not None:
        return Fact("token_back", rule, OWNER[before], casino=scene.casino_of(code), tile=code)
    return Fact("token", rule, casino=casino_at(event.target, scene), tile=code)


def counter_fact(event: CounterMoved, scene: Scene, after: State) -> Fact:
    """A counter moves along the track of its tile, or marks a seat that has to pay (T-C2)."""
    code = tile_of(event.counter)
    tile = scene.ruleset.tiles[code]
    rule = scene.cite_tile(code)
    marked = {*tile.debtors(after)} - {*tile.debtors(scene.state)}
    if marked:
        owner = OWNER[marked.pop()]
        casino = scene.casino_of(code)
        return Fact("fewest", rule, owner, casino=casino, tile=code, weight=_weight_of(owner, casino, scene))
    worth = tile.track[event.value] if tile.track else None
    return Fact("counter", rule, tile=code, number=event.value, worth=worth)


def _weight_of(owner: Owner, casino: int | None, scene: Scene) -> int:
    standing = () if casino is None else standing_in(scene, casino)
    return next((place.weight for place in standing if place.owner == owner), 0)


# Why a seat starts: no player won the start in the last round, so it stays where it was (P4).
STAYED = "stayed"
_CLOSED_BY = {"not_filled": "W2", "abandoned": "W3", "cancelled": "W6", "voided": "W7"}


def find_plain_facts(event: Event, scene: Scene, after: State) -> Iterator[Fact]:  # noqa: C901 - one match over many events
    sources = scene.ruleset.sources
    match event:
        case GameCreated(_, _, _, seats):
            yield Fact("created", number=len(seats), text=scene.ruleset.title)
        case GameForked(_, origin):
            yield Fact("forked", "W12", number=origin.at, text=origin.game)
        case SeatTaken() | SeatLeft() | SeatReturned() | VoidVoted() | RematchMade():
            yield _seat_fact(event)
        case GameStarted(notes):
            yield Fact("started", sources.set_up, notes=notes)
        case RoundStarted():
            yield _round_started(event, scene)
        case TurnStarted(seat) if seat is not None:
            yield Fact("turn", scene.cite_turn(), OWNER[seat])
        case DiceRolled():
            yield _rolled(event, scene)
        case DicePlaced():
            yield _placed(event, scene, after)
        case DiceMoved():
            yield find_move(event, scene)
        case CardsDealt(seat, cards):
            yield Fact("dealt", scene.cite_turn(), OWNER[seat], cards=cards.value or ())
        case CardsPlayed(seat, cards):
            yield Fact("cards_played", scene.cite_turn(), OWNER[seat], cards=cards)
        case ChipCardsMoved():
            yield _chip_cards(event, scene)
        case TilesLaid(tiles):
            yield from (
                Fact("tile_laid", scene.cite_tile(code), casino=number, tile=code)
                for number, code in enumerate(tiles, 1)
            )
        case TokenMoved(token) if token in scene.ruleset.tiles:
            yield token_fact(event, scene)
        case CounterMoved():
            yield counter_fact(event, scene, after)
        case CasinoClosed(number) | CasinoOpened(number):
            what = "closed" if isinstance(event, CasinoClosed) else "opened"
            yield Fact(what, _cite_actor(scene), casino=number, tile=scene.tile or None)
        case Revealed(_, seat, value) if scene.tile:
            yield _revealed(seat, value, scene)
        case RoundEnded():
            yield find_round_over(event, scene)
        case GameEnded():
            yield from find_result(event, scene)
        case GameClosed(reason):
            yield Fact("broken_off", _CLOSED_BY.get(reason, "W2, W3"), text=reason)
        case _:
            pass


def _seat_fact(event: SeatTaken | SeatLeft | SeatReturned | VoidVoted | RematchMade) -> Fact:
    match event:
        case SeatTaken(seat, _):
            return Fact("sat_down", "P7", OWNER[seat])
        case SeatLeft(seat, bot, for_good):
            return Fact("gone" if for_good else "left", "W4", OWNER[seat], text=bot)
        case SeatReturned(seat):
            return Fact("returned", "W4", OWNER[seat])
        case VoidVoted(seat, agrees):
            return Fact("wants_void" if agrees else "wants_on", "W7", OWNER[seat])
        case RematchMade(game):
            return Fact("rematch", "W8", text=game)


def _cite_actor(scene: Scene) -> str:
    return scene.cite_tile(scene.tile) if scene.tile else scene.cite_turn()


def _revealed(seat: int, value: str, scene: Scene) -> Fact:
    """A sealed answer that is opened, with the label under which it was offered."""
    tiles = scene.ruleset.tiles
    prompts = tiles[scene.tile].prompts_among(tiles)
    hid = next(name for name, prompt in prompts.items() if prompt.secret)
    label = prompts[hid].label(scene.state, Ask(0, hid, (seat,)), seat, value)
    return Fact("revealed", _cite_actor(scene), OWNER[seat], tile=scene.tile, text=label)


def _round_started(event: RoundStarted, scene: Scene) -> Fact:
    sources = scene.ruleset.sources
    if event.round > 1:
        rule = sources.next_start
        why = STAYED if scene.stays else sources.starts_by
    else:
        rule = sources.first_start
        why = "named" if event.chance is None else "drawn"
    if scene.all_at_once:
        return Fact("round", sources.all_at_once, number=event.round, text=why)
    return Fact("round", rule, OWNER[event.starter], number=event.round, text=why)


def _rolled(event: DiceRolled, scene: Scene) -> Fact:
    if event.black:
        return _thrown(event.black, scene)
    big = () if event.big is None else (event.big,)
    dice = DiceToPlace(len(event.own), len(big), len(event.neutral))
    faces = event.own + big + event.neutral
    if event.seat is None:
        return Fact("rolled", f"{scene.cite_imaginary(NEUTRAL)}, D4", dice=dice, faces=faces)
    rule = f"{scene.ruleset.sources.neutral}, D1" if event.neutral else scene.cite_turn()
    return Fact("rolled", rule, OWNER[event.seat], dice=dice, faces=faces)


def _thrown(faces: tuple[int, ...], scene: Scene) -> Fact:
    """Black dice, rolled by the seat that is asked about them next, else by the seat that has the turn."""
    ask = scene.asks
    if ask is not None and ask.tile and ask.data == faces:
        return Fact("black_roll", scene.cite_tile(ask.tile), OWNER[ask.seats[0]], tile=ask.tile, faces=faces)
    turn = scene.state.turn
    owner = "" if turn is None else OWNER[turn]
    return Fact("black_roll", _cite_actor(scene), owner, tile=scene.tile or None, faces=faces)


def _placed(event: DicePlaced, scene: Scene, after: State) -> Fact:
    """Dice that were placed, with the tile if that activates it."""
    casino = casino_at(event.target, scene)
    dice = DiceToPlace(event.small, event.big, event.neutral)
    rule = scene.ruleset.sources.extra
    tile = None
    if isinstance(casino, int):
        rule = f"{scene.ruleset.sources.neutral}, D5" if event.neutral else scene.cite_turn()
        code = scene.tile_at(casino)
        is_open = casino not in scene.state.closed
        if code and is_open and scene.ruleset.tiles[code].responds(after, event.seat, casino):
            tile = code
    return Fact("placed", rule, OWNER[event.seat], casino=casino, tile=tile, dice=dice, number=event.number)


def _chip_cards(event: ChipCardsMoved, scene: Scene) -> Fact:
    if event.source == PILE:
        return Fact("chip_card_laid", "C7", casino=casino_at(event.target, scene), cards=event.cards)
    owner = OWNER[PURSE.index(event.target)]
    return Fact("chip_card", "C7", owner, casino=casino_at(event.source, scene), cards=event.cards)


def find_facts(before: State, command: Command, events: Sequence[Event]) -> tuple[Fact, ...]:
    """Return what a commit did: who answered what, and all that followed.

    `before` is the state before the command. State and events may be redacted.
    """
    chosen = find_choice(before, command, events)
    told = [*find_stand_in(before, command), *([] if chosen is None else [chosen])]
    return (*told, *walk_facts(before, command, events, chosen.rule if chosen else ""))


def walk_facts(before: State, command: Command, events: Sequence[Event], rule: str = "") -> tuple[Fact, ...]:
    """Return what followed from an answer, without the answer; `rule` is what the answer rests on."""
    facts = list[Fact]()
    for found in _walk(_open_scene(before, command, events, rule), before, events):
        if facts and payments.belongs_to(facts[-1], found):
            facts[-1] = payments.join(facts[-1], found)
        else:
            facts.append(found)
    return tuple(map(payments.cite_way_of_paying, facts))


def _open_scene(before: State, command: Command, events: Sequence[Event], rule: str) -> Scene:
    first = before if before.edition else fold(before, events[:1])
    ruleset = EDITIONS.of(first)
    tile = _find_acting_tile(before, command)
    return Scene(
        state=first,
        ruleset=ruleset,
        tile=tile,
        all_at_once=any(isinstance(event, TurnStarted) and event.seat is None for event in events),
        rule=rule,
        asks=_find_next_ask(events),
        opens=bool(tile) and ruleset.tiles[tile].before_roll is not None,
    )


def _find_acting_tile(before: State, command: Command) -> str:
    """The tile that asked, or the one that it was told to activate (T8)."""
    ask = before.ask
    if ask is None or not ask.tile or not isinstance(command, Choose) or isinstance(command.choice, Secret):
        return "" if ask is None else ask.tile
    told = prompt_of(before, ask).details(before, ask, command.seat, command.choice).targets
    return next((target.tile for target in told if target.tile), ask.tile)


def _find_next_ask(events: Sequence[Event]) -> Ask | None:
    agendas = [event.agenda for event in events if isinstance(event, AgendaChanged)]
    ask = agendas[-1][-1] if agendas and agendas[-1] else None
    return ask if isinstance(ask, Ask) else None


def _walk(scene: Scene, state: State, events: Sequence[Event]) -> Iterator[Fact]:
    for event in events:
        after = fold(state, (event,))
        yield from _find(event, scene, after)
        scene = _next_scene(scene, event, after)
        state = after


def _next_scene(scene: Scene, event: Event, after: State) -> Scene:
    """The scene for the event after this one, which led to the state `after`."""
    tile = scene.tile
    casino = scene.casino
    rule = scene.rule
    stays = scene.stays
    if isinstance(event, DicePlaced) or (scene.opens and isinstance(event, DiceMoved)):
        tile = scene.tile_at(casino_at(event.target, scene))
    opens = scene.opens and not isinstance(event, DiceMoved)
    if isinstance(event, NotesMoved):
        casino = casino_at(event.source, scene) or casino
    if isinstance(event, RoundEnded):
        stays = scene.ruleset.sources.starts_by == "last_winner" and START not in scene.state.tokens
    if isinstance(event, RoundStarted):
        tile = ""
        casino = None
        rule = ""
    return replace(scene, state=after, tile=tile, casino=casino, rule=rule, stays=stays, opens=opens)


def _find(event: Event, scene: Scene, after: State) -> Iterator[Fact]:
    if isinstance(event, DiceReturned):
        yield from find_ties(event, scene)
    elif isinstance(event, (NotesMoved, ChipsMoved)):
        yield from _find_money(event, scene, after)
    else:
        yield from find_plain_facts(event, scene, after)


def _find_money(event: NotesMoved | ChipsMoved, scene: Scene, after: State) -> Iterator[Fact]:
    payment = payments.find_payment(event, scene)
    paying = casino_at(event.source, scene)
    if payment is not None:
        yield payments.attribute(payment, scene)
    elif isinstance(event, NotesMoved) and paying is not None:
        if paying != scene.casino:
            yield from find_ties_on_tile(scene.tile_at(paying), scene)
        yield find_prize(event, scene, paying)
    elif isinstance(event, NotesMoved):
        yield _stocked(event, replace(scene, state=after))


def _stocked(event: NotesMoved, scene: Scene) -> Fact:
    """Notes laid at a casino; some casinos exist only from their first note on."""
    laid = casino_at(event.target, scene)
    sources = scene.ruleset.sources
    rule = sources.set_up if scene.state.round == 1 else sources.restock
    if event.target == BANK:
        rule = sources.bank
    return Fact("stocked", rule, casino=laid, notes=event.notes, text="" if laid else event.target)


def find_stand_in(before: State, command: Command) -> Iterator[Fact]:
    """Which bot answers in a person's place, and why (W1, W4, W9), or in that of a program (W13)."""
    if isinstance(command, Choose) and command.bot:
        rule = "W1, W9" if command.why == TIMEOUT else "W4"
        if before.seats[command.seat].fallback:
            rule = "W13"
        yield Fact(command.why or AWAY, rule, OWNER[command.seat], text=command.bot)


def find_choice(before: State, command: Command, events: Sequence[Event]) -> Fact | None:
    """The answer; None where the dice that it places say the same."""
    ask = before.ask
    if not isinstance(command, Choose) or ask is None or ask.id != command.ask:
        return None
    placed = any(isinstance(event, DicePlaced) and event.seat == command.seat for event in events)
    return None if placed and not ask.tile else _describe(before, ask, command)


def _describe(before: State, ask: Ask, command: Choose) -> Fact:
    prompt = prompt_of(before, ask)
    owner = OWNER[command.seat]
    tile = ask.tile or None
    sealed = isinstance(command.choice, Secret)
    choice = command.choice.value if isinstance(command.choice, Secret) else command.choice
    if choice is None:
        return Fact("sealed", prompt.rule, owner, tile=tile)
    label = describe_choice(prompt, before, ask, command.seat, choice).label
    return Fact("sealed" if sealed else "chose", prompt.rule_of(choice), owner, tile=tile, text=label)
