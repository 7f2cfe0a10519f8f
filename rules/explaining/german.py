"""Facts in German."""

from __future__ import annotations

from rules.about import DiceToPlace
from rules.explaining.language import Language

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


def _count(number: int) -> str:
    return _NUMBERS[number] if 1 < number < len(_NUMBERS) else str(number)


def _chips(number: int) -> str:
    return "einen Chip" if number == 1 else f"{_count(number)} Chips"


def _dice(dice: DiceToPlace) -> str:
    parts = ["einen Würfel" if dice.small == 1 else f"{_count(dice.small)} Würfel"] * bool(dice.small)
    parts += ["den großen Würfel"] * bool(dice.big)
    neutral = "einen neutralen Würfel" if dice.neutral == 1 else f"{_count(dice.neutral)} neutrale Würfel"
    return GERMAN.join([*parts, *[neutral] * bool(dice.neutral)])


def _dollars(amount: int) -> str:
    return f"{amount:,} $".replace(",", ".")


GERMAN = Language(
    sentences={
        "created": "{text} wird für {number} Personen aufgebaut.",
        "sat_down": "{who} setzt sich.",
        "left": "{who} geht, der Platz ist wieder frei.",
        "left+text": "{who} geht; dort antwortet {text}.",
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
        "placed": "{who} legt {dice} auf {casino}.",
        "placed+tile": "{who} legt {dice} auf {casino} und löst {tile} aus.",
        "dice_added": "{casino} bekommt {dice} von {who}.",
        "dice_taken": "{casino} gibt {dice} von {who} ab.",
        "dice_aside": "Von {who} kommen {dice} neben die Casinos.",
        "dealt": "{who} zieht neue Karten.",
        "dealt+laid": "{who} zieht {laid}.",
        "cards_played": "{who} legt {laid} aus.",
        "chip_card_laid": "{casino} bekommt eine Chipkarte: {laid}.",
        "chip_card": "{who} nimmt eine Chipkarte von {casino}: {laid}.",
        "tile_laid": "{tile} liegt an {casino}.",
        "token": "Der Marker von {tile} liegt auf seinem Plättchen.",
        "token+casino": "Der Marker von {tile} geht zu {casino}.",
        "counter": "{tile} rückt vor auf {number}.",
        "closed": "{casino} ist geschlossen.",
        "opened": "{casino} ist wieder offen.",
        "chose": "{who} entscheidet: „{text}“.",
        "chose+tile": "{who} entscheidet bei {tile}: „{text}“.",
        "sealed": "{who} hat verdeckt gewählt.",
        "revealed": "{who} hatte {text} gewählt.",
        "stocked": "{money} werden ausgelegt.",
        "stocked+casino": "{casino} bekommt {money}.",
        "tied": "{casino}: {tied} haben gleich viel, je {weight}, und nehmen ihre Würfel zurück.",
        "won": "{casino}: {who}, mit {weight} auf dem {rank} Platz, bekommt {money}.",
        "left_over": "{casino}: Für {money} ist niemand mehr da.",
        "paid": "Die Bank zahlt {who} {paid}.",
        "paid+tile": "{tile} zahlt {who} {paid}.",
        "owed": "{who} zahlt der Bank {paid}.",
        "owed+tile": "{who} zahlt der Bank {paid} für {tile}.",
        "round_over": "Runde {number} ist zu Ende: {totals}.",
        "over": "Das Spiel ist aus: {totals}. {winners} gewinnt.",
        "over+several": "Das Spiel ist aus: {totals}. {winners} gewinnen gemeinsam.",
        "broken_off": "Das Spiel endet ohne Sieger: {end}.",
    },
    starts={
        "drawn": "das Los hat entschieden",
        "named": "so wurde der Tisch aufgebaut",
        "left": "der Anfang wandert nach links",
        "last_roll": "der letzte Wurf der vorigen Runde kam von dort",
        "last_winner": "dorthin ging die höhere Karte des letzten Casinos, das jemand gewonnen hat",
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
    ranks=("ersten", "zweiten", "dritten", "vierten", "fünften", "sechsten", "siebten", "achten"),
    seat="Platz {}",
    casino="Casino {}",
    extra_casino="der Einarmige Bandit",
    conjunction="und",
    nothing="nichts",
    chips=_chips,
    dice=_dice,
    dollars=_dollars,
)
