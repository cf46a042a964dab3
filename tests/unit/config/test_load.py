from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from code_assistant.config.load import LoadedSettings, load_settings
from code_assistant.config.project_files import ProjectFiles, trusted
from code_assistant.config.settings import Settings
from code_assistant.config.text_files import MAX_FILE_BYTES
from code_assistant.errors import AssistantError, UsageError, WorkspaceError
from tests.rows import each_row


class Place:
    """A person's settings folder and a project, both empty at first."""

    def __init__(self, folder: Path) -> None:
        self.user = folder / "config" / "config.toml"
        self.project = folder / "project" / ".code-assistant" / "config.toml"
        self.user.parent.mkdir()
        self.project.parent.mkdir(parents=True)

    def load(
        self,
        *,
        user: str | None = None,
        project: str | None = None,
        environ: Mapping[str, str] | None = None,
        flags: Mapping[str, object] | None = None,
    ) -> LoadedSettings:
        for file, text in ((self.user, user), (self.project, project)):
            if text is not None:
                file.write_text(text, encoding="utf-8")
        return load_settings(
            environ=environ or {},
            project=ProjectFiles(self.project.parent.parent, trusted),
            config_folder=self.user.parent,
            flags=flags or {},
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_defaults_without_any_file(place: Place) -> None:
    loaded = place.load()
    assert loaded.settings == Settings()
    assert loaded.warnings == ()
    assert set(loaded.sources.values()) == {"default"}


def test_each_layer_wins_over_the_ones_before(place: Place) -> None:
    layers = {
        "user": "limits.max_turns = 40",
        "project": "limits.max_turns = 30",
        "environ": {"CODE_ASSISTANT_LIMITS__MAX_TURNS": "50"},
        "flags": {"limits.max_turns": 60},
    }
    expected = [str(place.user), str(place.project), "CODE_ASSISTANT_LIMITS__MAX_TURNS", "flags"]
    for count, source in enumerate(expected, start=1):
        loaded = place.load(**dict(list(layers.items())[:count]))  # type: ignore[arg-type]
        assert loaded.sources["limits.max_turns"] == source
        assert loaded.settings.limits.max_turns == (40, 30, 50, 60)[count - 1]


def test_every_type_from_a_file(place: Place) -> None:
    settings = place.load(
        user="""
        [anthropic]
        transport = "sdk"
        platform = "bedrock"
        base_url = "http://localhost:8080/v1"
        [request]
        thinking = false
        effort = "xhigh"
        connect_timeout_s = 3
        """
    ).settings
    assert (settings.anthropic.transport, settings.anthropic.platform) == ("sdk", "bedrock")
    assert settings.anthropic.base_url == "http://localhost:8080/v1"
    assert (settings.request.thinking, settings.request.effort) == (False, "xhigh")
    assert settings.request.connect_timeout_s == 3.0
    assert type(settings.request.connect_timeout_s) is float


def test_every_type_from_variables(place: Place) -> None:
    settings = place.load(
        environ={
            "CODE_ASSISTANT_REQUEST__MAX_OUTPUT_TOKENS": "1000",
            "CODE_ASSISTANT_REQUEST__THINKING": "Off",
            "CODE_ASSISTANT_REQUEST__CONNECT_TIMEOUT_S": "2.5",
            "CODE_ASSISTANT_ANTHROPIC__AUTH": " x-api-key ",
            "CODE_ASSISTANT_MODEL": "   ",
        }
    ).settings
    assert (settings.request.max_output_tokens, settings.request.thinking) == (1000, False)
    assert (settings.request.connect_timeout_s, settings.anthropic.auth) == (2.5, "x-api-key")
    assert settings.model == "sonnet"


def test_flags_take_typed_values_text_and_none(place: Place) -> None:
    flags = {"limits.max_turns": "7", "request.thinking": False, "request.effort": "", "model": None}
    loaded = place.load(user='request.effort = "low"', flags=flags)
    assert loaded.settings.limits.max_turns == 7
    assert loaded.settings.request.thinking is False
    assert loaded.settings.request.effort == ""
    assert loaded.sources["model"] == "default"


def test_an_unknown_flag_is_an_error_with_the_nearest_key(place: Place) -> None:
    with pytest.raises(UsageError, match=r"no setting request\.efort; did you mean request\.effort\?"):
        place.load(flags={"request.efort": "low"})


def test_the_shared_base_url_variable_wins_over_the_file_and_ours_over_it(place: Place) -> None:
    user = 'anthropic.base_url = "https://file.example"'
    environ = {"ANTHROPIC_BASE_URL": "https://shared.example"}
    loaded = place.load(user=user, environ=environ)
    assert loaded.settings.anthropic.base_url == "https://shared.example"
    assert loaded.sources["anthropic.base_url"] == "ANTHROPIC_BASE_URL"
    environ["CODE_ASSISTANT_ANTHROPIC__BASE_URL"] = "https://ours.example"
    assert place.load(user=user, environ=environ).settings.anthropic.base_url == "https://ours.example"


@pytest.mark.parametrize("platform", ["bedrock", "vertex"])
def test_other_platforms_need_the_sdk(place: Place, platform: str) -> None:
    with pytest.raises(UsageError, match=r"Set anthropic\.transport to sdk"):
        place.load(user=f'anthropic.platform = "{platform}"')
    loaded = place.load(environ={"CODE_ASSISTANT_ANTHROPIC__TRANSPORT": "sdk"})
    assert loaded.settings.anthropic.platform == platform


NEVER = {
    "anthropic.transport": '"sdk"',
    "anthropic.platform": '"vertex"',
    "anthropic.auth": '"x-api-key"',
    "anthropic.base_url": '"https://evil.example"',
    "request.connect_timeout_s": "1",
}


@pytest.mark.parametrize("key", NEVER)
def test_safe_t3_a_project_cannot_set_what_is_the_persons(place: Place, key: str) -> None:
    loaded = place.load(project=f"{key} = {NEVER[key]}")
    assert loaded.settings == Settings()
    assert loaded.warnings == (
        f"{place.project}: {key} is ignored: a project may not set it; set it in your own file.",
    )


@pytest.mark.parametrize("key", ["api_key", "anthropic.api_key", "anthropic.auth_token"])
def test_safe_t3_a_key_in_any_file_is_ignored_and_not_repeated(place: Place, key: str) -> None:
    loaded = place.load(user=f'{key} = "sk-one"', project=f'{key} = "sk-two"')
    assert len(loaded.warnings) == 2
    for file, warning in zip((place.user, place.project), loaded.warnings, strict=True):
        assert str(file) in warning
        assert "ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN only" in warning
        assert "sk-" not in warning


@pytest.mark.parametrize(
    ("key", "user", "project", "result", "ignored"),
    [
        ("request.max_output_tokens", None, 100, 100, False),
        ("request.max_output_tokens", None, 32_001, 32_000, True),
        ("request.max_output_tokens", 500, 1000, 500, True),
        ("request.max_output_tokens", 64_000, 50_000, 50_000, False),
        ("limits.max_turns", None, 5, 5, False),
        ("limits.max_turns", 3, 5, 3, True),
        ("limits.max_turns", 3, 0, 3, True),
        ("limits.max_turns", 3, 3, 3, False),
        ("limits.max_turns", 0, 0, 0, False),
        ("context.max_memory_bytes", 1000, 0, 0, False),
        ("context.max_memory_bytes", 0, 1000, 0, True),
    ],
)
def test_safe_t3_a_project_can_only_lower_limits(
    place: Place, key: str, user: int | None, project: int, result: int, ignored: bool
) -> None:
    loaded = place.load(user="" if user is None else f"{key} = {user}", project=f"{key} = {project}")
    section, name = key.split(".")
    assert getattr(getattr(loaded.settings, section), name) == result
    assert len(loaded.warnings) == ignored
    if ignored:
        assert f"{place.project}: {key} = {project} is ignored: a project may only lower it" in loaded.warnings[0]


def test_numbers_beyond_all_floats_are_compared_too(place: Place) -> None:
    huge = "0x" + "f" * 1500
    assert place.load(user="limits.max_turns = 3", project=f"limits.max_turns = {huge}").warnings
    assert place.load(user=f"limits.max_turns = {huge}", project="limits.max_turns = 4").settings.limits.max_turns == 4


def test_the_person_may_loosen_again_what_a_project_lowered(place: Place) -> None:
    loaded = place.load(project="limits.max_turns = 2", flags={"limits.max_turns": 9})
    assert loaded.settings.limits.max_turns == 9


@pytest.mark.parametrize(
    ("text", "key", "guess"),
    [
        ('request.efort = "low"', "request.efort", "request.effort"),
        ('effort = "low"', "effort", "request.effort"),
        ('[requests]\neffort = "low"', "requests.effort", "request.effort"),
        ("max_turn = 3", "max_turn", "limits.max_turns"),
        ('modell = "opus"', "modell", "model"),
    ],
)
def test_unknown_keys_are_reported_with_the_nearest(place: Place, text: str, key: str, guess: str) -> None:
    loaded = place.load(user=text)
    assert loaded.settings == Settings()
    assert loaded.warnings == (f"{place.user}: unknown key {key} is ignored; did you mean {guess}?",)


def test_unknown_keys_without_a_likeness_point_to_the_document(place: Place) -> None:
    assert place.load(project="[zzz]\n").warnings == (
        f"{place.project}: unknown key zzz is ignored; docs/settings.md lists all of them.",
    )


def test_unknown_variables_are_reported_with_the_nearest(place: Place) -> None:
    loaded = place.load(environ={"CODE_ASSISTANT_REQUEST_EFFORT": "low", "OTHER": "x"})
    assert loaded.warnings == (
        "unknown variable CODE_ASSISTANT_REQUEST_EFFORT is ignored; did you mean CODE_ASSISTANT_REQUEST__EFFORT?",
    )


def test_a_flood_of_unknown_keys_is_bounded(place: Place) -> None:
    text = "\n".join(f"stranger_{number} = 1" for number in range(5000))
    warnings = place.load(project=text).warnings
    assert len(warnings) == 21
    assert warnings[-1].endswith("4980 more unknown keys are ignored.")


def test_strange_key_names_stay_on_one_bounded_line(place: Place) -> None:
    (warning,) = place.load(project=f'"a\\nb{"x" * 500}" = 1').warnings
    assert "\n" not in warning
    assert len(warning) < 300 + len(str(place.project))


def test_empty_sections_and_empty_files_are_fine(place: Place) -> None:
    assert place.load(user="", project="[request]\n[limits]\n").warnings == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("model = 3", "model is 3, but it must be a name without"),
        ('model = ""', 'model is "", but it must be a name'),
        ('model = "a\\nb"', r'model is "a\nb", but it must be a name'),
        ("model = []", "model is a list"),
        ("[model]\nx = 1", "model is a table"),
        ("model = 2024-01-01", "model is a date or time"),
        ('request.effort = "hgih"', 'request.effort is "hgih", but it must be "", "low", "medium"'),
        ("request.thinking = 1", "request.thinking is 1, but it must be true or false"),
        ("request.max_output_tokens = true", "is true, but it must be a whole number from 1 to 1000000"),
        ("request.max_output_tokens = 0", "is 0, but it must be a whole number from 1 to 1000000"),
        ("request.max_output_tokens = 1.5", "is 1.5, but it must be a whole number"),
        ("request.connect_timeout_s = 0", "is 0, but it must be a number above 0"),
        ("request.connect_timeout_s = inf", "is inf, but it must be a number above 0"),
        ("request.connect_timeout_s = nan", "is nan, but it must be a number above 0"),
        ("limits.max_turns = -1", "is -1, but it must be a whole number, 0 or more (0 means no limit)"),
        ("request.max_output_tokens = 0x" + "f" * 900, "is a huge number, but it must be a whole number"),
        ("request.connect_timeout_s = 0x" + "f" * 900, "is a huge number, but it must be a number above 0"),
        ('request = "x"', 'request is "x", but it is a section; write [request]'),
        ("[[request]]", "request is a list, but it is a section"),
        ('anthropic.base_url = "ftp://x"', 'is "ftp://x", but it must be an http:// or https:// address'),
    ],
)
def test_wrong_values_name_file_key_and_what_is_allowed(place: Place, text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        place.load(user=text)
    assert str(caught.value).startswith(f"{place.user}: ")
    assert words in str(caught.value)


def test_wrong_values_in_variables_name_the_variable(place: Place) -> None:
    with pytest.raises(UsageError, match=r'^CODE_ASSISTANT_LIMITS__MAX_TURNS: limits\.max_turns is "many"'):
        place.load(environ={"CODE_ASSISTANT_LIMITS__MAX_TURNS": "many"})
    with pytest.raises(UsageError, match=r"^ANTHROPIC_BASE_URL: "):
        place.load(environ={"ANTHROPIC_BASE_URL": "api.example"})


@pytest.mark.parametrize(
    "address",
    ["", "https://", "https:///x", "http://h:99999", "https://h/ x", "https://h?q", "https://h#f", "https://[x"],
)
def test_addresses_that_cannot_work_are_refused(place: Place, address: str) -> None:
    with pytest.raises(UsageError, match="address"):
        place.load(flags={"anthropic.base_url": address})


def test_safe_k1_the_password_of_an_address_is_not_repeated(place: Place) -> None:
    with pytest.raises(UsageError) as caught:
        place.load(environ={"ANTHROPIC_BASE_URL": "https://ada:hunter2@h.example"})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ('model = "a"\nlimits max = 3', "line 2, column 8"),
        ('model = "a"\nmodel = "b"', "line 2, column"),
        ("model =\n", "line 1, column 8"),
        ('a = 1\nmodel = """x\ny', "line 3, column 2"),
    ],
)
def test_toml_errors_name_file_line_and_column(place: Place, text: str, position: str) -> None:
    for layer, file in (("user", place.user), ("project", place.project)):
        with pytest.raises(UsageError) as caught:
            place.load(**{layer: text})  # type: ignore[arg-type]
        assert str(caught.value).startswith(f"{file} is not valid TOML: ")
        assert position in str(caught.value)
        file.unlink()


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 100_000, "a = " + "9" * 10_000, "a = " + "{b = " * 50_000],
    ids=["arrays", "digits", "tables"],
)
def test_hostile_toml_is_a_usage_error(place: Place, text: str) -> None:
    with pytest.raises(UsageError):
        place.load(project=text)


def test_deeply_nested_unknown_tables_are_one_warning(place: Place) -> None:
    assert len(place.load(project=".".join("a" * 500) + " = 1").warnings) == 1


def test_a_settings_file_that_leads_out_of_the_project_is_refused(place: Place, tmp_path: Path) -> None:
    (tmp_path / "outside.toml").write_text('model = "x"')
    place.project.symlink_to(tmp_path / "outside.toml")
    with pytest.raises(WorkspaceError, match="leads out of the project"):
        place.load()


def test_the_example_in_the_document_loads_without_warnings(place: Place) -> None:
    document = (Path(__file__).parents[3] / "docs" / "settings.md").read_text(encoding="utf-8")
    example = document.split("```toml\n")[1].split("```")[0]
    assert tomllib.loads(example)
    assert place.load(user=example).warnings == ()


def test_loading_settings_imports_nothing_heavy() -> None:
    heavy = "{'difflib', 'pydantic', 'httpx', 'asyncio', 'textual', 'rich', 'anthropic', 'subprocess', 'json'}"
    code = f"import sys, code_assistant.config.load as _; sys.exit(str({heavy} & set(sys.modules)) != 'set()')"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def _file(text: str) -> Callable[[Path], object]:
    return lambda file: file.write_text(text)


@each_row(
    "make",
    [
        *(
            _file(text)
            for text in ("[", f"x = {'[' * 3000}", f"# {'x' * 3000}", "limits = 1", "limits.max_turns = true")
        ),
        *(_file(text) for text in ('model = "x"', "strange = 1", "agents.max_parallel = 32")),
        _file(" " * (MAX_FILE_BYTES + 1)),
        lambda file: file.mkdir(),
        lambda file: file.symlink_to("/etc/hostname"),
        lambda file: file.symlink_to(file),
    ],
)
def test_safe_x1_a_folders_name_adds_no_line_to_what_is_said(make: Callable[[Path], object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shop\ncode-assistant: all is well" / ".code-assistant" / "config.toml"
        file.parent.mkdir(parents=True)
        make(file)
        project = ProjectFiles(file.parent.parent, trusted)
        try:
            said = load_settings(environ={}, project=project, config_folder=Path(folder), flags={}).warnings
        except AssistantError as error:
            said = (str(error),)
        assert said
        assert not any("\n" in each for each in said), said
