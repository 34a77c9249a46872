"""How a Web API method says no."""

from typing import Any

from sandbox.validate.errors import Problem


class Refusal(Exception):
    """Slack's `{"ok": false, "error": …}`. `extra` joins the body; `status` and `headers` are HTTP's."""

    def __init__(self, error: str, *, status: int = 200, headers: dict[str, str] | None = None, **extra: Any) -> None:
        super().__init__(error)
        self.error = error
        self.status = status
        self.headers = headers or {}
        self.extra = extra

    def body(self) -> dict[str, Any]:
        return {"ok": False, "error": self.error, **self.extra}


def bad_blocks(problems: list[Problem], root: str = "/blocks", *, error: str = "invalid_blocks") -> Refusal:
    """The shape of chat.*: the sentences twice, once with a level."""
    found = [problem.sentence(root) for problem in problems]
    return Refusal(error, errors=found, response_metadata={"messages": [f"[ERROR] {text}" for text in found]})


def bad_view(problems: list[Problem]) -> Refusal:
    """The shape of views.*: one sentence for the whole, then the details."""
    found = [
        "failed to match all allowed schemas [json-pointer:/view]",
        *(problem.sentence("/view") for problem in problems),
    ]
    return Refusal("invalid_arguments", response_metadata={"messages": [f"[ERROR] {text}" for text in found]})


def bad_arguments(*messages: str) -> Refusal:
    return Refusal("invalid_arguments", response_metadata={"messages": [f"[ERROR] {text}" for text in messages]})


def missing_argument(name: str) -> Refusal:
    return bad_arguments(f"missing required field: {name}")
