"""Telling questions in other languages from English ones, by the small words that every question has."""

from __future__ import annotations

import re

from code_assistant.llm.offline.stop_words import STOP_WORDS

# Spanish, Portuguese, French, Italian, German, Dutch, Danish/Norwegian/Swedish, Polish.
_WORDS = """
    el la los las un una unos unas de del al que qué y en es se son con por para como cómo donde dónde cual cuál
    cuáles quién cuando cuándo esta este esto está están hay lo su sus mi hace haz muestra explica guarda funciona
    o os um uma uns umas do da dos das no na nos nas em é são com onde quem quando qual quais está este isto há mostra
    le les des du au aux et où est sont qui que quoi quel quelle quels quelles comment pourquoi ce cette ces dans pour
    avec sur une il elle montre explique
    il lo gli i di del della dei delle che e è sono dove come chi quale quali cosa perché questo questa nel nella
    mostra funziona
    der die das den dem des ein eine einen einem einer und oder ist sind wird werden wo wie was wer warum welche welcher
    welches wann nicht mit von zu zum zur im auf für gibt es mir diese dieser dieses hier bitte zeige erkläre
    het een en van is zijn waar hoe wat wie waarom welke wanneer met voor op niet deze dit naar wordt worden toon
    og eller er det den et af hvor hvordan hvad hva hvem hvorfor vad var är och att på med för som til till ikke inte
    gdzie jak co kto dlaczego jest są który która które kiedy czy nie w z na do dla się pokaż
"""
_FOREIGN = frozenset(_WORDS.split()) - STOP_WORDS
_LETTERS = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")


def is_foreign(question: str) -> bool:
    """Whether more of its small words are of another language than of English, or most words have other letters."""
    words = [word.lower() for word in _LETTERS.findall(question)]
    strange = sum(_LATIN.match(word) is None for word in words)
    foreign = sum(word in _FOREIGN for word in words)
    return strange * 2 > len(words) or foreign > sum(word in STOP_WORDS for word in words)


def is_small_foreign_word(word: str) -> bool:
    return all(part in _FOREIGN for part in word.lower().split("-"))
