"""Facts in German."""

from __future__ import annotations

from msgspec import UNSET

from rules.explain.language import Language
from rules.prompt import DiceToPlace

_NUMBERS = (
    "kein",
    "ein",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
)


_COLOURS = {"neutral": "neutral", "grey": "grau", "black": "schwarz"}


def _count(number: int) -> str:
    return _NUMBERS[number] if 1 < number < len(_NUMBERS) else str(number)


def _chips(number: int) -> str:
    return "einen Chip" if number == 1 else f"{_count(number)} Chips"


def _card_set(colour: str, number: int, worth: int) -> str:
    cards = "eine Karte" if number == 1 else f"{_count(number)} Karten"
    return f"{_dollars(worth)} für {cards} ({colour})"


def _dice(dice: DiceToPlace) -> str:
    colour = "" if dice.owner is UNSET else _COLOURS[dice.owner]
    parts = []
    if dice.small:
        parts.append(_some_dice(dice.small, colour))
    if dice.big:
        parts.append("den großen Würfel")
    if dice.neutral:
        parts.append(_some_dice(dice.neutral, "neutral"))
    return GERMAN.join(parts)


def _some_dice(number: int, colour: str) -> str:
    if number == 1:
        return f"einen {colour}en Würfel" if colour else "einen Würfel"
    return f"{_count(number)} {colour}e Würfel" if colour else f"{_count(number)} Würfel"


def _dollars(amount: int) -> str:
    return f"{amount:,} $".replace(",", ".")


GERMAN = Language(
    sentences={
        "created": "{text} wird für {number} Personen aufgebaut.",
        "sat_down": "{who} setzt sich.",
        "left": "{who} geht, der Platz ist wieder frei.",
        "left+text": "Von jetzt an antwortet {text} für {who}.",
        "gone": "{who} geht für immer; der Platz gehört von jetzt an {text}.",
        "timeout": "Die Zeit von {who} ist um, und {text} antwortet stattdessen.",
        "away": "{who} ist nicht da, und {text} antwortet stattdessen.",
        "returned": "{who} ist wieder da.",
        "wants_void": "{who} möchte das Spiel ohne Sieger beenden.",
        "wants_on": "{who} möchte weiterspielen.",
        "rematch": "Sie spielen noch einmal: {text}.",
        "forked": "Von hier an spielen andere für sich; bis hierher war es Version {number} von {text}.",
        "started": "Alles kommt aus der Schachtel: Scheine für {money}.",
        "round": "Runde {number} beginnt.",
        "round+who": "Runde {number} beginnt, und {who} fängt an: {start}.",
        "turn": "{who} ist am Zug.",
        "rolled": "Vor dem ersten Zug zeigen die übrigen Würfel {faces}.",
        "rolled+who": "{who} würfelt {faces}.",
        "black_roll": "Die schwarzen Würfel zeigen {faces}.",
        "black_roll+who": "{who} wirft die schwarzen Würfel: {faces}.",
        "placed": "{who} legt {dice} auf {casino}.",
        "placed+tile": "{who} legt {dice} auf {casino} und löst {tile} aus.",
        "dice_added": "{who} legt {dice} auf {casino}.",
        "dice_added+imaginary": "{casino} bekommt {dice}.",
        "dice_pushed": "{who} muss {tile} räumen: {casino} bekommt {dice}.",
        "dice_taken": "{who} nimmt {dice} von {casino} zurück.",
        "dice_taken+imaginary": "{casino} verliert {dice}.",
        "dice_moved": "{who} legt {dice} von {casino} auf {tile}.",
        "dice_aside": "{who} legt {dice} auf {tile}.",
        "dice_aside+imaginary": "{tile} bekommt {dice}.",
        "dice_home": "{who} bekommt {dice} von {tile} zurück.",
        "dice_given": "{who} bekommt {dice}.",
        "dealt": "{who} zieht neue Karten.",
        "dealt+laid": "{who} zieht {laid}.",
        "cards_played": "{who} legt {laid} aus.",
        "chip_card_laid": "{casino} bekommt eine Chipkarte: {laid}.",
        "chip_card": "{who} nimmt eine Chipkarte von {casino}: {laid}.",
        "chip_cards_count": "{who} hat keine Chipkarten zu zählen.",
        "chip_cards_count+laid": "{who} bekommt {worth} für Chipkarten: {sets}.",
        "tile_laid": "{tile} liegt an {casino}.",
        "token": "Der Marker von {tile} liegt auf seinem Plättchen.",
        "token+casino": "Der Marker von {tile} geht zu {casino}.",
        "token_taken": "{who}, mit {weight} auf {casino}, nimmt den Marker von {tile}.",
        "token_back": "{who} führt auf {casino} nicht mehr, und der Marker von {tile} geht zurück.",
        "counter": "Der Zähler von {tile} steht auf {number}.",
        "counter+worth": "Der Zähler von {tile} steht auf {worth}.",
        "fewest": "{who} hat auf {casino} am wenigsten Würfel, {weight}, und muss für {tile} zahlen.",
        "closed": "{casino} ist geschlossen.",
        "opened": "{casino} ist wieder offen.",
        "chose": "{who} entscheidet: „{text}“.",
        "chose+tile": "{who} entscheidet bei {tile}: „{text}“.",
        "sealed": "{who} hat verdeckt gewählt.",
        "revealed": "{who} hatte gewählt: „{text}“.",
        "stocked": "{money} werden ausgelegt.",
        "stocked+casino": "{casino} bekommt {money}.",
        "tied+tile": "{tile}: {tied} haben gleich viel, je {weight}, und scheiden aus.",
        "tied": "{casino}: {tied} haben gleich viel, je {weight}, und scheiden aus.",
        "won": "{casino}: {who}, mit {weight} auf dem {rank} Platz, bekommt {money}.",
        "won+pips": "{casino}: {who}, mit {weight} und {pips} Augen auf dem {rank} Platz, bekommt {money}.",
        "won+highest": "{casino}: {who}, mit {weight}, {pips} Augen und einer {number} auf dem {rank} Platz, "
        "bekommt {money}.",
        "won+imaginary": "{casino}: {who} gewinnen mit {weight} auf dem {rank} Platz {money} für niemanden.",
        "left_over": "{casino}: Für {money} ist niemand mehr da.",
        "paid": "Die Bank zahlt {who} {paid}.",
        "paid+tile": "{tile} zahlt {who} {paid}.",
        "paid+rank": "{tile} zahlt {who}, dort mit {weight} auf dem {rank} Platz, {paid}.",
        "owed": "{who} zahlt der Bank {paid}.",
        "owed+tile": "{who} zahlt der Bank {paid} für {tile}.",
        "round_over": "Runde {number} ist zu Ende: {totals}.",
        "round_over+text": "Runde {number} ist zu Ende: {totals}, mit Chipkarten, als wäre es die letzte.",
        "over": "Das Spiel ist aus: {totals}. {winners} gewinnt.",
        "over+several": "Das Spiel ist aus: {totals}. {winners} gewinnen gemeinsam.",
        "over+level": "Das Spiel ist aus: {totals}. {level} haben gleich viel Geld, also entscheidet die "
        "Zahl der {breaker}: {counts}. {winners} gewinnt.",
        "over+level_several": "Das Spiel ist aus: {totals}. {level} haben gleich viel Geld, also entscheidet "
        "die Zahl der {breaker}: {counts}. {winners} gewinnen gemeinsam.",
        "broken_off": "Das Spiel endet ohne Sieger: {end}.",
    },
    starts={
        "drawn": "das Los hat entschieden",
        "named": "so wurde der Tisch aufgebaut",
        "left": "der Anfang wandert nach links",
        "last_roll": "der letzte Wurf der vorigen Runde kam von dort",
        "last_winner": "dorthin ging der höhere Schein des letzten Casinos, das jemand gewonnen hat",
        "stayed": "niemand hat einen höheren Schein gewonnen, also bleibt es dabei",
    },
    ends={
        "not_filled": "für die freien Plätze kam niemand",
        "abandoned": "alle waren verstummt",
        "cancelled": "es wurde abgesagt",
        "voided": "alle waren einverstanden",
    },
    imaginary={
        "neutral": "die neutralen Würfel",
        "grey": "die grauen Würfel",
        "black": "die schwarzen Würfel",
    },
    colours={"pink": "rosa", "blue": "blau", "green": "grün", "red": "rot"},
    ranks=("ersten", "zweiten", "dritten", "vierten", "fünften", "sechsten", "siebten", "achten"),
    seat="Platz {}",
    casino="Casino {}",
    extra_casino="der Einarmige Bandit",
    conjunction="und",
    nothing="nichts",
    change="({} gibt {} und bekommt {})",
    big_die="{} mit dem großen Würfel",
    neutral_die="{} mit einem neutralen Würfel",
    neutral_dice="{} mit neutralen Würfeln",
    erased="Unbekannt (gelöscht)",
    tie_breakers={"notes": "Scheine", "notes_and_chips": "Scheine und Chips"},
    card_set=_card_set,
    chips=_chips,
    dice=_dice,
    dollars=_dollars,
)
