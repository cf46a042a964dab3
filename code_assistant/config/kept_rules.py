"""The rules that the person keeps by `/permissions`: one private file, for all folders and for single ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, cast

from code_assistant.config.private_json import PrivateJson

RULES_FILE = "permissions.json"
EVERYWHERE = "permissions"
FOLDERS = "folders"

Lists: TypeAlias = dict[str, list[Any]]


class KeptRules:
    """Folders are named by their real paths. All methods read and write files: in a thread, where time matters."""

    def __init__(self, config_folder: Path) -> None:
        self._kept = PrivateJson(config_folder / RULES_FILE)

    def everywhere(self) -> Lists:
        """Raises UsageError or WorkspaceError where the file cannot be used."""
        return _lists(self._document(), None)

    def of_folder(self, folder: Path) -> Lists:
        return _lists(self._document(), folder)

    def add(self, rule_list: str, text: str, folder: Path | None) -> None:
        """Keep a rule for one folder, or for all of them."""

        def change(rules: list[Any]) -> None:
            if text not in rules:
                rules.append(text)

        self._change(rule_list, folder, change)

    def remove(self, rule_list: str, text: str, folder: Path | None) -> None:
        def change(rules: list[Any]) -> None:
            rules[:] = [each for each in rules if each != text]

        self._change(rule_list, folder, change)

    def replace(self, rule_list: str, before: str, after: str, folder: Path | None) -> None:
        def change(rules: list[Any]) -> None:
            rules[:] = [*(each for each in rules if each not in (before, after)), after]

        self._change(rule_list, folder, change)

    def _change(self, rule_list: str, folder: Path | None, change: Callable[[list[Any]], None]) -> None:
        with self._kept.alone():
            document = self._document()
            change(_list(document, rule_list, folder))
            self._kept.write(document)

    def _document(self) -> dict[str, Any]:
        return self._kept.read(_is_whole, "Correct or remove it.")


def _is_whole(document: dict[str, Any]) -> bool:
    """So that changing one rule loses no other."""
    folders = document.get(FOLDERS, {})
    if not isinstance(folders, dict):
        return False
    tables = [document.get(EVERYWHERE, {}), *cast("dict[str, Any]", folders).values()]
    return all(
        isinstance(table, dict) and all(isinstance(each, list) for each in cast("dict[str, Any]", table).values())
        for table in tables
    )


def _lists(document: dict[str, Any], folder: Path | None) -> Lists:
    if folder is None:
        return document.get(EVERYWHERE, {})
    return document.get(FOLDERS, {}).get(str(folder), {})


def _list(document: dict[str, Any], rule_list: str, folder: Path | None) -> list[Any]:
    table = (
        document.setdefault(EVERYWHERE, {})
        if folder is None
        else document.setdefault(FOLDERS, {}).setdefault(str(folder), {})
    )
    return table.setdefault(rule_list, [])
