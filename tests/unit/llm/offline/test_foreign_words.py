"""Telling other languages from English: by small words or by letters, never by a name."""

from __future__ import annotations

from code_assistant.llm.offline.foreign_words import is_foreign
from tests.rows import each_row


@each_row(
    "question",
    [
        "¿Dónde se guarda la clave?",
        "Wo wird der Schlüssel gespeichert?",
        "Was ist das?",
        "Où est définie la classe Cart ?",
        "Come funziona questo?",
        "Hoe werkt de winkel?",
        "ключ где хранится",
        "密钥在哪里",
    ],
)
def test_other_languages(question: str) -> None:
    assert is_foreign(question)


@each_row(
    "question",
    [
        "how does it die",
        "permission checking",
        "where is der_encoder used",
        "who uses naïve",
        "is a la carte in it",
        "",
    ],
)
def test_english_and_bare_names(question: str) -> None:
    assert not is_foreign(question)
