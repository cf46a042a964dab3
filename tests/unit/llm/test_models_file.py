"""Models files: what they may say, how they are laid over each other, and what is said about a mistake."""

from __future__ import annotations

import tomllib

import pytest

from code_assistant.errors import UsageError
from code_assistant.llm.catalogue import Catalogue
from code_assistant.messages import Usage
from tests.rows import each_row


def laid(*texts: str) -> Catalogue:
    return Catalogue([(f"file {number}", tomllib.loads(text)) for number, text in enumerate(texts, 1)])


def test_a_model_and_a_provider_of_ones_own() -> None:
    catalogue = laid(
        """
        [providers.company]
        kind = "openai"
        base_url = "https://models.example.org/v1"
        key_variable = "COMPANY_KEY"

        [models.coder]
        provider = "company"
        id = "coder-70b"
        context_window = 65536
        aliases = ["c"]
        prices = [{ input = 1, output = 2 }]
        """
    )
    coder = catalogue.find("c")
    assert (coder.name, coder.id, coder.context_window) == ("coder", "coder-70b", 65536)
    assert catalogue.provider_of(coder).key_variable == "COMPANY_KEY"
    assert coder.cost(Usage(input=1_000_000, output=1_000_000)) == 3
    assert catalogue.find("company/other").provider == "company"


def test_a_later_file_says_only_what_is_different() -> None:
    before = Catalogue().find("opus")
    after = laid("[models.claude-opus-5-5]\nprices = [{ input = 1, output = 1 }]").find("opus")
    assert after.prices[0].input == 1
    assert (after.context_window, after.thinking) == (before.context_window, before.thinking)


def test_the_address_of_a_known_provider() -> None:
    catalogue = laid('[providers.ollama]\nbase_url = "http://127.0.0.1:9999/v1"')
    assert catalogue.providers["ollama"].base_url == "http://127.0.0.1:9999/v1"
    assert catalogue.providers["ollama"].title == "Ollama"


@each_row(
    ("text", "words"),
    [
        ("[models.x]\ncontext_window = 5", "file 1: models.x needs a provider: anthropic"),
        ('[models.x]\nprovider = "nobody"', "there is no provider 'nobody'"),
        (
            '[models.x]\nprovider = "openai"\nwindow = 5',
            "no key models.x.window. Did you mean context_window?",
        ),
        ('[models.x]\nprovider = "openai"\ncontext_window = 0', "models.x.context_window"),
        ('[models.x]\nprovider = "openai"\nprices = [{ input = -1, output = 1 }]', "models.x.prices.0.input"),
        ('[models.x]\nprovider = "openai"\nprices = [{ input = 1, out = 1 }]', "models.x.prices.0.out"),
        ('[providers.x]\ntitle = "X"', 'providers.x needs a kind: "openai" or "anthropic"'),
        ('[providers.x]\nkind = "openai"', "providers.x needs a base_url"),
        ('[providers.x]\nkind = "openai"\nbase_url = "ftp://x"', "providers.x.base_url"),
        ('[providers.x]\nkind = "openai"\nbase_url = "http://me:secret@x/v1"', "providers.x.base_url"),
        ('[providers.x]\nkind = "openai"\nbase_url = "http://x"\nkey = "sk-1"', "there is no key providers.x.key"),
        ('[model.x]\nprovider = "openai"', "there is no key model. Did you mean models?"),
    ],
)
def test_mistakes_are_named(text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        laid(text)
    assert words in caught.value.person
    assert "sk-1" not in caught.value.person


def test_what_is_found_later_does_not_replace_what_is_described() -> None:
    catalogue = laid('[models."ollama/qwen3"]\nprovider = "ollama"\nid = "qwen3"\ncontext_window = 5000')
    catalogue.add(Catalogue().find("ollama/qwen3"))
    assert catalogue.find("ollama/qwen3").context_window == 5000
