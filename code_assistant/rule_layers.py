"""The rules that a session begins with: of the command line, the person's own files and the project's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from code_assistant.cli import Arguments
from code_assistant.config.folder_trust import FolderTrust
from code_assistant.config.paths import config_folder, home_folder
from code_assistant.config.rule_files import LoadedRules, load_own_rules, load_project_rules
from code_assistant.errors import UsageError
from code_assistant.permissions.listed_rules import KEPT_EVERYWHERE, KEPT_HERE, RULE_LISTS
from code_assistant.permissions.path_patterns import Anchors
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.permissions.rule_parsing import parse_rule
from code_assistant.workspace.workspace import Workspace

MOST_WARNINGS = 12


def rule_book(
    arguments: Arguments, environ: Mapping[str, str], trust: FolderTrust, workspace: Workspace
) -> tuple[RuleBook, tuple[str, ...]]:
    """The rules, and what is to be said of those in files. Raises UsageError for a bad rule of the command line."""
    anchors = Anchors(workspace.root, workspace.folders, home_folder(environ))
    book = RuleBook(anchors, arguments.allow, arguments.deny, arguments.ask)
    own = load_own_rules(config_folder(environ), workspace.root, kept_here=KEPT_HERE, kept_everywhere=KEPT_EVERYWHERE)
    of_project = load_project_rules(trust.project, is_trusted=trust.is_trusted)
    warnings = [*_added(book, own, anchors), *_added(book, of_project, replace(anchors, root=trust.project.root))]
    return book, tuple(warnings)


def is_project_rule(text: str, trust: FolderTrust, environ: Mapping[str, str]) -> bool:
    """Whether a rule that stands in a file of the project would be understood."""
    root = trust.project.root
    try:
        parse_rule(text, Anchors(root, (root,), home_folder(environ)))
    except UsageError:
        return False
    return True


def _added(book: RuleBook, loaded: LoadedRules, anchors: Anchors) -> list[str]:
    warnings = list(loaded.warnings)
    for layer in loaded.layers:
        # What denies comes first, also among the warnings.
        bad = [
            warning
            for rule_list in RULE_LISTS
            for warning in book.load(rule_list, layer.lists.get(rule_list, ()), layer.source, anchors)
        ]
        warnings += bad[:MOST_WARNINGS]
        if len(bad) > MOST_WARNINGS:
            warnings.append(f"{layer.source}: {len(bad) - MOST_WARNINGS} more rules are not understood.")
    return warnings
