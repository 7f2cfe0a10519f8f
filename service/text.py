"""Checks text that people write, normalises names, and escapes untrusted text for a terminal."""

from __future__ import annotations

import os
import re
import sys
from unicodedata import category, name, normalize

from events.text import Joined, Text

LONGEST_NAME = 40
LONGEST_ENTROPY = 128
# Some characters are stored as three; old games were created when only those sent were counted.
LONGEST_KEPT_NAME = 3 * LONGEST_NAME
# Controls, bidi marks and overrides, private and other characters that hide in a text or turn it round. All
# of the BMP: beyond it no range is read alike by Python and by ECMAScript with and without its `u` flag, nor
# are surrogates, which the body's reader refuses where they stand alone.
_UNCLEAN = (
    r"\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    r"\ue000-\uf8ff\ufdd0-\ufdef\ufeff\ufff0-\ufffb\ufffe\uffff"
)
# U+2028 and U+2029, told by what they are not: generators write characters of a pattern out, and these two
# end a line of JavaScript.
_LINE_ENDS = r"[^\S\x20\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]"
CLEAN = f"^(?!.*[{_UNCLEAN}])(?!.*{_LINE_ENDS})"
_JOINER = r"[\u200c\u200d]"
# Latin letters and spaces have nothing to join, and one joiner is enough.
_NOT_JOINED = r"[\x00-\u024f\s\u200c\u200d]"
_MISPLACED = f"^{_JOINER}|{_NOT_JOINED}{_JOINER}|{_JOINER}(?:$|{_NOT_JOINED})"
_BLANK = r"\s\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u2800\u3164\ufe00-\ufe0f\uffa0"
CLEAN_NAME = (
    f"{CLEAN}(?!{_JOINER})(?!.*{_NOT_JOINED}{_JOINER})(?!.*{_JOINER}(?:$|{_NOT_JOINED}))(?=.*[^{_BLANK}])"
)
NAME_RULE = (
    "What a person is called. Its length is counted in Unicode code points, as it is sent and as NFC: a "
    "family emoji has seven, and U+0958, which is kept as two, counts twice. "
    "No control characters, no marks or overrides of direction, no private characters; joiners (U+200C, "
    "U+200D) only inside words of scripts that need them and inside emoji; at least one character that can "
    "be seen. It is kept as NFC and without the spaces around it. Beyond the BMP, what would show nothing or "
    "anything (tags outside of flags, private characters) is kept as U+FFFD."
)
_WITHOUT_NAMES = {
    "Cc": Text("(a control character)"),
    "Co": Text("(a private character)"),
    "Cn": Text("(no character)"),
}
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_PLANES = range(0x10000, 0xF0000, 0x10000)
_ENDS_OF_PLANES = "".join(chr(plane + end) for plane in _PLANES for end in (0xFFFE, 0xFFFF))
_HIDDEN_BEYOND = (
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\U000f0000-\U0010ffff"
)
# These choose the form of the character before them.
_SELECTORS = "\U000e0100-\U000e01ef"
_FLAG_OR_HIDDEN = re.compile(
    rf"({_FLAG})|[{_HIDDEN_BEYOND}{_ENDS_OF_PLANES}]|(?<![^\s{_SELECTORS}])[{_SELECTORS}]"
)
_FOUND_UNCLEAN = re.compile(f"[{_UNCLEAN}]|{_LINE_ENDS}")
_FOUND_MISPLACED = re.compile(_MISPLACED)
_FOUND_JOINER = re.compile(_JOINER)
_FITS = re.compile(CLEAN)
_FITS_NAME = re.compile(CLEAN_NAME)


def name_character(character: str) -> str:
    """Return code point and name of a character, as in U+202E RIGHT-TO-LEFT OVERRIDE."""
    known = name(character, "") or _WITHOUT_NAMES.get(category(character), "")
    return Joined(filter(None, (f"U+{ord(character):04X}", known)), " ")


def explain_unclean(text: str) -> str:
    """Return why a text does not match CLEAN."""
    unclean = _FOUND_UNCLEAN.search(text)
    return (
        Text("must not contain {character}", character=name_character(unclean[0]))
        if unclean
        else Text("must be plain text")
    )


def explain_name(text: str) -> str:
    """Return why a text does not match CLEAN_NAME."""
    if _FOUND_UNCLEAN.search(text):
        return explain_unclean(text)
    misplaced = _FOUND_MISPLACED.search(text)
    joiner = misplaced and _FOUND_JOINER.search(misplaced[0])
    if joiner:
        return Text(
            "must not contain {character}, except inside a word or an emoji",
            character=name_character(joiner[0]),
        )
    return Text("must have a visible character")


def keep_name(text: str) -> str:
    """Return the normalised form of a valid name, in which it is stored and shown."""
    shown = _FLAG_OR_HIDDEN.sub(lambda found: found[1] or "\ufffd", normalize("NFC", text))
    return shown.strip()


def find_text_fault(text: str, most: int = LONGEST_ENTROPY) -> str:
    """Return what is wrong with a text that came in no request; empty if nothing is."""
    if len(text) > most:
        return Text("must have at most {most} characters, not {count}", most=most, count=len(text))
    return "" if _FITS.match(text) else explain_unclean(text)


def find_name_fault(text: str) -> str:
    """Return what is wrong with a name in its stored form; empty if nothing is."""
    letters = sum(not category(character).startswith("M") for character in text)
    if letters > LONGEST_NAME or len(text) > LONGEST_KEPT_NAME:
        return Text("must have at most {most} characters, not {count}", most=LONGEST_NAME, count=len(text))
    if not _FITS_NAME.match(text):
        return explain_name(text)
    return "" if keep_name(text) == text else Text("must be in the form in which names are stored")


LONGEST_TEXT = 1_200


def escape(text: str) -> str:
    """Return a text on one line, shortened, without what a terminal obeys: controls, changes of direction."""
    shown = text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
    return "".join(letter if letter.isprintable() else _escape_letter(letter) for letter in shown)


def _escape_letter(letter: str) -> str:
    """Return a character, escaped if a terminal would obey it."""
    return letter.encode("unicode_escape").decode("ascii")


def print_line(text: str) -> None:
    """Print a line as far as the terminal can show it; ignore a reader who has gone away."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except BrokenPipeError:
        # Else the interpreter tries once more as it leaves, and complains.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
