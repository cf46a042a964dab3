"""Secrets of every known form, none of them real, put together here so that no scanner takes them for real ones."""

from __future__ import annotations

import random
from string import ascii_letters, ascii_uppercase, digits

_CHANCE = random.Random(20)


def _of(alphabet: str, length: int) -> str:
    return "".join(_CHANCE.choice(alphabet) for _ in range(length))


def base62(length: int) -> str:
    return _of(ascii_letters + digits, length)


def url64(length: int) -> str:
    return _of(ascii_letters + digits + "_-", length - 1) + "a"


def hexadecimal(length: int) -> str:
    return _of("0123456789abcdef", length)


def key_block(kind: str) -> str:
    lines = "\n".join(_of(ascii_letters + digits + "+/", 64) for _ in range(6))
    return f"-----BEGIN {kind}-----\n{lines}\nabcd==\n-----END {kind}-----"


# Words that are secrets wherever they stand.
TOKENS: dict[str, str] = {
    "anthropic": f"sk-ant-api03-{url64(93)}AA",
    "anthropic-oauth": f"sk-ant-oat01-{url64(93)}AA",
    "openai": f"sk-{base62(48)}",
    "openai-project": f"sk-proj-{url64(120)}",
    "openai-service": f"sk-svcacct-{url64(80)}",
    "openai-dashes": f"sk-{base62(12)}-{base62(14)}_{base62(10)}",
    "deepseek": f"sk-{hexadecimal(32)}",
    "openrouter": f"sk-or-v1-{hexadecimal(64)}",
    "github-classic": f"ghp_{base62(36)}",
    "github-oauth": f"gho_{base62(36)}",
    "github-user": f"ghu_{base62(36)}",
    "github-server": f"ghs_{base62(36)}",
    "github-refresh": f"ghr_{base62(76)}",
    "github-fine": f"github_pat_{base62(22)}_{base62(59)}",
    "gitlab": f"glpat-{url64(20)}",
    "aws-id": f"AKIA{_of(ascii_uppercase + '234567', 16)}",
    "aws-session-id": f"ASIA{_of(ascii_uppercase + '234567', 16)}",
    "google": f"AIza{url64(35)}",
    "slack-bot": f"xoxb-{_of(digits, 12)}-{_of(digits, 13)}-{base62(24)}",
    "slack-user": f"xoxp-{_of(digits, 12)}-{_of(digits, 12)}-{hexadecimal(32)}",
    "stripe": f"sk_live_{base62(24)}",
    "stripe-restricted": f"rk_live_{base62(99)}",
    "npm": f"npm_{base62(36)}",
    "pypi": f"pypi-AgEIcHlwaS5vcmc{url64(140)}",
    "hugging-face": f"hf_{base62(34)}",
    "jwt": f"eyJhbGciOiJIUzI1NiJ9.eyJ{url64(40)}.{url64(43)}",
}
CONTEXTS: dict[str, str] = {
    "json": '{{"note": "it is {}", "n": 1}}',
    "escaped-json": '{{\\"note\\": \\"first\\n{}\\"}}',
    "yaml": "env:\n  - name: X\n    value: {}\n",
    "code": "client = Client('{}')  # ours\n",
    "url": "https://host.example/path?x={}&y=2",
    "log": "2026-01-02 12:00:00 INFO got {}, went on",
    "shell": "curl -H 'X-Key: {}' https://host && echo done",
    "prose": "Use {}.",
    "colour": "got \x1b[1;31m{}\x1b[0m\n",
}
# Secrets for what stands around them: the text, and of it what must go.
_VALUE, _PASSWORD, _HEX, _AWS = base62(32), base62(18), hexadecimal(64), f"{base62(20)}/{base62(19)}"
SURROUNDED: dict[str, tuple[str, str]] = {
    "python": (f'api_key = "{_VALUE}"', _VALUE),
    "python-argument": (f"connect(password='{_PASSWORD}')", _PASSWORD),
    "json": (f'{{"password": "{_PASSWORD}"}}', _PASSWORD),
    "nested-json": (f'{{"text": "{{\\"client_secret\\": \\"{_VALUE}\\"}}"}}', _VALUE),
    "camel": (f'accessToken: "{_VALUE}",', _VALUE),
    "yaml": (f"db_password: {_PASSWORD}\n", _PASSWORD),
    "shell": (f"export GITHUB_TOKEN={_VALUE}", _VALUE),
    "env": (f"SECRET_KEY={_HEX}", _HEX),
    "header": (f"X-Api-Key: {_VALUE}", _VALUE),
    "query": (f"GET /a?api_key={_VALUE}&b=1", _VALUE),
    "ini": (f"aws_secret_access_key = {_AWS}", _AWS),
    "aws-json": (f'"SecretAccessKey": "{_AWS}"', _AWS),
    "azure": (f"AccountName=a;AccountKey={_VALUE}{_VALUE}==;EndpointSuffix=x", _VALUE),
    "bearer": (f"Authorization: Bearer {_VALUE}", _VALUE),
    "bearer-code": (f"headers = {{'Authorization': f'Bearer {_VALUE}'}}", _VALUE),
    "bearer-log": (f"sent bearer {_VALUE} and got 401", _VALUE),
    "basic": (f"Authorization: Basic {_VALUE}==", _VALUE),
    "postgres": ("postgres://admin:hunter2@db.internal:5432/app", "hunter2"),
    "redis": ("redis://:s3cr3t-pw@cache:6379/0", "s3cr3t-pw"),
    "git": (f"git clone https://me:{_VALUE}@git.host/a.git", _VALUE),
    "at-sign": ("amqp://u:p@ss-w0rd@mq/vhost", "ss-w0rd"),
    "pem": (key_block("RSA PRIVATE KEY"), "PRIVATE"),
    "pem-plain": (f"key: |\n  {key_block('PRIVATE KEY')}\nnext: 1", "PRIVATE"),
    "pem-openssh": (key_block("OPENSSH PRIVATE KEY"), "OPENSSH"),
    "pem-one-line": (key_block("EC PRIVATE KEY").replace("\n", "\\n"), "PRIVATE"),
    "pem-cut": (key_block("PRIVATE KEY")[:200], "PRIVATE"),
}
INNOCENTS: tuple[str, ...] = (
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "HEAD is now at cf7268b Models",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  file.tar.gz",
    '"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="',
    'hash = "sha1-1a2B3c4D5e6F7g8H9i0J1k2L3m4="',
    "h1:Zv6Hn1rLJcXoHpPGbVYZ5dXQ9pO6nFA0hQ8N5vZ2rA8=",
    "550e8400-e29b-41d4-a716-446655440000",
    '"session_token": "550e8400-e29b-41d4-a716-446655440000"',
    '"id": "toolu_01A09q90qw90lq917835lq9"',
    '"token": "toolu_01A09q90qw90lq917835lq9"',
    "prompt_3f9a2b1c4d5e6f70",
    "agent_01HZX5K2Q8W3R7T9Y4M6N1B0VC",
    "msg_01XFDUDYJgAACzvnptvVoYEL",
    "call_Xk3fT9bQ2mZpL7vR1sYc8wDe",
    "req_011CSHoEeqs5C35K2UUqR7Fy",
    "chatcmpl-9xYzAbCdEfGhIjKlMnOpQrStUv",
    "code_assistant/llm/anthropic/errors.py:10-20",
    "token: src/a1b2/c3d4/e5f6/token9.py:10-20",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "sk-...",
    "sk-ant-...",
    "sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-ant-your-api-key-here-please",
    "your-api-key",
    'api_key = "your-api-key-goes-here-1234"',
    "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    'api_key="<insert your key here>"',
    "api_key = os.environ['OPENAI_API_KEY']",
    "api_key = settings.providers.openai.api_key",
    "token = request.headers.get_authorization_token()",
    "password: SecretStr = Field(default_factory=make_password)",
    "password = getpass.getpass()",
    "PASSWORD=$DB_PASSWORD_FROM_VAULT_2024",
    "password: ${{ secrets.DATABASE_PASSWORD_V2 }}",
    "token: ${GITHUB_TOKEN}",
    "secret: /run/secrets/database_password_1",
    'secretName: "my-application-database-credentials"',
    'token: "my-application-access-token"',
    "max_tokens: 4096",
    "next_page_token=CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA1",
    "nextToken: CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA1",
    'token = "9fceb02d0ae598e95dc970b74767f19372d61af8"',
    "cache_key: a8Kd92LsP0qWzXn4Bv7RtYu3",
    "primary_key = Column(Integer, autoincrement=True)",
    "public_key: a8Kd92LsP0qWzXn4Bv7RtYu3",
    "https://host.example:8080/path@version",
    "https://user:password@host.example/",
    "postgres://user:${DB_PASSWORD}@localhost/db",
    "mysql://root:{password}@{host}/db",
    "git@github.com:owner/repository.git",
    "npm install @scope/name@1.2.3",
    "npm_config_registry=https://registry.npmjs.org",
    "npm_package_dependencies_something_very_long_1",
    "hf_hub_download_with_retries_and_progress",
    "pypi-attestations and pypi-publish-action",
    ".sk-loading-spinner-container-wrapper { color: red }",
    "sk-estimator-doc-link fitted sk-toggleable__label",
    "risk-assessment-2024-final-version-3b",
    "task-0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d",
    "xoxo-love-and-kisses",
    "AKIA is how such ids begin",
    "Bearer authentication-and-authorization middleware",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $ACCESS_TOKEN",
    "eyJ is how base64 of an object begins; eyJhbGciOiJIUzI1NiJ9 alone is a header",
    'if "-----BEGIN PRIVATE KEY-----" in text: raise',
    "from -----BEGIN PRIVATE KEY----- to -----END PRIVATE KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUF\n-----END CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPp me@host",
    "AVeryLongClassNameForAnAbstractFactoryOfBeans2Proxy",
    "test_that_the_token_is_refreshed_when_it_has_expired_1",
    "ghp_ and github_pat_ are what tokens of GitHub begin with",
    "glpat-XXXXXXXXXXXXXXXXXXXX",
)
