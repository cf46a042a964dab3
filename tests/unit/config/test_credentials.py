from __future__ import annotations

import pytest

from code_assistant.config.credentials import Credentials
from code_assistant.errors import CredentialError
from tests.rows import each_row


def test_the_key_comes_before_the_token_and_both_are_secrets() -> None:
    variables = {"ANTHROPIC_API_KEY": "key-1", "ANTHROPIC_AUTH_TOKEN": "token-1", "BRAVE_API_KEY": "search-1"}
    both = Credentials.from_environ(variables)
    assert both.chosen == "key-1"
    assert both.search_key == "search-1"
    assert both.secrets() == ("key-1", "token-1", "search-1")
    token = Credentials.from_environ({"ANTHROPIC_AUTH_TOKEN": "token-1"})
    assert (token.get("ANTHROPIC_API_KEY"), token.chosen, token.secrets()) == (None, "token-1", ("token-1",))


@pytest.mark.parametrize("value", ["", " ", "\t\r\n"])
def test_blank_values_count_as_absent(value: str) -> None:
    found = Credentials.from_environ({"ANTHROPIC_API_KEY": value, "ANTHROPIC_AUTH_TOKEN": value})
    assert found == Credentials()
    assert (found.chosen, found.secrets()) == (None, ())


def test_surrounding_blanks_are_stripped() -> None:
    assert Credentials.from_environ({"ANTHROPIC_API_KEY": " key-1\r\n"}).chosen == "key-1"


@each_row("value", ["secret\nx", "secret\x1b[0m", "sécret", "secret\udc80", "secret\x7f"])
@each_row("variable", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "BRAVE_API_KEY"])
def test_safe_k1_impossible_values_are_refused_without_being_repeated(variable: str, value: str) -> None:
    with pytest.raises(CredentialError, match=variable) as caught:
        Credentials.from_environ({variable: value})
    assert "cret" not in str(caught.value)


def test_safe_k1_no_text_form_shows_a_value() -> None:
    credentials = Credentials({"ANTHROPIC_API_KEY": "key-1", "ANTHROPIC_AUTH_TOKEN": "token-1"})
    for text in (repr(credentials), str(credentials), f"{credentials}", f"{credentials!r}", f"{[credentials]}"):
        assert "key-1" not in text
        assert "token-1" not in text
    assert repr(credentials) == "Credentials(ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN)"
    assert repr(Credentials()) == "Credentials(none)"
