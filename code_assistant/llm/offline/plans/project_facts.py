"""How a project is run and tested, where it begins and what it needs: what its README and manifests say."""

from __future__ import annotations

from code_assistant.llm.offline.calls import list_folder
from code_assistant.llm.offline.languages import is_binary_name
from code_assistant.llm.offline.manifests import MANIFEST_NAMES, is_readme
from code_assistant.llm.offline.markdown import plain
from code_assistant.llm.offline.steps import Plan, Step
from code_assistant.llm.offline.tasks.project import ENTRIES, NEEDS, RUNNING, project_plan, sections_of
from code_assistant.llm.offline.tool_texts import Listing, failure, listing_in

MOST_PROJECT_FILES = 8
NOTHING_SAID = "Nothing at the top of this folder says so: I know README and the manifests of a few languages."


def project_facts_plan() -> Plan:
    (listed,) = yield Step((list_folder("."),))
    if listed.failed:
        return f"This folder could not be listed: {plain(failure(listed))}"
    files = project_files(listing_in(listed))
    if not files:
        return NOTHING_SAID
    answer = yield from project_plan(files)
    told = sections_of(answer)
    missing = [title for title in (RUNNING, ENTRIES, NEEDS) if title not in told]
    unsaid = f"I found nothing for: {', '.join(missing).lower()}."
    return "\n\n".join([*([answer] if answer else []), *([unsaid] if missing else [])])


def project_files(top: Listing) -> tuple[str, ...]:
    """The files at the top in which a project tells about itself."""
    readmes = [name for name in top.files if is_readme(name) and not is_binary_name(name)]
    manifests = [name for name in MANIFEST_NAMES if name in top.files]
    return tuple((*readmes[:1], *manifests)[:MOST_PROJECT_FILES])
