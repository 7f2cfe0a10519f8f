"""Las Vegas, the card game."""

from __future__ import annotations

from msgspec.structs import replace

from events.text import Joined, Text
from events.values import BOX, CASINO_NUMBERS
from rules.mechanics import card_turn, chip_cards, payout, ranking, rounds, stocking
from rules.options import COMMON, START_SEAT
from rules.ruleset import Ruleset, Sources, join_unique

# Both counts are inferred: six notes of each value (M7), four single cards and a double of each number (C1).
NOTES = tuple(thousands * 1_000 for thousands in range(30, 101, 10) for _ in range(6))
DECK = tuple(card for number in CASINO_NUMBERS for card in (*(f"{number}",) * 4, f"{number}d"))
NOTES_EACH = 2

UNHEEDED_START = replace(
    START_SEAT, text=Joined((START_SEAT.text, Text("Where all play at once it decides nothing.")), " ")
)


CHIP_CARDS = {
    name: replace(prompt, below=card_turn.still_to_draw) for name, prompt in chip_cards.PROMPTS.items()
}


def decks(players: int) -> tuple[tuple[str, ...], ...]:
    return (DECK,) * players


_FIRST = Ruleset(
    id="cards",
    release=1,
    title="Las Vegas: the card game",
    text="Cards for dice, selected in secret and laid at once, two notes at every casino, four rounds.",
    seats=(2, 5),
    rounds=4,
    casinos=("Joker's Wild", "Two Pair", "Red Velvet", "Four Aces", "High Five", "Royal Flush"),
    notes=NOTES,
    options=(
        card_turn.SEQUENTIAL,
        replace(chip_cards.OPTION, needs=card_turn.SEQUENTIAL.name),
        *(UNHEEDED_START if spec is START_SEAT else spec for spec in COMMON),
    ),
    decks=decks,
    chip_cards=chip_cards.cards,
    set_up=(stocking.each(NOTES_EACH), chip_cards.lay, card_turn.deal),
    stock_fault=stocking.check_count(NOTES_EACH),
    turns="card_turns",
    next_starter=rounds.left_of_starter,
    standing=ranking.standing_at,
    sources=Sources(
        book="004",
        set_up="004 GAME SET-UP, M7",
        restock="004 CASINO PAYOUT, M7",
        turn="004 GAME PLAY, C2",
        ties="004 CASINO PAYOUT, C5",
        payout="004 CASINO PAYOUT, C5",
        leftovers="004 CASINO PAYOUT, M7",
        next_start="004 VARIATION, P5",
        result="004 GAME END, P6",
        starts_by="left",
        in_sequence="004 VARIATION, C6",
        all_at_once="004 GAME PLAY, C12",
    ),
    leftovers=BOX,
    how_to_play=(
        "There are six casinos with the numbers 1 to 6. Win as much money as you can there in four rounds.",
        "Each player has the same 30 cards: of each number from 1 to 6 four cards with one die and one with "
        "two dice. At the start of a round each casino gets two notes.",
        "On your turn you have five cards. Choose one of them, any two, or more that have the same number. "
        "All players choose in secret and show their cards at once. Your cards go to the casinos of their "
        "numbers, the rest of your hand goes under your glass, and you draw five new cards.",
        "After eight placed cards or six turns you are out of the round. It ends when all players are.",
        payout.HOW_TO_PLAY,
        "Notes that are left are out of the game.",
        rounds.HOW_TO_WIN,
    ),
    to_come=card_turn.to_come,
    extensions=(chip_cards.EXTENSION, card_turn.EXTENSION),
    steps=join_unique(rounds.STEPS, card_turn.STEPS, chip_cards.STEPS, payout.STEPS),
    prompts=join_unique(card_turn.PROMPTS, CHIP_CARDS),
)

CARDS = (_FIRST,)
