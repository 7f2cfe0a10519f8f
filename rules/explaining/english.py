"""Facts in English."""

from __future__ import annotations

from rules.about import DiceToPlace
from rules.explaining.language import Language
from rules.wording import dollars, quantity


def _chips(number: int) -> str:
    return quantity(number, "chip")


def _dice(dice: DiceToPlace) -> str:
    parts = [quantity(dice.small, "die", "dice")] * bool(dice.small) + ["the big die"] * bool(dice.big)
    parts += [quantity(dice.neutral, "neutral die", "neutral dice")] * bool(dice.neutral)
    return ENGLISH.join(parts)


ENGLISH = Language(
    sentences={
        "created": "{text} is set up for {number} players.",
        "sat_down": "{who} sits down.",
        "left": "{who} leaves and the seat is open again.",
        "left+text": "{who} leaves; {text} answers there.",
        "returned": "{who} is back.",
        "wants_void": "{who} wants the game to end without winners.",
        "wants_on": "{who} wants the game to go on.",
        "rematch": "They play again: {text}.",
        "forked": "From here on others play their own game; up to here it was version {number} of {text}.",
        "started": "Everything comes out of the box: notes worth {money}.",
        "round": "Round {number} begins.",
        "round+who": "Round {number} begins, and {who} starts: {start}.",
        "turn": "It is {who}'s turn.",
        "rolled": "Before the first turn the spare dice show {faces}.",
        "rolled+who": "{who} rolls {faces}.",
        "black_roll": "The black dice show {faces}.",
        "placed": "{who} places {dice} on {casino}.",
        "placed+tile": "{who} places {dice} on {casino}, which activates {tile}.",
        "dice_added": "{casino} gets {dice} of {who}.",
        "dice_taken": "{casino} loses {dice} of {who}.",
        "dice_aside": "Of {who}, {dice} moved beside the casinos.",
        "dealt": "{who} draws new cards.",
        "dealt+laid": "{who} draws {laid}.",
        "cards_played": "{who} lays {laid}.",
        "chip_card_laid": "A {laid} chip card is laid at {casino}.",
        "chip_card": "{who} takes a {laid} chip card from {casino}.",
        "tile_laid": "{tile} lies at {casino}.",
        "token": "The token of {tile} lies on its tile.",
        "token+casino": "The token of {tile} goes to {casino}.",
        "counter": "{tile} moves on to {number}.",
        "closed": "{casino} is closed.",
        "opened": "{casino} is open again.",
        "chose": "{who} decides: {text}.",
        "chose+tile": "{who} decides at {tile}: {text}.",
        "sealed": "{who} has chosen, under cover.",
        "revealed": "{who} had chosen {text}.",
        "stocked": "{money} is laid out.",
        "stocked+casino": "{casino} gets {money}.",
        "tied": "{casino}: {tied} are tied with {weight} each and take their dice back.",
        "won": "{casino}: {who}, {rank} with {weight}, gets {money}.",
        "left_over": "{casino}: nobody is left for {money}.",
        "paid": "The bank pays {paid} to {who}.",
        "paid+tile": "{tile} pays {paid} to {who}.",
        "owed": "{who} pays {paid} to the bank.",
        "owed+tile": "{who} pays {paid} to the bank for {tile}.",
        "round_over": "Round {number} is over: {totals}.",
        "over": "The game is over: {totals}. {winners} wins.",
        "over+several": "The game is over: {totals}. {winners} win together.",
        "broken_off": "The game ends without winners: {end}.",
    },
    starts={
        "drawn": "chance has decided",
        "named": "the table was set up so",
        "left": "the start goes on to the left",
        "last_roll": "the last roll of the round before was theirs",
        "last_winner": "theirs was the higher card of the last casino that a player won",
    },
    ends={
        "not_filled": "nobody came for the empty seats",
        "abandoned": "everybody had fallen silent",
        "cancelled": "its host cancelled it",
        "voided": "all people agreed to that",
    },
    imaginary={"neutral": "the neutral player", "grey": "the grey player", "black": "the black dice"},
    ranks=("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"),
    seat="seat {}",
    casino="casino {}",
    extra_casino="the one-armed bandit",
    conjunction="and",
    nothing="nothing",
    chips=_chips,
    dice=_dice,
    dollars=dollars,
)
