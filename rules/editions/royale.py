"""Las Vegas Royale, basic game and main game."""

from __future__ import annotations

from msgspec.structs import replace

from events.text import Text
from events.values import BANK, BLACK, BOX, GREY, NEUTRAL, OWNER, SUPPLY, Lot
from rules.mechanics import activation, bank, dice_turn, laying, neutral, payout, ranking, rounds, stocking
from rules.mechanics.laying import lay_tiles, tile_count
from rules.options import COMMON
from rules.prompt import StepWork
from rules.ruleset import Offer, Options, Ruleset, SetUp, Sources, join_unique, merge_unique
from rules.state import State
from rules.table import Table
from rules.tile import Tile
from rules.tiles import TILES

_COUNTS = {30: 11, 40: 11, 50: 13, 60: 15, 70: 13, 80: 11, 90: 9, 100: 7}
NOTES = tuple(thousands * 1_000 for thousands, count in _COUNTS.items() for _ in range(count))
SMALL = 7
BIG = 1
BLACK_DICE = 2
GREY_DICE = 9
CHIPS = 2
BANK_NOTES = 54
# The tiles of games from before the log said what came out of the box.
FIRST_BOX = tuple(f"{letter}{side}" for letter in "ABCDEFGH" for side in (1, 2))


def dice(players: int, options: Options) -> tuple[Lot, ...]:
    """The dice of the game: for two players also a neutral set (P1), with tiles also black and grey dice."""
    lots = [Lot(SUPPLY[seat], OWNER[seat], SMALL, big=BIG) for seat in range(players)]
    if players == 2:
        lots.append(Lot(BOX, NEUTRAL, SMALL, big=BIG))
    if tile_count(options):
        lots += [Lot(BOX, BLACK, BLACK_DICE), Lot(BOX, GREY, GREY_DICE)]
    return tuple(lots)


def open_bank(table: Table) -> None:
    """Put the notes that three rounds do not need into the bank, before round 1 (M4)."""
    if table.state.round == 1 and tile_count(table.state.options):
        table.draw_notes(BANK, count=BANK_NOTES)


def hand_out_chips(table: Table) -> None:
    for seat in range(len(table.state.seats)):
        table.pay_chips(seat, CHIPS)


def pass_choices(state: State, seat: int) -> tuple[str, ...]:
    return ("pass",) if state.chips_of(seat) else ()


def pass_label(state: State, seat: int, choice: str) -> str:
    return Text("Pay one chip and keep all your dice")


def pass_turn(table: Table, seat: int, choice: str) -> None:
    table.take_chips(seat, 1)


PASS = Offer(pass_choices, pass_label, pass_turn, rule="000 THE CHIPS, D10")


def _set_up(lay: SetUp) -> tuple[SetUp, ...]:
    return stocking.ranked_pairs, open_bank, hand_out_chips, lay, neutral.scatter


def _steps(sides: tuple[Tile, ...], paying: dict[str, StepWork]) -> dict[str, StepWork]:
    tiles = (tile.steps for tile in sides)
    return join_unique(rounds.STEPS, dice_turn.STEPS, paying, activation.STEPS, *tiles)


def royale(sides: tuple[Tile, ...]) -> tuple[Ruleset, ...]:
    """The edition with these tiles, in all its releases."""
    tiles = merge_unique((tile.code, tile) for tile in sides)
    prompts = (tile.prompts_among(tiles) for tile in sides)
    first = Ruleset(
        id="royale",
        release=1,
        title="Las Vegas Royale",
        text="A big die, chips to pass with, and tiles beside the casinos that pay, close doors and block.",
        seats=(2, 5),
        rounds=3,
        casinos=("Miracle", "Oasis", "Fortuna", "Starlight", "Cleopatra", "Sunset"),
        notes=NOTES,
        options=(*laying.options(tiles), *COMMON),
        dice=dice,
        set_up=_set_up(lay_tiles(FIRST_BOX)),
        stock_fault=stocking.check_count(stocking.PAIR),
        turns="turns",
        next_starter=rounds.holder,
        standing=ranking.standing_at,
        sources=Sources(
            book="000",
            set_up="000 GAME SETUP, M3",
            restock="000 SECOND AND THIRD ROUND, M3",
            turn="000 PLAYING THE GAME, D1",
            ties="000 PAYOUT, D2",
            payout="000 PAYOUT, D2, D8",
            leftovers="000 PAYOUT, M3",
            next_start="000 SECOND AND THIRD ROUND, P4",
            result="000 END OF THE GAME, P6",
            starts_by="last_winner",
            neutral="000 VARIANT",
            bank="000 GAME SETUP, M4",
            chips="000 GAME SETUP, M5",
            more_chips="000 SECOND AND THIRD ROUND, M5",
            tie_breaker="notes_and_chips",
        ),
        paid=rounds.move_to_winner,
        how_to_play=(
            "There are six casinos with the numbers 1 to 6. Win as much money as you can there in three "
            "rounds.",
            "Each player has seven small dice and a big one, which counts as two. At the start of a round "
            "six pairs of notes are drawn: the more a pair is worth, the higher the number of its casino.",
            dice_turn.HOW_TO_PLAY,
            "Each round every player gets two chips. On your turn you may pay one of them, keep all your "
            "dice and place none. A chip that you keep is worth $10,000 at the end.",
            "Beside some casinos lies a tile. A player who places dice at such a casino activates its tile.",
            "With two players a neutral set of dice is rolled at the start of each round and put on the "
            "casinos, for an imaginary player who can win notes, too.",
            payout.HOW_TO_PLAY,
            "Notes that are left go below the pile. The winner of casino 6 starts the next round; if no "
            "player won there, the winner of casino 5, and so on.",
            "After the last round the most money wins. If several have the same, notes and chips are "
            "counted.",
        ),
        extensions=(bank.EXTENSION,),
        steps=_steps(sides, payout.STEPS_COUNTING_LATE),
        prompts=join_unique(
            dice_turn.prompts("000 PLAYING THE GAME, T-E1", {"place": dice_turn.PLACE, "pass": PASS}),
            *prompts,
        ),
        find_notes=bank.without_change,
        tiles=tiles,
        first_tiles=FIRST_BOX,
    )
    second = replace(
        first,
        release=2,
        set_up=_set_up(lay_tiles()),
        tiles_out=laying.take_out,
        find_notes=bank.with_change,
        steps=_steps(sides, payout.STEPS),
    )
    return first, second


ROYALE = royale(TILES)
