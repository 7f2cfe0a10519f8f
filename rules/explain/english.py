"""The sentences about facts, in English: what they are made of in every language."""

from __future__ import annotations

from collections.abc import Mapping

from events.text import Text

# By the kind of a fact, and what else it tells.
SENTENCES: Mapping[str, str] = {
    "created": "{text} is set up for {number} players.",
    "sat_down": "{who} sits down.",
    "left": "{who} leaves and the seat is open again.",
    "left+text": "{text} answers for {who} from now on.",
    "gone": "{who} leaves for good, and {text} has the seat from now on.",
    "timeout": "The time of {who} is over, and {text} answers instead.",
    "away": "{who} is away, and {text} answers instead.",
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
    "black_roll+who": "{who} throws the black dice: {faces}.",
    "placed": "{who} places {dice} on {casino}.",
    "placed+tile": "{who} places {dice} on {casino}, which activates {tile}.",
    "dice_added": "{who} puts {dice} on {casino}.",
    "dice_added+imaginary": "{casino} gets {dice}.",
    "dice_pushed": "{who} has to leave {tile}: {casino} gets {dice}.",
    "dice_taken": "{who} takes {dice} back from {casino}.",
    "dice_taken+imaginary": "{casino} loses {dice}.",
    "dice_moved": "{who} moves {dice} from {casino} to {tile}.",
    "dice_aside": "{who} puts {dice} on {tile}.",
    "dice_aside+imaginary": "{tile} gets {dice}.",
    "dice_home": "{who} gets {dice} back from {tile}.",
    "dice_given": "{who} gets {dice}.",
    "dealt": "{who} draws new cards.",
    "dealt+laid": "{who} draws {laid}.",
    "cards_played": "{who} lays {laid}.",
    "chip_card_laid": "A {laid} chip card is laid at {casino}.",
    "chip_card": "{who} takes a {laid} chip card from {casino}.",
    "chip_cards_count": "{who} has no chip cards to count.",
    "chip_cards_count+laid": "{who} gets {worth} for chip cards: {sets}.",
    "tile_laid": "{tile} lies at {casino}.",
    "token": "The token of {tile} lies on its tile.",
    "token+casino": "The token of {tile} goes to {casino}.",
    "token_taken": "{who}, with {weight} at {casino}, takes the token of {tile}.",
    "token_back": "{who} no longer leads at {casino}, and the token of {tile} goes back to it.",
    "counter": "The counter of {tile} stands at {number}.",
    "counter+worth": "The counter of {tile} stands at {worth}.",
    "fewest": "{who} has the fewest dice at {casino}, {weight}, and has to pay for {tile}.",
    "closed": "{casino} is closed.",
    "opened": "{casino} is open again.",
    "chose": "{who} decides: “{text}”.",
    "chose+tile": "{who} decides at {tile}: “{text}”.",
    "sealed": "{who} has chosen, under cover.",
    "revealed": "{who} had chosen: “{text}”.",
    "stocked": "{money} is laid out.",
    "stocked+casino": "{casino} gets {money}.",
    "tied+tile": "{tile}: {tied} are tied with {weight} each and drop out.",
    "tied": "{casino}: {tied} are tied with {weight} each and drop out.",
    "won": "{casino}: {who}, {rank} with {weight}, gets {money}.",
    "won+pips": "{casino}: {who}, {rank} with {weight} and {pips} pips, gets {money}.",
    "won+highest": "{casino}: {who}, {rank} with {weight}, {pips} pips and a {number}, gets {money}.",
    "won+imaginary": "{casino}: {who}, {rank} with {weight}, wins {money}, which nobody gets.",
    "left_over": "{casino}: nobody is left for {money}.",
    "paid": "The bank pays {paid} to {who}.",
    "paid+tile": "{tile} pays {paid} to {who}.",
    "paid+rank": "{tile} pays {paid} to {who}, {rank} there with {weight}.",
    "owed": "{who} pays {paid} to the bank.",
    "owed+tile": "{who} pays {paid} to the bank for {tile}.",
    "round_over": "Round {number} is over: {totals}.",
    "round_over+text": "Round {number} is over: {totals}, with chip cards as if it were the last.",
    "over": "The game is over: {totals}. {winners} wins.",
    "over+several": "The game is over: {totals}. {winners} win together.",
    "over+level": "The game is over: {totals}. {level} have the same money, so the number of {breaker} "
    "decides: {counts}. {winners} wins.",
    "over+level_several": "The game is over: {totals}. {level} have the same money, so the number of "
    "{breaker} decides: {counts}. {winners} win together.",
    "broken_off": "The game ends without winners: {end}.",
}
# Why a seat starts a round.
STARTS: Mapping[str, str] = {
    "drawn": "chance has decided",
    "named": "the table was set up so",
    "left": "the start goes on to the left",
    "last_roll": "the last roll of the round before was theirs",
    "last_winner": "theirs was the higher note of the last casino that a player won",
    "stayed": "no player won a higher note, so the start stays where it was",
}
# Why a game ended without winners.
ENDS: Mapping[str, str] = {
    "not_filled": "nobody came for the empty seats",
    "abandoned": "everybody had fallen silent",
    "cancelled": "its host cancelled it",
    "voided": "all people agreed to that",
}
IMAGINARY = {
    "neutral": Text("the neutral player"),
    "grey": Text("the grey player"),
    "black": Text("the black dice"),
}
COLOURS = {"pink": Text("pink"), "blue": Text("blue"), "green": Text("green"), "red": Text("red")}
RANKS = (
    Text("first"),
    Text("second"),
    Text("third"),
    Text("fourth"),
    Text("fifth"),
    Text("sixth"),
    Text("seventh"),
    Text("eighth"),
)
# Dice of this owner: one, and several.
DICE = {
    "": ("die", "dice"),
    "neutral": ("neutral die", "neutral dice"),
    "grey": ("grey die", "grey dice"),
    "black": ("black die", "black dice"),
}
# What is counted where money is level.
TIE_BREAKERS = {"notes": Text("notes"), "notes_and_chips": Text("notes and chips")}
EXTRA_CASINO = Text("the one-armed bandit")
NOTHING = Text("nothing")
# A player whose name is gone.
ERASED = "erased player"
