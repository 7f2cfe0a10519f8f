"""Las Vegas, the original of 2012."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from events.values import BOX, NEUTRAL, OWNER, SUPPLY, Lot
from rules.mechanics import chip_cards, dice_turn, neutral, payout, ranking, rounds, stocking
from rules.options import COMMON
from rules.prompt import Prompt
from rules.ruleset import Options, Ruleset, Sources, join_unique

_COUNTS = {10: 6, 20: 8, 30: 8, 40: 6, 50: 6, 60: 5, 70: 5, 80: 5, 90: 5}
NOTES = tuple(thousands * 1_000 for thousands, count in _COUNTS.items() for _ in range(count))
DICE = 8
NEUTRAL_DICE = 8
ENOUGH = 50_000


def neutral_each(players: int) -> int:
    return 4 if players == 2 else 2


def dice(players: int, options: Options) -> tuple[Lot, ...]:
    own = tuple(Lot(SUPPLY[seat], OWNER[seat], DICE) for seat in range(players))
    return (*own, Lot(BOX, NEUTRAL, NEUTRAL_DICE)) if neutral.OPTION.value_in(options) else own


def _prompts(count: Callable[[int, int, int], int]) -> dict[str, Prompt]:
    """`count` says which dice earn chip cards."""
    place = chip_cards.earning(dice_turn.PLACE, count)
    return join_unique(dice_turn.prompts("001 GAMEPLAY, D5", {"place": place}), chip_cards.PROMPTS)


_FIRST = Ruleset(
    id="classic",
    release=1,
    title="Las Vegas (2012)",
    text="Eight dice each, casinos stocked to $50,000, four rounds.",
    seats=(2, 5),
    rounds=4,
    casinos=("Golden Nugget", "Caesar's Palace", "The Mirage", "Sahara", "Luxor", "Circus Circus"),
    notes=NOTES,
    options=(neutral.OPTION, chip_cards.OPTION, *COMMON),
    dice=dice,
    chip_cards=chip_cards.cards,
    set_up=(stocking.until(ENOUGH), chip_cards.lay, neutral.deal(neutral_each)),
    stock_fault=stocking.check_worth(ENOUGH),
    turns="turns",
    next_starter=rounds.left_of_starter,
    standing=ranking.standing_at,
    sources=Sources(
        book="001",
        set_up="001 GAME SETUP, M1",
        restock="001 THE NEXT ROUND, M1",
        turn="001 GAMEPLAY, D1",
        ties="001 GAMEPLAY",
        payout="001 GAMEPLAY",
        leftovers="001 GAMEPLAY, M1",
        next_start="001 THE NEXT ROUND, P5",
        result="001 GAME END, P6",
        starts_by="left",
        neutral="001 VARIANT",
    ),
    extensions=(chip_cards.EXTENSION,),
    how_to_play=(
        "There are six casinos with the numbers 1 to 6. Win as much money as you can there in four rounds.",
        "Each player has eight dice. At the start of a round each casino gets notes until they are worth at "
        "least $50,000.",
        dice_turn.HOW_TO_PLAY,
        payout.HOW_TO_PLAY,
        "Notes that are left go below the pile. The left neighbour of the last starter starts the next "
        "round.",
        rounds.HOW_TO_WIN,
    ),
    steps=join_unique(rounds.STEPS, dice_turn.STEPS, payout.STEPS, chip_cards.STEPS),
    prompts=_prompts(chip_cards.count_own),
)

CLASSIC = (_FIRST, replace(_FIRST, release=2, prompts=_prompts(chip_cards.count_all)))
