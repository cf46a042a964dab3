"""Wider questions: what comes first, what is quoted from where, and questions that are not understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.offline.support import checked, exploring, references, written
from tests.fakes.server import ScriptedServer

REPOSITORY = Path(__file__).parents[3]


async def test_the_rare_word_decides(server: ScriptedServer) -> None:
    async with exploring(server, REPOSITORY) as harness:
        answer = checked(await harness.ask("is there a test for compaction?"), REPOSITORY)
    assert "Named after `compaction…` and `test…`: `tests/agent/test_compaction.py`" in answer
    assert references(answer, REPOSITORY)[0][0] == "tests/agent/test_compaction.py"


async def test_a_quote_has_the_line_it_stands_on(server: ScriptedServer, tmp_path: Path) -> None:
    files = {
        "shop/tax.py": '"""Computation of money."""\n\n\n\ndef tax_rate():\n    pass\n',
        "shop/pay.py": '"""Paying."""\n\nx = "a tax"\n',
        "shop/tax_notes.md": "# Tax notes\n\nNone.\n",
    }
    folder = written(tmp_path, files)
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask("how does tax work?"), folder)
    assert "`shop/tax.py:5` defines `tax_rate` · “Computation of money.” (line 1)" in answer
    assert '`shop/pay.py:3` `x = "a tax"` · “Paying.” (line 1)' in answer
    assert "`shop/tax_notes.md:1` “Tax notes”" in answer


@pytest.mark.parametrize("question", ["how does the widget work?", "is there a widget thing?"])
async def test_a_file_at_the_top_is_not_forgotten(server: ScriptedServer, tmp_path: Path, question: str) -> None:
    files = {f"{part}/m{number}.py": "x = Widget()\n" for part in ("shop", "store") for number in range(12)}
    folder = written(tmp_path, {**files, "widget.py": "class Widget:\n    pass\n"})
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask(question), folder)
    assert references(answer, folder)[0][:2] == ("widget.py", 1)


async def test_names_that_fit_into_no_pattern_are_searched_too(server: ScriptedServer, tmp_path: Path) -> None:
    folder = written(tmp_path, {"a b/{x,y}.py": "y = 1\nx = 'tax'\n", "[id]/p.py": "\n\ntax = 3\n", "c.py": "tax\n"})
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask("how does tax work?"), folder)
    assert "`a b/{x,y}.py:2`" in answer
    assert "`[id]/p.py:3`" in answer
    assert "p.py" in answer and "`c.py:1`" in answer


async def test_short_words_are_not_searched_as_beginnings(server: ScriptedServer, tmp_path: Path) -> None:
    folder = written(tmp_path, {"a.py": "self.label = settings\n", "b.py": "compute_la(se)\n"})
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask("does la work with se?"), folder)
    assert "`la` in 1 file, `se` in 1 file" in answer
    assert "b.py" in answer and "a.py" not in answer


async def test_a_question_that_is_not_english(server: ScriptedServer, tmp_path: Path) -> None:
    folder = written(tmp_path, {"a.py": "self.label = settings\n", "b.py": "class RateGate:\n    pass\n"})
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask("¿Dónde se guarda la clave?"), folder)
        assert "only questions in English" in answer
        assert "*Where is main defined and used?*" in answer
        assert not references(answer, folder)
        # A name is a name in every language.
        answer = checked(await harness.ask("Wo ist der RateGate definiert?"), folder)
        assert "only questions in English" in answer
        assert "`b.py:1` defines `RateGate`" in answer
