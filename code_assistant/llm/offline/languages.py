"""Which language a file is in by its name, and which kinds of names are code, prose or no text at all."""

from __future__ import annotations

_EXTENSIONS = {
    "Python": "py pyi pyw",
    "JavaScript": "js jsx mjs cjs",
    "TypeScript": "ts tsx mts cts",
    "Go": "go",
    "Rust": "rs",
    "Java": "java",
    "Kotlin": "kt kts",
    "C": "c h",
    "C++": "cc cpp cxx hpp hh hxx",
    "C#": "cs",
    "Ruby": "rb rake gemspec",
    "PHP": "php",
    "Shell": "sh bash zsh fish",
    "Swift": "swift",
    "Scala": "scala sc",
    "Lua": "lua",
    "Perl": "pl pm",
    "R": "r",
    "Elixir": "ex exs",
    "Erlang": "erl hrl",
    "Haskell": "hs",
    "OCaml": "ml mli",
    "Clojure": "clj cljs cljc",
    "Dart": "dart",
    "Zig": "zig",
    "Julia": "jl",
    "PowerShell": "ps1 psm1",
    "SQL": "sql",
    "Vue": "vue",
    "Svelte": "svelte",
    "CSS": "css scss sass less tcss",
    "HTML": "html htm",
    "Markdown": "md markdown mdx",
    "reStructuredText": "rst",
    "Text": "txt",
    "JSON": "json jsonl",
    "YAML": "yaml yml",
    "TOML": "toml",
    "XML": "xml",
    "SVG": "svg",
    "INI": "ini cfg conf properties",
    "CSV": "csv tsv",
    "Protobuf": "proto",
    "Terraform": "tf",
    "Nix": "nix",
    "CMake": "cmake",
}
BY_EXTENSION = {extension: name for name, extensions in _EXTENSIONS.items() for extension in extensions.split()}
BY_NAME = {
    "makefile": "Make",
    "gnumakefile": "Make",
    "justfile": "Make",
    "dockerfile": "Docker",
    "cmakelists.txt": "CMake",
    "gemfile": "Ruby",
    "rakefile": "Ruby",
    "jenkinsfile": "Groovy",
}


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


NOT_CODE = _set("CSS HTML Markdown reStructuredText Text JSON YAML TOML XML SVG INI CSV Docker Make CMake")
BINARY_EXTENSIONS = _set(
    "png jpg jpeg gif webp bmp ico tif tiff psd pdf zip gz tgz bz2 xz 7z rar tar jar war class pyc pyo so dylib dll "
    "exe bin dat o a obj lib woff woff2 ttf otf eot mp3 mp4 wav ogg flac avi mov mkv webm sqlite sqlite3 db npy npz "
    "pkl pickle parquet onnx pt pth safetensors gguf wasm"
)
GENERATED_NAMES = frozenset({"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum"})
TEST_FOLDERS = frozenset({"test", "tests", "spec", "specs", "__tests__", "testing", "e2e"})
PROSE_FOLDERS = frozenset({"doc", "docs", "documentation", "man"})
SIDE_FOLDERS = frozenset(
    {"benchmark", "benchmarks", "bench", "example", "examples", "sample", "samples", "demo", "demos", "scripts"}
)
# Names of files that tell what their folder is about, the best first.
TELLING_NAMES = ("readme", "__init__", "mod", "lib", "doc", "index", "package")
# Names of files in which programs begin.
STARTING_NAMES = ("main", "__main__", "app", "cli", "server", "index")


def name_of(path: str) -> str:
    return path[path.rfind("/") + 1 :]


def stem_of(path: str) -> str:
    """The name without what follows its first dot, but for a dot that begins it."""
    name = name_of(path)
    end = name.find(".", 1)
    return name if end < 0 else name[:end]


def extension_of(path: str) -> str:
    name = name_of(path)
    dot = name.rfind(".")
    return name[dot + 1 :].lower() if dot > 0 else ""


def language_of(path: str) -> str | None:
    return BY_NAME.get(name_of(path).lower()) or BY_EXTENSION.get(extension_of(path))


def language_called(word: str) -> str | None:
    """The language that a person means, by its name or by an ending of its files."""
    lowered = word.lower().lstrip(".")
    return next((name for name in _EXTENSIONS if name.lower() == lowered), None) or BY_EXTENSION.get(lowered)


def is_code(path: str) -> bool:
    language = language_of(path)
    return language is not None and language not in NOT_CODE


def is_binary_name(path: str) -> bool:
    return extension_of(path) in BINARY_EXTENSIONS


def is_generated(path: str) -> bool:
    """Made by a program and read by none but programs."""
    name = name_of(path).lower()
    return name in GENERATED_NAMES or extension_of(name) in ("lock", "map", "svg") or ".min." in name


def is_test(path: str) -> bool:
    *folders, name = path.lower().split("/")
    return (
        not TEST_FOLDERS.isdisjoint(folders)
        or name.startswith("test_")
        or any(mark in name for mark in ("_test.", ".test.", ".spec.", "_spec."))
    )
