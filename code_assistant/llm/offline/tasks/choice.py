"""The plan for each task that a sub-agent may have."""

from __future__ import annotations

from typing import assert_never

from code_assistant.llm.offline.briefs import FindTask, FolderTask, ProjectTask, SymbolTask, Task, TopicTask
from code_assistant.llm.offline.steps import Plan
from code_assistant.llm.offline.tasks.find import find_in_folder
from code_assistant.llm.offline.tasks.folder import folder_plan
from code_assistant.llm.offline.tasks.project import project_plan
from code_assistant.llm.offline.tasks.symbol import symbol_in_folder
from code_assistant.llm.offline.tasks.topic import topic_in_folder


def task_plan(task: Task) -> Plan:
    match task:
        case FolderTask(folder, is_flat):
            return folder_plan(folder, is_flat=is_flat)
        case ProjectTask(files):
            return project_plan(files)
        case SymbolTask(name, folder):
            return symbol_in_folder(name, folder)
        case FindTask(text, folder):
            return find_in_folder(text, folder)
        case TopicTask(folder, words):
            return topic_in_folder(folder, words)
        case _:
            assert_never(task)
