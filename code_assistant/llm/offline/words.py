"""What the explorer says about itself: its label, what it can do, what it cannot, and how to get a real model."""

from __future__ import annotations

OFFLINE_LABEL = "offline explorer (no language model)"

# The first one shows sub-agents at work.
SUGGESTED_PROMPTS: tuple[str, ...] = (
    "Give me an overview of this code base",
    "Where is main defined and used?",
    "What does README.md hold?",
    "Find TODO",
    "What changed?",
)

CAN_DO = """\
- **overview of this code base**: several sub-agents look at its parts side by side
- **where is NAME defined**, **who uses NAME**
- **what does FILE or FOLDER hold**
- **find TEXT**
- **how does TOPIC work**: the places to read, not an explanation
- **how do I run it**, **what are the dependencies**: as its manifests say
- **which languages**, **how many lines of Python**, **list the largest files**
- **what changed**: by `git`, which asks you first"""

KEY_HELP = """\
For a real model enter a key with `/model` on the screen; or set `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or \
`OPENROUTER_API_KEY` in the environment and start again; or start a server on this machine (Ollama, LM Studio, \
llama.cpp, vLLM) and choose it with `/model`."""

GREETING = f"""\
Hello. I am an explorer made of rules: I search and read the files of this folder and point to lines. I do not \
understand or write code.

You can ask:

{CAN_DO}

{KEY_HELP}"""

HELP = f"""\
I am an explorer made of rules. I search and read the files of this folder and point to lines; I do not understand \
or write code.

{CAN_DO}

{KEY_HELP}"""

THANKS = "You are welcome."

REFUSAL = f"""\
That needs a language model, and there is none here: I search and read files by rules. I cannot write, change, run or \
judge code.

What I can do instead:

{CAN_DO}

{KEY_HELP}"""

NOT_UNDERSTOOD = f"""\
I did not understand that: I go by rules and know a few kinds of questions.

{CAN_DO}

{KEY_HELP}"""

ENGLISH_ONLY = f"""\
I understand only questions in English, and this does not look like one.

{CAN_DO}

For example: *{SUGGESTED_PROMPTS[0]}*, *{SUGGESTED_PROMPTS[1]}*, *{SUGGESTED_PROMPTS[3]}*"""


def labelled(answer: str) -> str:
    """An answer with the line that says what gave it."""
    return f"{answer.rstrip()}\n\n*{OFFLINE_LABEL}*"


def unlabelled(answer: str) -> str:
    return answer.rstrip().removesuffix(f"*{OFFLINE_LABEL}*").rstrip()
