"""Facts that one event tells by itself."""

from __future__ import annotations

from collections.abc import Iterator

from events.agenda import Ask
from events.seat_types import GameForked, RematchMade, SeatLeft, SeatReturned, SeatTaken, VoidVoted
from events.tile_types import CasinoClosed, CasinoOpened, CounterMoved, TilesLaid, TokenMoved
from events.types import (
    CardsDealt,
    CardsPlayed,
    ChipCardsMoved,
    DiceMoved,
    DicePlaced,
    DiceRolled,
    Event,
    GameClosed,
    GameCreated,
    GameEnded,
    GameStarted,
    Revealed,
    RoundEnded,
    RoundStarted,
    TurnStarted,
)
from events.values import OWNER, PILE, PURSE
from rules.about import DiceToPlace
from rules.explaining.facts import Fact
from rules.explaining.moves import find_move
from rules.explaining.result_facts import find_result, find_round_over
from rules.explaining.scene import Scene, casino_at
from rules.explaining.tile_facts import counter_fact, token_fact
from rules.state import State

# Why a seat starts: nobody has won the start, so that it is where it was (P4).
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
            yield Fact("turn", sources.turn, OWNER[seat])
        case DiceRolled():
            yield _rolled(event, scene)
        case DicePlaced():
            yield _placed(event, scene, after)
        case DiceMoved():
            yield find_move(event, scene)
        case CardsDealt(seat, cards):
            yield Fact("dealt", sources.turn, OWNER[seat], cards=cards.value or ())
        case CardsPlayed(seat, cards):
            yield Fact("cards_played", sources.turn, OWNER[seat], cards=cards)
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
            yield counter_fact(event, scene)
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
    return scene.cite_tile(scene.tile) if scene.tile else scene.ruleset.sources.turn


def _revealed(seat: int, value: str, scene: Scene) -> Fact:
    """In the words in which it was offered."""
    tiles = scene.ruleset.tiles
    prompts = tiles[scene.tile].prompts_among(tiles)
    hid = next(name for name, prompt in prompts.items() if prompt.secret)
    label = prompts[hid].label(scene.state, Ask(0, hid, (seat,)), seat, value)
    return Fact("revealed", _cite_actor(scene), OWNER[seat], tile=scene.tile, text=label)


def _round_started(event: RoundStarted, scene: Scene) -> Fact:
    sources, owner = scene.ruleset.sources, "" if scene.all_at_once else OWNER[event.starter]
    if event.round > 1:
        why = STAYED if scene.stays else sources.starts_by
        return Fact("round", sources.next_start, owner, number=event.round, text=why)
    why = "named" if event.chance is None else "drawn"
    return Fact("round", sources.first_start, owner, number=event.round, text=why)


def _rolled(event: DiceRolled, scene: Scene) -> Fact:
    if event.black:
        return _thrown(event.black, scene)
    big = () if event.big is None else (event.big,)
    owner = "" if event.seat is None else OWNER[event.seat]
    dice = DiceToPlace(len(event.own), len(big), len(event.neutral))
    return Fact("rolled", scene.ruleset.sources.turn, owner, dice=dice, faces=event.own + big + event.neutral)


def _thrown(faces: tuple[int, ...], scene: Scene) -> Fact:
    """By whoever is asked what becomes of them, else by whose turn it is."""
    ask = scene.asks
    if ask is not None and ask.tile and ask.data == faces:
        return Fact("black_roll", scene.cite_tile(ask.tile), OWNER[ask.seats[0]], tile=ask.tile, faces=faces)
    turn = scene.state.turn
    owner = "" if turn is None else OWNER[turn]
    return Fact("black_roll", _cite_actor(scene), owner, tile=scene.tile or None, faces=faces)


def _placed(event: DicePlaced, scene: Scene, after: State) -> Fact:
    """With the tile that it activates, where something comes of that."""
    casino = casino_at(event.target, scene)
    code = scene.tile_at(casino)
    open_one = casino if isinstance(casino, int) and casino not in scene.state.closed else None
    active = code and open_one and scene.ruleset.tiles[code].responds(after, event.seat, open_one)
    rule = scene.ruleset.sources.turn if isinstance(casino, int) else scene.ruleset.sources.extra
    dice = DiceToPlace(event.small, event.big, event.neutral)
    tile = code if active else None
    return Fact("placed", rule, OWNER[event.seat], casino, tile, dice=dice, number=event.number)


def _chip_cards(event: ChipCardsMoved, scene: Scene) -> Fact:
    if event.source == PILE:
        return Fact("chip_card_laid", "C7", casino=casino_at(event.target, scene), cards=event.cards)
    owner = OWNER[PURSE.index(event.target)]
    return Fact("chip_card", "C7", owner, casino_at(event.source, scene), cards=event.cards)
