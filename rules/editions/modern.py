"""Las Vegas, the new edition with the big die and the one-armed bandit."""

from __future__ import annotations

from events.values import BOX, NEUTRAL, OWNER, SUPPLY, Lot
from rules.mechanics import bandit, dice_turn, neutral, payout, ranking, rounds, stocking
from rules.options import COMMON
from rules.ruleset import Options, Ruleset, Sources, join_unique

_COUNTS = {10: 4, 20: 4, 30: 5, 40: 5, 50: 6, 60: 6, 70: 6, 80: 4, 90: 4, 100: 4}
NOTES = tuple(thousands * 1_000 for thousands, count in _COUNTS.items() for _ in range(count))
SMALL = 6
BIG = 1
NOTES_EACH = 2


def neutral_each(players: int) -> int:
    """Three, two or one for two, three or four players (D9)."""
    return 5 - players


def dice(players: int, options: Options) -> tuple[Lot, ...]:
    own = tuple(Lot(SUPPLY[seat], OWNER[seat], SMALL, big=BIG) for seat in range(players))
    white = Lot(BOX, NEUTRAL, players * neutral_each(players))
    return (*own, white) if neutral.OPTION.value_in(options) else own


_FIRST = Ruleset(
    id="modern",
    release=1,
    title="Las Vegas (new edition)",
    text="Six dice and a big one each, two notes at every casino, three rounds.",
    seats=(2, 6),
    rounds=3,
    casinos=("Lucky Horseshoe", "Neon Cactus", "Blue Moon", "Silver Spur", "Grand Canyon", "Eldorado"),
    notes=NOTES,
    options=(neutral.OPTION, bandit.OPTION, *COMMON),
    dice=dice,
    set_up=(stocking.each(NOTES_EACH), bandit.stock, neutral.deal(neutral_each)),
    stock_fault=stocking.check_count(NOTES_EACH),
    turns="turns",
    next_starter=rounds.last_to_roll,
    standing=ranking.standing_at,
    sources=Sources(
        book="002",
        set_up="002 OVERVIEW, M2",
        restock="002 THE NEXT ROUND, M2",
        turn="002 HOW TO PLAY, D1",
        ties="002 HOW TO PLAY, D2",
        payout="002 HOW TO PLAY, D2, D8",
        leftovers="002 HOW TO PLAY, M2",
        next_start="002 THE NEXT ROUND, P5",
        result="002 END OF THE GAME, P6",
        starts_by="last_roll",
        extra="002 ONE-ARMED BANDIT VARIANT, D6",
        neutral="002 VARIANT FOR TWO TO FOUR PLAYERS",
    ),
    leftovers=BOX,
    bandit=bandit.NAME,
    extensions=(bandit.EXTENSION,),
    after_payout=(bandit.pay,),
    how_to_play=(
        "There are six casinos with the numbers 1 to 6. Win as much money as you can there in three rounds.",
        "Each player has six small dice and a big one, which counts as two. At the start of a round each "
        "casino gets two notes.",
        dice_turn.HOW_TO_PLAY,
        payout.HOW_TO_PLAY,
        "Notes that are left are out of the game. The player who rolled last starts the next round.",
        rounds.HOW_TO_WIN,
    ),
    steps=join_unique(rounds.STEPS, dice_turn.STEPS, payout.STEPS),
    prompts=dice_turn.prompts("002 HOW TO PLAY, D5", {"place": dice_turn.PLACE, "bandit": bandit.PLACE}),
)

MODERN = (_FIRST,)
